// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a sample of the input is, and what becomes of bins whose places were guessed from it.
#pragma once

#include <cmath>

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"

namespace peneira::detail {

inline constexpr unsigned groups_of_sampled_line = 8;

/// How many items the sample has.
PENEIRA_HD constexpr std::size_t sampled_items(std::size_t items, std::uint32_t lines, std::size_t key_bytes) {
  const std::size_t line = groups_of_sampled_line * static_cast<std::size_t>(items_of_16_bytes(key_bytes));
  return items / (lines * line) * line;
}

/// The line of the input that the sample has of every `lines`: not always the same of them, or keys with a period would
/// mislead.
PENEIRA_HD constexpr std::size_t sampled_line(std::size_t stratum, std::uint32_t lines) {
  const std::uint32_t mixed = static_cast<std::uint32_t>(stratum) * 0x9E3779B1U;
  return stratum * lines + (mixed >> 16U) % lines;
}

/// How much room each of several groups gets before it is known how large they are: what a sample makes one expect, and
/// a little more. What does not fit goes to a spare array that all groups share, which takes less memory than room for
/// the worst of each.
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

/// Where a bin was guessed to be, and where it is.
struct guessed_bin {
  std::uint64_t guessed;  ///< where its items were written
  std::uint64_t filled;   ///< how many of them are there
  std::uint64_t begin;    ///< where they have to be
  std::uint64_t count;    ///< how many there are

  /// Of the items that are there, those that lie before the bin, and those that lie behind it.
  [[nodiscard]] PENEIRA_HD item_range strays_before() const {
    return {guessed, larger(guessed, smaller(guessed + filled, begin))};
  }
  [[nodiscard]] PENEIRA_HD item_range strays_behind() const {
    return {smaller(guessed + filled, larger(guessed, begin + count)), guessed + filled};
  }
  /// Places of the bin that have no item of it: before those that have, and behind them.
  [[nodiscard]] PENEIRA_HD item_range holes_before() const {
    return {begin, larger(begin, smaller(begin + count, guessed))};
  }
  [[nodiscard]] PENEIRA_HD item_range holes_behind() const {
    return {larger(holes_before().end, smaller(guessed + filled, begin + count)), begin + count};
  }

 private:
  PENEIRA_HD static std::uint64_t smaller(std::uint64_t a, std::uint64_t b) { return a < b ? a : b; }
  PENEIRA_HD static std::uint64_t larger(std::uint64_t a, std::uint64_t b) { return a < b ? b : a; }
};

/// The same holes, for items to count through.
struct bin_holes {
  std::uint64_t before;  ///< the first
  std::uint64_t count;   ///< of those before
  std::uint64_t behind;  ///< the first of the others

  PENEIRA_HD static bin_holes of(const guessed_bin& bin) {
    const item_range first = bin.holes_before();
    return {first.begin, first.end - first.begin, bin.holes_behind().begin};
  }
  [[nodiscard]] PENEIRA_HD std::uint64_t operator[](std::uint64_t k) const {
    return k < count ? before + k : behind + (k - count);
  }
};

}  // namespace peneira::detail
