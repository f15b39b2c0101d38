// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many groups there may be, by a look at some keys: those that were met once and twice tell how many were not met
// (Chao's estimate, A. Chao 1984). The same keys are looked at on every run, so that the choice is the same.
#pragma once

#include <algorithm>

#include "peneira/group_keys.hpp"
#include "peneira/hash.hpp"

namespace peneira::detail {

/// What a sample tells.
struct group_estimate {
  std::size_t groups = 0;  ///< about as many
  bool skewed = false;     ///< some have so many items that there may be far more groups than that
};

/// Copies the bits of some keys, spread over all.
template <class K>
void take_sample(const K* keys, std::size_t items, bits_of<K>* sample, std::size_t size) {
  const std::size_t stride = items / size;
  for (std::size_t i = 0; i < size; ++i) {
    sample[i] = group_bits(keys[i * stride + static_cast<std::size_t>(mix64(i) % stride)]);
  }
}

/// The estimate of `items` keys, by a sorted sample.
template <class U>
group_estimate estimate_groups(const U* sample, std::size_t size, std::size_t items) {
  std::size_t met = 0;
  std::size_t once = 0;
  std::size_t twice = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < size;) {
    const std::size_t end =
        static_cast<std::size_t>(std::find_if(sample + i, sample + size, [&](U x) { return x != sample[i]; }) - sample);
    const std::size_t times = end - i;
    ++met;
    once += times == 1 ? 1U : 0U;
    twice += times == 2 ? 1U : 0U;
    most = std::max(most, times);
    i = end;
  }
  group_estimate e;
  const std::size_t unmet = once == 0 ? 0 : once * (once - 1) / (2 * (twice + 1));
  e.groups = std::min(items, met + unmet);
  e.skewed = once > size / 64 && most > 16 + 4 * size / e.groups;
  return e;
}

}  // namespace peneira::detail
