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
