// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The segments of the sweep: how their sizes are spread, drawn at random, and the offsets that this makes of n items.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sweep/chance.hpp"

namespace peneira::bench::sweep {

/// How large segments are beside each other.
enum class sizes : unsigned {
  equal,        ///< within one of each other
  uniform,      ///< from nothing to twice the mean
  exponential,  ///< by an exponential law
  power_law,    ///< by Pareto's law of exponent alpha / 8
  mixture       ///< some `ratio` times as large as the others
};
inline constexpr std::array<std::string_view, 5> sizes_names{"equal", "uniform", "exponential", "power law", "mixture"};

struct segments_recipe {
  std::uint64_t count = 0;
  sizes of = sizes::equal;
  std::uint64_t alpha = 8;
  std::uint64_t ratio = 1;
  unsigned larger = 0;   ///< of 256 segments of a mixture so many are the larger ones
  unsigned empties = 0;  ///< of 256 segments so many are empty
  unsigned giants = 0;   ///< segments that hold `share` / 16 of all items together
  unsigned share = 0;
};

segments_recipe draw_segments(draws& from, std::uint64_t n);
std::string describe(const segments_recipe& segments);

/// count + 1 offsets, from 0 to n, which do not descend.
std::vector<std::uint32_t> make_offsets(const segments_recipe& segments, std::uint64_t n, std::uint64_t seed,
                                        unsigned threads);

}  // namespace peneira::bench::sweep
