// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A histogram as a plan sees it: sizes, no data.
#pragma once

#include <algorithm>
#include <string_view>
#include <type_traits>

#include "peneira/place.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

/// What a caller may say about a histogram.
struct histogram_options {
  order grouping = order::stable;  ///< weights are grouped the same way for any number of threads; any: as they come
  std::string_view strategy = {};  ///< a name from `peneira strategies`; empty: the automatic choice
};

/// A histogram as a plan sees it, and as the strategies are asked about it.
struct histogram_problem {
  std::size_t items = 0;           ///< how many there are
  std::uint32_t bins = 1;          ///< what the bin function's bins() says
  std::size_t key_bytes = 4;       ///< bytes of a key
  std::size_t weight_bytes = 0;    ///< 0: each item counts as one
  std::size_t count_bytes = 8;     ///< bytes of a count, 4 or 8
  bool rounds = false;             ///< whether counts are floating-point, so that their grouping shows
  order grouping = order::stable;  ///< as in the options
  std::size_t key_alignment = 64;  ///< that keys have, as far as it matters to anyone
  bool may_miss = false;           ///< the bin function may give an item no bin

  /// Bytes of a counter, or of what weights are added up in: those of a weight_sum.
  [[nodiscard]] std::size_t sum_bytes() const { return weight_bytes == 0 ? 4 : rounds ? 8 : count_bytes; }
};

namespace detail {

/// The fewest items that are worth one more thread, whose row of bins is emptied and added up.
constexpr std::size_t least_counted(const histogram_problem& problem) {
  return std::max<std::size_t>(tuning::cpu_least_counted_items, problem.bins);
}

/// What weights are added up in: doubles for floats, which they do not fill up, and integers that wrap around.
template <class Count>
using weight_sum = typename std::conditional_t<std::is_floating_point_v<Count>, std::type_identity<double>,
                                               std::make_unsigned<Count>>::type;

}  // namespace detail

}  // namespace peneira
