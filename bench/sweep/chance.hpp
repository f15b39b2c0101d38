// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the sweep draws with: in whole numbers alone, so that a seed gives the same problems on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "bench/inputs.hpp"

namespace peneira::bench::sweep {

/// Exponents have so many bits behind the point.
inline constexpr unsigned exponent_bits = 24;

/// 2^(exponent / 2^24), rounded down; exponents below 2^24 * 63.
inline std::uint64_t power_of_two(std::uint64_t exponent) {
  constexpr unsigned scale = 30;
  static const auto roots = [] {  // 2^(1/2), 2^(1/4), ...
    std::array<std::uint64_t, exponent_bits> made{};
    std::uint64_t last = std::uint64_t{2} << scale;
    for (std::uint64_t& root : made) root = last = bench::detail::root_of(last << scale);
    return made;
  }();
  std::uint64_t part = std::uint64_t{1} << scale;
  for (unsigned bit = 0; bit < exponent_bits; ++bit) {
    if ((exponent >> (exponent_bits - 1 - bit) & 1U) != 0) part = part * roots[bit] >> scale;
  }
  const auto whole = static_cast<unsigned>(exponent >> exponent_bits);
  return whole <= scale ? part >> (scale - whole) : part << (whole - scale);
}

/// A number from 2^low to before 2^high, of which every octave has the same share.
inline std::uint64_t log_uniform(draws& from, unsigned low, unsigned high) {
  return power_of_two((std::uint64_t{low} << exponent_bits) + from.below(std::uint64_t{high - low} << exponent_bits));
}

/// A number from 1 to `most`, of which every octave has about the same share.
inline std::uint64_t log_uniform_to(draws& from, std::uint64_t most) {
  const auto octaves = static_cast<unsigned>(std::bit_width(most));
  for (;;) {
    if (const std::uint64_t drawn = log_uniform(from, 0, octaves); drawn <= most) return drawn;
  }
}

/// A number from `low` to `high`, both included.
inline std::uint64_t between(draws& from, std::uint64_t low, std::uint64_t high) {
  return low + from.below(high - low + 1);
}

/// Whether something happens that does so in one of `times` cases.
inline bool one_in(draws& from, std::uint64_t times) {
  return from.below(times) == 0;
}

/// One of some.
template <class T, std::size_t N>
const T& one_of(draws& from, const std::array<T, N>& choices) {
  return choices[from.below(N)];
}

}  // namespace peneira::bench::sweep
