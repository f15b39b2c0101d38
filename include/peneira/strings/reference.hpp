// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include <algorithm>
#include <numeric>

#include "peneira/strings/problem.hpp"
#include "peneira/strings/view.hpp"

namespace peneira::reference {

/// Which string comes where: all[permutation[0]] is the first. Equal strings keep their order.
template <class Offset, class Index>
void sort_strings(const strings<Offset>& all, Index* permutation, bool descending = false) {
  // std::string_view compares bytes as unsigned numbers, and puts a string before those that it begins.
  std::iota(permutation, permutation + all.size, Index{0});
  std::stable_sort(permutation, permutation + all.size,
                   [&](Index a, Index b) { return descending ? all[b] < all[a] : all[a] < all[b]; });
}

}  // namespace peneira::reference
