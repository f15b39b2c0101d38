// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include <utility>
#include <vector>

#include "peneira/group_keys.hpp"

namespace peneira::reference {

/// Each run of equal neighbours, as its first item and its length.
template <class K>
std::vector<std::pair<K, std::size_t>> run_lengths(const K* items, std::size_t n) {
  std::vector<std::pair<K, std::size_t>> runs;
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0 || !detail::same_group(items[i - 1], items[i])) runs.emplace_back(items[i], 0);
    ++runs.back().second;
  }
  return runs;
}

}  // namespace peneira::reference
