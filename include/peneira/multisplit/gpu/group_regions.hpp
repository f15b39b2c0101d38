// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How much room each of several groups gets before it is known how large they are: what a sample makes one expect, and
// a little more. What does not fit goes to a spare array that all groups share, which takes less memory than room for
// the worst of each.
#pragma once

#include <cmath>

#include "peneira/config.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

struct group_regions {
  double ratio;  ///< items for each one of the sample
  double slack;  ///< and items more, times the root of a group's count in the sample, as its deviation is

  static constexpr std::uint64_t grain = 64;  ///< at which regions begin

  static group_regions of(std::size_t items, std::size_t sample, std::uint32_t groups) {
    if (sample == 0) return {0, 0};
    const auto all = static_cast<double>(items);
    const auto seen = static_cast<double>(sample);
    return {all / seen, all / static_cast<double>(tuning::grouped_slack_share) / std::sqrt(seen * groups)};
  }

  PENEIRA_HD static std::uint64_t round_up(std::uint64_t items) { return (items + grain - 1) / grain * grain; }

  /// Of a group with so many items in the sample.
  [[nodiscard]] PENEIRA_HD std::uint64_t size(std::uint64_t sampled) const {
    const auto of = static_cast<double>(sampled);
    return round_up(static_cast<std::uint64_t>(ratio * of + slack * std::sqrt(of)));
  }
  /// Of all groups together, at most: they share the slack evenly where they are equally large.
  [[nodiscard]] static std::uint64_t all(std::uint64_t items, std::uint32_t groups) {
    return items + items / tuning::grouped_slack_share + (groups + std::uint64_t{1}) * grain;
  }
  /// Where a group begins once it is known where its items begin among all.
  PENEIRA_HD static std::uint64_t begin_again(std::uint32_t group, std::uint64_t start) {
    return round_up(start) + group * grain;
  }
};

}  // namespace peneira::detail
