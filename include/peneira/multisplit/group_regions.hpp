// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How much room each of several groups gets before it is known how large they are: what a sample makes one expect, and
// enough more that they seldom outgrow it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "peneira/config.hpp"

namespace peneira::detail {

struct group_regions {
  double ratio;        ///< items for each one of the sample
  std::uint32_t tile;  ///< a run is at most as long, and goes to a region as a whole

  static constexpr std::uint64_t grain = 64;  ///< at which regions begin
  /// Deviations of a sample's count that a group may be larger than expected. Many, since the items of a line that is
  /// sampled may all be alike, which multiplies deviations by the root of a line.
  static constexpr double deviations = 24;
  static constexpr std::uint64_t least = 64;  ///< of a sample; where there are fewer, deviations say little

  PENEIRA_HD static std::uint64_t round_up(std::uint64_t items) { return (items + grain - 1) / grain * grain; }

  /// Of a group with so many items in the sample.
  [[nodiscard]] PENEIRA_HD std::uint64_t size(std::uint64_t sampled) const {
    const auto of = static_cast<double>(sampled);
    return round_up(static_cast<std::uint64_t>(ratio * (of + deviations * std::sqrt(of) + least)) + tile);
  }
  /// Of all groups together, at most.
  [[nodiscard]] std::uint64_t all(std::uint64_t sampled, std::uint32_t groups) const {
    const auto of = static_cast<double>(sampled);
    const double most = ratio * (of + deviations * std::sqrt(of * groups) + static_cast<double>(least) * groups);
    return static_cast<std::uint64_t>(most) + groups * (tile + grain);
  }
  /// Where a group begins once it is known where its items begin among all.
  PENEIRA_HD static std::uint64_t begin_again(std::uint32_t group, std::uint64_t start) {
    return round_up(start) + group * grain;
  }
};

}  // namespace peneira::detail
