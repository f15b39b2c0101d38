// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the GPU's reductions, each with the measurement that chose it: whole calls on an H200 in microseconds, 32
// Mi items unless said, some from builds that differed in more than the one number. What lost is in docs/lab/.
#pragma once

#include <cstddef>
#include <cstdint>

namespace peneira::tuning {

/// reduce by blocks whose threads have all of their loads under way at once: threads of each, and 16-byte groups that a
/// thread has, the fewest that are enough. As many blocks as threads at most, so that each of those waits for one. f32
/// sums: 128 Ki items 4.45 with 128 x 4 and 4.56 with 256 x 4, 512 Ki 5.20 with 128 x 8 and 5.32 with 128 x 16, 1
/// Mi 5.97 with 128 x 16 and 6.03 with 256 x 8.
inline constexpr std::uint32_t reduce_row_threads = 128;
inline constexpr std::uint32_t reduce_row_loads[] = {4, 8, 16};
/// The most of these, by items of a group: the code of an operator is there for every item.
constexpr std::uint32_t reduce_most_row_loads(std::size_t group) {
  return group > 4 ? 8 : 16;
}

/// reduce by tiles: threads of a block, 16-byte groups that a thread has in flight at most, blocks on a processor. u32
/// max, 512 x 4 and 256 x 8: 4 Mi items 9.9 and 10.2, 16 Mi 22.5 and 23.2, 64 Mi 71.8 and 75.7.
struct reduce_shape {
  std::uint32_t threads;
  unsigned groups;
  std::uint32_t blocks;
};
inline constexpr reduce_shape reduce_tiled{512, 4, 4};
/// Threads of a block that does all alone, for few items and for more, and groups that each has in flight. 16,384 u32:
/// 3.8 with 1024 x 4, 4.3 with 512 x 8 and in a cluster of 8, 4.6 in two blocks; 4,096 u32: 3.70 with 1024 x 4, 3.67
/// with 256 x 4, f32 3.82 and 3.75.
inline constexpr std::uint32_t reduce_threads_alone_few = 256;
inline constexpr std::uint32_t reduce_threads_alone = 1024;
inline constexpr unsigned reduce_groups_alone = 4;
/// Bytes up to which items are loaded past the cache: 16 Mi items 23.1 so and 25.8 otherwise, 512 Mi items 508 and 481.
inline constexpr std::size_t reduce_streamed_bytes = 256 * 1024 * 1024;

/// segmented_reduce: threads of a block and blocks on a processor. 32 Mi items in 1 Mi equal segments: 48.5 with 2 x
/// 320 threads, 49.4 with 640, 48.6 with 4 x 160, 65 with 768, which leave too few registers; in 2
/// segments 43.9, 46.4, 45.3.
inline constexpr std::uint32_t segment_threads = 320;
inline constexpr std::uint32_t segment_blocks_a_processor = 2;
/// Items that a lane takes in a turn: as many as make so many bytes, but at least and at most so many. 1 Mi equal
/// segments: 48.5 with 16, 55.6 with 32.
inline constexpr std::size_t segment_lane_bytes = 64;
inline constexpr unsigned segment_least_lane_items = 4;
inline constexpr unsigned segment_most_lane_items = 16;
/// Bytes of a warp's ring of offsets; what it does not take is left to the first-level cache. Equal segments, 4 Ki and
/// 8 Ki of u32: 44.4 and 44.4 with 4,096, 43.3 and 43.4 with 2,048; 1 Mi exponential ones 51.7, 50.4, and 50.1 with
/// 1,024. 16 Mi segments, which are mostly left to tiles: 118 with 4,096, 143 with 2,048.
inline constexpr std::size_t segment_ring_bytes = 2048;
/// What a segment's end costs, in items: shares are equal in the sum of both. One giant among 16 Mi tiny segments: 115
/// with 4, 126 with 2.
inline constexpr std::size_t segment_end_cost = 4;
/// Items and ends that are worth a block of their own; not measured.
inline constexpr std::size_t segment_least_share = 4096;

/// Not very many items, a segment a few lanes: threads of a block, blocks on a processor, and loads that a thread has
/// in flight at once, or twice as many.
inline constexpr std::uint32_t each_threads = 256;
inline constexpr std::uint32_t each_blocks_a_processor = 4;
inline constexpr unsigned each_loads = 8;
/// Items of a segment, on average, from which on it is a block's, and the same of no more segments than so many for
/// each processor; threads of a processor that segments are given as lanes even if they need fewer; and items of a lane
/// beyond which a warp takes the segment. f32, a lane for 8 items and 8 times as many: 4,096 in 128 exponential
/// segments 5.3 and 4.6, 1,024 segments 4.9 and 4.4; but 131,072 in 32,768 segments, 1 lane and 16: 4.5 and 9.0.
/// 262,144 in 1,048 equal segments, a warp each and a block each: 5.8 and 7.0, exponential ones 8.7 and 7.0.
inline constexpr std::size_t each_block_items = 512;
inline constexpr std::size_t each_few_block_items = 128;
inline constexpr std::size_t each_few_blocks = 4;
inline constexpr std::size_t each_spare_threads = 512;
inline constexpr std::size_t each_lane_items = 32;
/// Items of a segment, on average, from which on it is a block's of so many threads, if each can have a processor of
/// its own. u32, 256 threads with loads of an item each before and so: 31,035 in 2 equal segments 8.06 and 5.02, 97,415
/// in 20 exponential ones 8.06 and 5.92, 242,596 in 33, a quarter of which have nearly all, 10.2 and 6.2.
inline constexpr std::size_t each_large_block_items = 2048;
inline constexpr std::uint32_t each_most_threads = 1024;
/// Items up to which nobody looks for very long segments. 65,536 f32, one giant of half of them: 11.6, merged 9.4; in
/// 2,048 equal segments 4.3 and 8.3.
inline constexpr std::size_t each_alone_items = 64 * 1024;
/// Items of a very long segment, at least; bytes of its slices, and these and very long segments at most; blocks that
/// look for them, at most, and cells that these look at. Slices as long as such a segment and 512 cells before, and so,
/// u32: 374,887 in 188 segments, half of them in one, 20.5 and 10.1; 790,494 in 934 of a power law 21.0 and 9.7; 1 Mi
/// in 100,000 with a giant 22.6 and 12.0. With segments of 16 Ki f64 as very long ones, 732,363 in 106, of which 29 are
/// such: 57.8, by a block each 8.9.
inline constexpr std::size_t each_long_items = 32 * 1024;
inline constexpr std::size_t each_slice_bytes = 64 * 1024;
inline constexpr std::size_t each_slices = 512;
inline constexpr std::uint32_t each_helpers = 128;
inline constexpr std::uint32_t each_cells = 1024;
/// Items that are few whatever their segments; items up to which they are not very many, and the same of segments that
/// are not short; segments up to which they are not, and items of a segment, on average, up to which it is not long.
/// 2 Mi u32, merged and so: in 62,501 equal segments 11.9 and 9.3, exponential ones 12.7 and 13.1, of a power law 13.5
/// and 15.7; in 977 11.5 and 8.1, 11.4 and 8.5, 11.8 and 11.4; f64 in 977 15.2 and 11.5, 15.3 and 12.2, 15.8 and 17.3.
/// 6 Mi u32 in 46,876 equal segments 16.6 and 16.0, exponential ones 17.5 and 22.3; in 2,930 16.1 and 13.1, of a power
/// law 16.7 and 19.7. 64 Ki f32 in one segment 8.1 and 24, before there were large blocks.
inline constexpr std::size_t each_few_items = 32 * 1024;
inline constexpr std::size_t each_items = 1024 * 1024;
inline constexpr std::size_t each_short_items = 32;
inline constexpr std::size_t each_longer_items = 2 * 1024 * 1024;
inline constexpr std::size_t each_segments = 512 * 1024;
inline constexpr std::size_t each_segment_items = 8 * 1024;

/// Short segments, by tiles: threads of a block, blocks on a processor, 16-byte groups that each thread loads at a
/// time. 32 Mi f32 in 4 Mi normal segments, without the second launch: 47.8 so, 55.5 with 16 blocks of 32 registers.
inline constexpr std::uint32_t segment_tile_threads = 128;
inline constexpr std::uint32_t segment_tile_blocks_a_processor = 12;
inline constexpr std::uint32_t segment_tile_loads = 5;
/// Bytes of items that a tile should have and may have at most at once, and segments at most. The same segments: 47.8
/// with 8 KB, 57 with 12 KB.
inline constexpr std::size_t segment_tile_bytes = 8192;
inline constexpr std::size_t segment_tile_most_bytes = 24576;
inline constexpr std::size_t segment_tile_most_segments = 1024;
/// Bytes of items and offsets that a tile has room for at least. 32 Mi f32 in 8 Mi segments whose sizes grow from 0 to
/// twice their average 73.0 with room for 9.7 KB of items, 60.8 with 20 KB, equal ones 57.7 and 57.0; in 22 Mi segments
/// equal ones 84.3 with 12 KB, 86.9 with 16 KB and 92.3 with 20 KB beside 4 KB of offsets.
inline constexpr std::size_t segment_tile_shared_bytes = 16 * 1024;
/// Bytes of items of a tile up to which its block reduces it alone, where it has no room for it.
inline constexpr std::size_t segment_tile_alone_bytes = 64 * 1024;
/// Bytes of a segment, on average, up to which they are short. Exponential sizes of 64 bytes: 51 by tiles, 56 without;
/// of 128 bytes 51 and 52, and with a giant among them 53 and 50.
inline constexpr std::size_t segment_tile_segment_bytes = 64;
/// Items and segments together from which on a second launch is worth its time: 1,024 items in 512 segments 5.7 by
/// tiles, 6.4 without.
inline constexpr std::size_t segment_tile_least = 1024;
/// Items of a segment beyond which a warp takes it instead of a lane; not measured.
inline constexpr std::uint32_t segment_tile_lane_items = 128;
/// One tile without room: bytes of a chunk of it, and chunks at most of all items; blocks of which one takes chunks;
/// and tiles for each block that the device has at once, below which there are none (not measured). A giant among 4 Mi
/// and 16 Mi segments: 58.2 and 84.1 with 32 KB and every fourth block, 57.3 and 84.5 with every second, 60.2 and 82.7
/// with every eighth, 64.0 and 83.2 with 64 KB.
inline constexpr std::size_t segment_chunk_bytes = 32768;
inline constexpr std::size_t segment_most_chunks = 4096;
inline constexpr std::uint32_t segment_chunk_blocks = 4;
inline constexpr std::size_t segment_chunk_tiles = 4;
/// Long segments of such a tile at most; with more of them all is left to the kernel behind.
inline constexpr std::uint32_t segment_most_long = 8;
/// Copies of the notes that all blocks look at, each in another line of the cache. Exponential sizes, 4 Mi and 16 Mi
/// segments: 49.8 and 77.2 with 16, 53.3 and 79.3 with one.
inline constexpr std::uint32_t segment_flag_copies = 16;

/// The same for small segments of one size: threads of a block, blocks on a processor, 16-byte groups that each thread
/// loads at a time. Segments of 16 items: 42.0 with 3 x 512 x 4, 42.4 with 2 blocks, 42.4 with 2 groups.
inline constexpr std::uint32_t even_threads = 512;
inline constexpr std::uint32_t even_blocks_a_processor = 3;
inline constexpr std::uint32_t even_loads = 4;

}  // namespace peneira::tuning
