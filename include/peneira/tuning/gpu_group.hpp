// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of group_by's tables on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>

namespace peneira::tuning {

/// Warps of a block at most, and so many at least: where they would not fit, each has a smaller table.
inline constexpr std::uint32_t tables_most_warps = 16;
inline constexpr std::uint32_t tables_least_warps = 8;
/// Bytes of what groups have gathered that a warp has room for.
inline constexpr std::size_t tables_warp_bytes = std::size_t{16} * 1024;
/// The same where items were split into parts, so many of them, by a hash; items from which on they are, and groups of
/// a part that are expected at most, of those that it has room for: some have more than others.
inline constexpr std::size_t tables_part_bytes = std::size_t{20} * 1024;
inline constexpr std::uint32_t tables_parts = 512;
inline constexpr std::size_t tables_parts_items = std::size_t{16} * 1024 * 1024;
inline constexpr float tables_part_full = 0.9F;
/// Items that take a block as long as what it does for a part by itself.
inline constexpr std::size_t tables_part_extra = 8192;
/// Samples of the keys that are looked at, threads of the block that looks at one, keys of each, and slots of its
/// table.
inline constexpr std::uint32_t group_surveys = 32;
inline constexpr std::uint32_t group_survey_threads = 1024;
inline constexpr std::uint32_t group_survey_keys = 8;
inline constexpr std::uint32_t group_survey_slots = 16384;
/// Groups at most, also of those that gather nothing.
inline constexpr std::size_t tables_most_groups = 4096;
/// Groups that share a place in a table: more are made to collide.
inline constexpr unsigned tables_chain = 24;
/// Rows of a tile: items that each lane has on its way; and of larger states.
inline constexpr unsigned tables_rows = 8;
inline constexpr unsigned tables_few_rows = 2;
/// Items from which on tables are tried.
inline constexpr std::size_t tables_items = std::size_t{512} * 1024;
/// Threads of a block that merges what blocks have gathered, a warp a group.
inline constexpr std::uint32_t merge_threads = 256;

}  // namespace peneira::tuning
