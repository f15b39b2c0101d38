// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of calls over several ranks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace peneira::tuning {

/// Keys of a sample from all ranks: enough that the bins around the cuts, which are sorted before the cuts are known,
/// hold a few of a hundred items; few enough that each rank can sort it in no time. Where ranks have few items, no more
/// than a bin here and there, as a sample larger than these would take longer than it saves.
constexpr std::size_t rank_sample(std::size_t cuts, std::size_t items_a_rank) {
  const auto most =
      std::clamp<std::size_t>(std::size_t{4096} * (cuts + 1), std::size_t{16} * 1024, std::size_t{1024} * 1024);
  return std::min(most, std::max<std::size_t>(32 * (cuts + 1), 2 * items_a_rank));
}
/// Bytes of a piece from one rank to another below which ranks exchange by way of groups: it then costs more to send a
/// message than to send what is in it.
inline constexpr std::size_t rank_small_piece = std::size_t{16} << 10U;
/// Ranks from which on they do.
inline constexpr unsigned rank_two_levels = 64;
/// Standard deviations of a quantile of the sample that a bin around a cut reaches to either side.
inline constexpr double rank_sample_deviations = 2.5;
/// Bins for each rank where these would meet.
inline constexpr std::size_t rank_bins_a_cut = 16;
/// Pivots a round for each cut that is looked for: fewer rounds where there are few cuts, less to add up where there
/// are many.
constexpr std::uint64_t rank_pivots(std::size_t cuts) {
  return cuts <= 16 ? 255 : cuts <= 128 ? 63 : 15;
}
/// Bytes that strings around a cut may have in common and that one round finds.
inline constexpr std::size_t rank_common_bytes = 32;
/// Seconds that one thread takes to split, and to sort, 8 bytes of keys: the model's. On a Neoverse V1, u64.
inline constexpr double rank_split_seconds = 3.4e-9;
inline constexpr double rank_sort_seconds = 8.7e-9;
/// Keys alone are counted from so many a rank on, as the tables of frequent keys have 8,192 entries, where so many of a
/// sample are repetitions: fewer would leave more than the half of all that there is room for. CPU ms a rank, 2 ranks,
/// 2^25 u64, without and with: 13 values 150 and 50, Zipf 168 and 51 (Rocket Lake, median of 6).
inline constexpr std::size_t rank_counted_items = std::size_t{32} * 1024;
constexpr bool rank_counts(std::size_t repeated, std::size_t sample) {
  return 8 * repeated >= 5 * sample;
}
/// Bytes of a message at most.
inline constexpr std::size_t rank_message = std::size_t{16} << 20U;
/// Bytes that a rank on a GPU has on their way through its host's memory at a time, in each direction.
inline constexpr std::size_t rank_staging = std::size_t{32} << 20U;

}  // namespace peneira::tuning
