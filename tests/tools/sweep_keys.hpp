// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of the sweep, made for a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/sweep/keys.hpp"

namespace peneira::bench::sweep {

template <class T>
std::vector<T> made_by(const keys_recipe& keys, std::size_t n, std::uint64_t seed = 7) {
  std::vector<T> items(n);
  fill_keys(items.data(), 0, n, n, keys, seed);
  return items;
}

}  // namespace peneira::bench::sweep
