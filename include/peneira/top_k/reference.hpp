// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include <algorithm>
#include <vector>

#include "peneira/sort/reference.hpp"
#include "peneira/top_k/problem.hpp"

namespace peneira::reference {

/// Where the k greatest keys come from; of equal keys the first ones. There may be fewer than k.
template <sort_key K>
std::vector<std::size_t> top_k(const K* keys, std::size_t n, std::size_t k, const top_k_options& options = {}) {
  std::vector<std::size_t> from = argsort(keys, n, {.descending = !options.least});
  from.resize(std::min(k, n));
  if (!options.sorted) std::sort(from.begin(), from.end());
  return from;
}

}  // namespace peneira::reference
