// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys that are hard, or should be easy, to sort.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "tests/support/common.hpp"

namespace peneira::test {

/// How the keys of an input of a sort lie: those of every primitive, and what is hard for digits.
enum class sort_shape {
  uniform,
  equal,
  sorted,
  reversed,
  two_values,
  zipf,
  reversed_with_equals,  ///< never rising
  organ_pipe,            ///< ascending, then descending
  few_values,
  low_bits,     ///< only the lowest differ
  high_bits,    ///< only the highest differ
  around_zero,  ///< on both sides of the middle of the range: every bit differs, though they are close
  sparse,       ///< one bit in 32 is set
  peak,         ///< the same around a place in the middle of the range, in both directions
  frequent,     ///< half of the items have one of thirty keys
  halves,       ///< each power of two half as often as the next higher one: unbalances every digit
  outlier,      ///< all close together but one
  nearly_sorted,
  special  ///< floating-point: NaN of both signs, zeros, infinities, denormals; integers: the ends of the range
};
inline constexpr auto last_sort_shape = sort_shape::special;

/// Each bit set with a probability of 1 / 32.
inline std::uint64_t sparse_bits(random& next) {
  std::uint64_t bits = next();
  for (int k = 0; k < 4; ++k) bits &= next();
  return bits;
}

/// The 64-bit rank of item i of n; a key takes its highest bits.
template <class K>
std::uint64_t sort_rank(sort_shape s, std::size_t i, std::size_t n, random& next) {
  constexpr unsigned unused = 64 - 8 * sizeof(K);
  const std::uint64_t step = ~std::uint64_t{0} / (n + 1);
  switch (s) {
    case sort_shape::reversed_with_equals:
      return (n - 1 - i) / 5 * 5 * step;
    case sort_shape::organ_pipe:
      return (i < n / 2 ? i : n - 1 - i) * 2 * step;
    case sort_shape::few_values:
      return mix64(next.below(17));
    case sort_shape::low_bits:
      return 0x5A5A5A5A5A5A5A5AU >> unused << unused ^ next.below(64) << unused;
    case sort_shape::high_bits:
      return next.below(16) << 60U | 0x123456789ABCDEFU;
    case sort_shape::around_zero:
      return (std::uint64_t{1} << 63U) + ((next.below(2000) - 1000) << unused);
    case sort_shape::sparse:
      return sparse_bits(next);
    case sort_shape::peak:
      return sparse_bits(next) ^ 0x9E3779B97F4A7C15U;
    case sort_shape::frequent:
      return next.below(2) == 0 ? next() : mix64(next.below(30));
    case sort_shape::halves:
      return ~std::uint64_t{0} >> std::countl_zero(next() | 1) >> next.below(2);
    case sort_shape::outlier:
      return i == n / 3 ? ~std::uint64_t{0} : next.below(5000) << unused;
    case sort_shape::nearly_sorted:
      return next.below(100) == 0 ? next() : i * step;
    default:
      return rank_of(static_cast<shape>(s), i, n, next);
  }
}

template <class K>
K special_key(random& next) {
  if constexpr (std::is_floating_point_v<K>) {
    using limits = std::numeric_limits<K>;
    const std::array values{K(0),
                            -K(0),
                            limits::infinity(),
                            -limits::infinity(),
                            limits::quiet_NaN(),
                            std::copysign(limits::quiet_NaN(), K(-1)),
                            limits::denorm_min(),
                            -limits::denorm_min(),
                            limits::max(),
                            limits::lowest(),
                            K(1),
                            K(-1),
                            std::bit_cast<K>(static_cast<detail::bits_of<K>>(next()))};  // anything, other NaN included
    return next.pick(values);
  } else {
    using limits = std::numeric_limits<K>;
    const std::array values{
        K(0), K(1), limits::min(), limits::max(), static_cast<K>(limits::max() - 1), static_cast<K>(limits::min() + 1)};
    return next.pick(values);
  }
}

template <class K>
std::vector<K> make_sort_keys(sort_shape s, std::size_t n, random& next) {
  std::vector<K> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    keys[i] = s == sort_shape::special ? special_key<K>(next) : make_key<K>(sort_rank<K>(s, i, n, next), i);
  }
  return keys;
}

}  // namespace peneira::test
