// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the GPU's histogram, scan, partition, runs, gather, top_k and segmented_sort. Most were chosen by
// what they mean, and not yet measured one by one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace peneira::tuning {

/// histogram: threads of a block, groups of 16 bytes that each has on its way, and items below which a block is not
/// worth its start.
inline constexpr std::uint32_t histogram_threads = 1024;
inline constexpr std::uint32_t histogram_loads = 4;
inline constexpr std::size_t histogram_block_items = 8 * 1024;
/// Bytes that copies of a table may take, and items that a counter must have to get another copy.
inline constexpr std::size_t histogram_table_bytes = 128 * 1024;
inline constexpr std::size_t histogram_items_a_counter = 8;
/// Passes over the items at most, where a block has tables of some bins at a time.
inline constexpr std::size_t histogram_passes = 8;
/// Weights of a thread that are on their way at a time.
inline constexpr std::uint32_t histogram_weights = 4;
/// The same without tables: threads of a block and blocks on a processor.
inline constexpr std::uint32_t histogram_global_threads = 512;
inline constexpr std::size_t histogram_global_blocks = 4;

/// gather and scatter: threads of a block, positions that each has on its way, and blocks on a processor.
inline constexpr std::uint32_t gather_threads = 256;
inline constexpr std::uint32_t gather_together = 4;
inline constexpr std::size_t gather_blocks = 32;

/// scan: threads of a block, and blocks on a processor, of values of up to 4 bytes and of wider ones, whose registers
/// would spill otherwise; items of a thread and bytes of them, at most.
inline constexpr std::uint32_t scan_threads = 256;
constexpr std::uint32_t scan_blocks(std::size_t value_bytes) {
  return value_bytes <= 4 ? 4 : 3;
}
inline constexpr std::size_t scan_lane_items = 32;
inline constexpr std::size_t scan_lane_bytes = 128;

/// partition from both ends, and unique and run_lengths: the same.
inline constexpr std::uint32_t partition_threads = 256;
inline constexpr std::uint32_t partition_blocks = 4;
inline constexpr std::size_t partition_lane_items = 16;
inline constexpr std::size_t partition_lane_bytes = 64;
inline constexpr std::uint32_t runs_threads = 256;
inline constexpr std::uint32_t runs_blocks = 4;
inline constexpr std::size_t runs_lane_items = 16;
inline constexpr std::size_t runs_lane_bytes = 64;

/// The fold of sorted items by group_by: threads and blocks, and items of a lane, in so many rows, of which it gathers
/// so many bytes: what fits the registers of a thread.
inline constexpr std::uint32_t fold_threads = 256;
constexpr std::uint32_t fold_blocks(std::size_t state_bytes) {
  return state_bytes <= 32 ? 2 : 1;
}
inline constexpr std::size_t fold_lane_items = 16;
inline constexpr unsigned fold_lane_rows = 4;
inline constexpr std::size_t fold_lane_bytes = 128;

/// top_k: threads of a block that takes items, and blocks on a processor: those that take candidates, by the bytes of a
/// count, and those that take the wanted ones, since registers would spill otherwise; keys of a thread at a time, and
/// bytes of them, at most.
inline constexpr std::uint32_t select_threads = 256;
constexpr std::uint32_t select_blocks(std::size_t count_bytes) {
  return count_bytes <= 4 ? 4 : 3;
}
inline constexpr std::uint32_t take_blocks = 3;
inline constexpr std::size_t select_lane_items = 16;
inline constexpr std::size_t select_lane_bytes = 64;
/// How often at most a thread has so many in a tile, and bytes of keys of which it does: fewer would be too few tiles.
inline constexpr std::uint32_t select_steps = 4;
inline constexpr std::size_t select_steps_bytes = std::size_t{64} * 1024 * 1024;
/// Threads of a block that counts digits, bytes that copies of its table may take, keys below which another block is
/// not worth it, and keys of each thread of the one that samples.
inline constexpr std::uint32_t select_find_threads = 1024;
inline constexpr std::size_t select_table_bytes = 64 * 1024;
inline constexpr std::size_t select_block_items = 4 * 1024;
inline constexpr std::uint32_t select_sample_keys = 8;
/// Keys of each thread of a block that selects by itself, at most.
inline constexpr std::uint32_t select_block_keys = 8;
/// Bytes of keys from which a sample is taken: fewer stay in the cache while their digits are counted.
inline constexpr std::size_t select_sampled_bytes = std::size_t{16} * 1024 * 1024;
/// A sample is taken of more than so many times k, and a sort of all items is taken of fewer, or of so few.
inline constexpr std::size_t select_share = 4;
inline constexpr std::size_t top_k_sorted_items = 32 * 1024;

/// segmented_sort: items, and segments, up to which each item is placed by counting. u32, us so and by tasks: 1 item in
/// 1 segment 4.4 and 11.1, 1,000 in 30 5.1 and 15.7, 4,096 in 1 10.2 and 19.2, in 64 6.2 and 22.2.
inline constexpr std::size_t enumerated_segment_items = 4096;

/// The same of larger ones: threads of a block that packs segments into tasks, segments of each at most, and blocks on
/// a processor; the same of one that sorts such a task, and its items.
inline constexpr std::uint32_t pack_threads = 512;
inline constexpr std::uint32_t pack_segments = 8;
inline constexpr std::uint32_t pack_blocks = 3;
inline constexpr int packed_threads = 512;
inline constexpr int packed_items = 8;
/// Of narrow items three take a tenth less on an H200 than two; of wide ones registers would spill.
constexpr int packed_blocks(std::size_t key_bytes, std::size_t value_bytes) {
  return key_bytes <= 4 && value_bytes <= 4 ? 3 : 2;
}
/// Keys of a bucket from which on a packed task is sorted digit by digit.
inline constexpr std::uint32_t packed_crowd = 96;
/// Threads of a block that sorts a task of short segments, items of such a task at least, and blocks on a processor.
/// Four blocks of pairs, with fewer registers, take a fifth more on an H200 than three for segments of 30 and a
/// twentieth less for those of 100; two of wide keys a tenth to a fifth more.
inline constexpr int short_threads = 256;
inline constexpr std::size_t short_least = 512;
constexpr int short_blocks(std::size_t key_bytes, std::size_t value_bytes) {
  return key_bytes <= 4 && value_bytes == 0 ? 4 : 3;
}

}  // namespace peneira::tuning
