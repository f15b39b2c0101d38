// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The bits of its keys that a leaf is sorted by, as two digits, and the two passes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "peneira/config.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

inline constexpr unsigned most_leaf_digit_bits = 11;
using leaf_counts = std::array<std::uint32_t, std::size_t{1} << most_leaf_digit_bits>;

/// The two digits of the window of a leaf.
template <class Rank>
struct leaf_window {
  using number = typename Rank::number;
  Rank rank;
  number low = 0;
  unsigned shift = 0;
  unsigned lower = 0;  ///< bits of the lower digit
  unsigned upper = 0;

  template <class K>
  [[nodiscard]] number above(const K& key) const {
    return static_cast<number>(static_cast<number>(rank(key) - low) >> shift);
  }
  [[nodiscard]] std::size_t lower_digit(number above) const { return above & ((std::size_t{1} << lower) - 1); }
  [[nodiscard]] std::size_t upper_digit(number above) const { return static_cast<std::size_t>(above >> lower); }
};

/// Counts both digits and turns the counts into positions.
template <class K, class Rank>
void count_leaf(const K* keys, std::size_t n, const leaf_window<Rank> window, leaf_counts& lower, leaf_counts& upper) {
  const auto clear = [](leaf_counts& counts, unsigned bits) { std::fill_n(counts.data(), std::size_t{1} << bits, 0); };
  const auto scan = [](leaf_counts& counts, unsigned bits) {
    std::uint32_t position = 0;
    for (std::size_t b = 0; b < std::size_t{1} << bits; ++b) {
      const std::uint32_t count = counts[b];
      counts[b] = position;
      position += count;
    }
  };
  clear(upper, window.upper);
  clear(lower, window.lower);
  std::uint32_t* const low = lower.data();
  std::uint32_t* const high = upper.data();
  if (window.lower == 0) {
    for (std::size_t i = 0; i < n; ++i) ++high[window.upper_digit(window.above(keys[i]))];
  } else {
    PENEIRA_UNROLL(4)
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = window.above(keys[i]);
      ++low[window.lower_digit(x)];
      ++high[window.upper_digit(x)];
    }
  }
  scan(lower, window.lower);
  scan(upper, window.upper);
}

template <class K, class V, class Digit>
void scatter_leaf(view<const K, const V> from, view<K, V> to, const Digit digit, leaf_counts& next) {
  std::uint32_t* const position = next.data();
  PENEIRA_UNROLL(4)
  for (std::size_t i = 0; i < from.size; ++i) {
    const K key = from.keys[i];
    const std::uint32_t at = position[digit(key)]++;
    to.keys[at] = key;
    if constexpr (view<K, V>::has_values) to.values[at] = from.values[i];
  }
}

/// The window that a leaf of so many items is sorted by.
template <class Rank>
leaf_window<Rank> window_of(std::size_t n, const Rank& rank, const extent<typename Rank::number>& found) {
  const unsigned bits = found.bits();
  const unsigned slack =
      n < tuning::cpu_sort_slack_items ? tuning::cpu_sort_few_slack_bits : tuning::cpu_sort_slack_bits;
  const unsigned telling = static_cast<unsigned>(std::bit_width(n)) + slack;
  const unsigned used = std::min({bits, telling, 2 * most_leaf_digit_bits});
  const unsigned lower = used <= tuning::cpu_sort_one_digit_bits ? 0 : used / 2;
  return {rank, found.low, bits - used, lower, used - lower};
}

}  // namespace peneira::detail
