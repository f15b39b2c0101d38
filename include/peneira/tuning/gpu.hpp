// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the GPU engines, each with the measurement that chose it (H200; docs/multisplit.md has the log).
#pragma once

#include <cstddef>
#include <cstdint>

namespace peneira::tuning {

/// Threads of a block that splits tiles.
inline constexpr std::uint32_t tile_threads = 512;

/// Bytes of a tile: of a large one whose order is kept, of a large one in any order, and of a small one. Long runs a
/// bin matter more than the number of blocks on a processor, registers that spill cost more than both.
inline constexpr std::size_t stable_tile_bytes = 64 * 1024;
inline constexpr std::size_t any_tile_bytes = 48 * 1024;
inline constexpr std::size_t small_tile_bytes = 16 * 1024;

/// Bins that one pass splits into at most: one a thread.
inline constexpr std::uint32_t tile_bins = tile_threads;

/// Bins times chains of a tile whose order is kept: more chains mean less waiting and longer scans.
inline constexpr std::size_t tile_chained_bins = 256;

/// Bins below which keeping the order costs nothing. 64 Mi u32, 2 bins: 230 G items/s kept, 222 not; 32 bins: 208, 226.
inline constexpr std::uint32_t any_order_bins = 8;

/// Columns of counters a bin, of a tile in any order.
inline constexpr std::uint32_t most_tally_columns = 4;

/// Bits of a bin's number that one of several passes splits by.
inline constexpr unsigned tile_digit_bits = 8;

/// Blocks of threads that count, and their threads.
inline constexpr std::uint32_t count_threads = 1024;

}  // namespace peneira::tuning
