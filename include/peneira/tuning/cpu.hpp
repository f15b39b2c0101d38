// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the CPU engines, each with the measurement that chose it: u32 keys, n = 2^27, 2 threads, on an Emerald
// Rapids (48 KiB, 2 MiB) and a Neoverse V1 (64 KiB, 1 MiB); G items/s of the scatter alone. CL is a Cascade Lake (32
// KiB, 1 MiB), MI a Milan (32 KiB, 512 KiB). What lost is in docs/lab/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace peneira::tuning {

#if defined(__x86_64__)
inline constexpr bool on_x86 = true;
#else
inline constexpr bool on_x86 = false;
#endif

/// Items below which one thread and a plain loop win, where nothing else is known of the work.
inline constexpr std::size_t cpu_sequential_items = 1U << 16U;

/// Of a split, items below which that is so whatever the bins; from there on not where bins have as many items as this
/// on average. us of u32 by the plain loop and by buffers on two threads: 11.1 and 6.5 of 4,096 into 16 bins, 50.5 and
/// 20.3 of 16,384, 97.6 and 33.9 of 32,768; into 256 bins 49.4 and 54.0 of 16,384, 55.1 and 80.9 of 32,768 (ER). Not
/// measured on other processors.
inline constexpr std::size_t cpu_few_items = on_x86 ? 1U << 12U : cpu_sequential_items;
inline constexpr std::size_t cpu_few_items_a_bin = 256;

/// The same where bins have few items on average. us of uniform u32 by one thread's loop and by what was taken on two:
/// 507 and 1,640 of 88,778 into 142,253 bins, 217 and 430 of 90,639 into 6,439, 862 and 1,245 of 161,835 into 144,323
/// (V1, busy).
inline constexpr std::size_t cpu_scarce_items = 1U << 18U;
inline constexpr std::size_t cpu_scarce_items_a_bin = 16;

/// How many times as long as one of ours a bin function of a caller's is taken to need: it is worth threads earlier,
/// whatever lines they share, and the rather not asked twice as often for a second level. ns an item by what was taken
/// for a function of ours and by a plain loop on all threads, by the remainder of a key: 9.1 and 4.2 (4,871 u32 into 16
/// bins), 11.4 and 4.9 (44,330 into 8,192), 13.5 and 5.8 (12 Mi into 16,385), 24.7 and 9.8 (1.4 M u64 into 131,072;
/// CL). Not measured on others.
inline constexpr std::size_t cpu_callers_cost = on_x86 ? 4 : 1;

/// Keys whose bins are computed together, in registers. Four against eight took the scatter into 256 bins from 0.49 to
/// 0.56 (V1, 1 thread); sixteen, as vectors through memory, from 0.96 to 0.71 (ER, 16 bins).
inline constexpr std::size_t cpu_batch = 4;

/// Columns of output (bins, twice for pairs) up to which items go straight to their place, though not with two bins. 16
/// bins: 1.01 straight, 0.79 through buffers; 64 bins: 0.98 and 0.80 (whole call, V1, which merges stores by itself).
/// Never on x86: 16 bins on 16 threads, 1.3 straight, 1.9 through buffers (ER).
inline constexpr std::size_t cpu_direct_columns = on_x86 ? 0 : 64;

/// On x86: bins from which items that the caches hold (cpu_cached_bytes) go straight to their place, and the bytes of
/// keys for a bin that are worth one more thread on average, the second of few items (twice that of pairs): lines that
/// two threads write to go back and forth. ns an item on two threads, straight and through buffers: 1.97 and 1.91
/// (262,144 u32 into 64 bins), 1.85 and 2.11 (128), 1.85 and 3.03 (512), 2.14 and 3.31 (1,000), 3.28 and 4.23 (8,000,
/// 64 bytes each); 131,072 into 8,000 4.74 and 5.16; 131,072 u64 into 512 4.11 and 5.69 as pairs; 32,768 u32 into 1,000
/// 4.48, 3.45 and, by one thread's loop, 3.67; 16,384 into 128 2.32, 2.58 and 3.46 (CL).
inline constexpr std::uint32_t cpu_cached_bins = on_x86 ? 128 : 0xFFFFFFFFU;
inline constexpr std::size_t cpu_direct_part = 64;
inline constexpr std::size_t cpu_direct_few_part = 128;

/// Bytes of all buffers of a thread that are shared out as lines of the bins. 256 bins: 8 lines 0.85, 1 line 0.61 (ER);
/// 1,024 bins: 2 lines 1.03, 1 line 0.84 (V1).
inline constexpr std::size_t cpu_buffer_bytes = 128 * 1024;
/// Bins that would get fewer lines than this get one that carries its own fill count. 1,024 bins on 16 threads: 3.2 so,
/// 1.4 with 2 lines; 12,288 bins: 2.2 so, 1.9 without the count (ER). On other processors never: 4,096 bins on one
/// thread 0.24 so, 0.31 without, since the count waits for the store before it (V1).
inline constexpr std::size_t cpu_least_lines = on_x86 ? 4 : 1;
/// With AVX-512: bins up to which each bin's keys of a vector are compressed, and slots of their buffers. A whole call,
/// ns an item on one of 16 threads: 4 bins 1.6 so and 2.2 by `held`; 8 bins 3.1 and 2.1 (ER).
inline constexpr std::uint32_t cpu_compressed_bins = 4;
inline constexpr std::size_t cpu_compressed_items = 512;
/// With AVX-512: bins up to which their slots are lanes of a register, and slots of their buffers. 16 bins, scatter
/// alone on one of 2 and of 16 threads: 1.19 and 1.48 so, 1.45 and 1.83 by a table; with 512 slots 1.24 and 1.54 (ER).
inline constexpr std::uint32_t cpu_held_bins = 16;
inline constexpr std::size_t cpu_held_items = 256;
/// With AVX-512: bytes of all buffers of a thread up to which these have four lines and a table of slots; beyond, lines
/// carry their counts. On one of 2 and of 16 threads, so and with counts: 2.24 2.56 and 2.62 3.05 (1,024 bins), 2.28
/// 2.89 and 2.69 3.11 (2,048), 2.95 4.67 and 2.63 3.39 (4,096; ER).
inline constexpr std::size_t cpu_placed_bytes = 512 * 1024;
/// Bins from which slots are asked for a vector ahead. On one of 2 and of 16 threads, so and not: 2.09 2.38 and 1.85
/// 1.98 (256 bins), 2.14 2.56 and 2.62 2.67 (512), 2.24 2.56 and 3.29 3.53 (1,024; ER).
inline constexpr std::uint32_t cpu_fetched_bins = 512;
/// Threads from which slices are more than threads, the most slices of each, and the least items of a slice for each
/// bin. 16 threads with one slice each and with several, scatter alone: 2.32 and 1.98 (256 bins, 8 slices), 3.32
/// and 2.56 (1,024, 4), 3.82 and 2.89 (2,048, 4), 3.51 and 3.70 (4,096, 2, counts in lines; ER).
inline constexpr unsigned cpu_slicing_threads = 4;
inline constexpr std::size_t cpu_most_slices = 8;
inline constexpr std::size_t cpu_slice_items_a_bin = 1024;
/// Bins up to which their counts are bytes of a register. Counting at 2 bins, G items/s: 3.4 so and 0.8 in memory (ER,
/// 2 threads); on V1 counting pairs in memory is better.
inline constexpr std::uint32_t cpu_register_bins = on_x86 ? 8 : 0;
/// With NEON: bins up to which each has a register of byte counters. A histogram of uniform u32, ns an item on one
/// thread by pairs and so: 0.62 and 0.28 (digit, 4 bins), 0.58 and 0.49 (ranges, 2), 1.04 and 0.84 (hashed, 2); with
/// eight registers 0.62 and 0.39 (digit, 8), 0.56 and 0.59 (ranges, 5), with sixteen 0.62 and 0.62 (digit, 16), 0.55
/// and 0.87 (ranges, 16; V1).
inline constexpr std::uint32_t cpu_byte_count_bins = 4;
/// Bins up to which they are counted in four tables. A whole call into 4,096 bins with one table and four, ns an item
/// on one thread: 3.4 to 3.5 and 3.4 to 3.5 of uniform keys, 4.4 and 3.5 where seven in eight are equal, 3.2 and 2.8 of
/// Zipf keys; into 1,021 2.5 and 2.5, 4.4 and 3.4, 3.2 and 2.8 (V1). Not measured beyond 256 on x86.
inline constexpr std::uint32_t cpu_count_table_bins = on_x86 ? 256 : 4096;
/// Bins up to which weights are added up in four tables. ns an item of f32 weights on one thread, so and by a plain
/// loop with one: 0.83 and 0.71 of uniform keys into 1,024 bins, 0.73 and 1.91 of Zipf keys, 1.09 and 3.36 where seven
/// in eight are equal; with one table of 4,096 bins 0.89 and 0.88, 1.92 and 1.91, 3.24 and 3.38 (V1).
inline constexpr std::uint32_t cpu_weight_table_bins = 1024;
/// Bins up to which one thread counts in such tables on its stack, 8 KiB, and the least items a bin and in all. ns of a
/// call so and without: 2,050 and 3,234 of 850 u32 of three values into 2 bins, 1,567 and 1,797 into 16, 7,273 and
/// 8,341 of 4,000 into 128, 7,702 and 8,723 into 512; 1,520 and 1,616 of 850 uniform ones into 4 (V1).
inline constexpr std::size_t cpu_stack_count_bins = 512;
inline constexpr std::size_t cpu_stack_count_items = 4;
inline constexpr std::size_t cpu_stack_count_least = 32;
/// Whether counters for so many bins have 16 bits, so that those of two hardware threads fit the first-level cache of a
/// core; emptying them every 64 Ki items is little for so few.
/// Counting 12,288 bins on 16 threads, ns an item of a thread: 1.05 so, 1.7 with 32 bits; no difference on 2 threads,
/// nor with 4,096 bins (ER). Not measured on other processors.
constexpr bool cpu_short_counters(std::size_t bins) {
  return on_x86 && bins >= 6144 && bins <= 16384;
}
/// Bins from which full buffers wait, so many at a time, until their place in the output is at hand; they then have two
/// lines, or four if those of all bins are not more than so many bytes. ns an item on one thread at once and deferred,
/// two lines and four: 1.80 2.37 and 1.81 1.96 (1,024 bins), 2.43 2.88 and 2.31 2.28 (2,048), 2.97 3.06 and 2.53 2.46
/// (4,096), 3.64 4.35 and 3.37 3.87 (12,288; V1 with pages of 4 KiB below those of the system). Not measured on x86.
inline constexpr std::uint32_t cpu_deferred_bins = on_x86 ? 0xFFFFFFFFU : 2048;
inline constexpr std::size_t cpu_deferred_bytes = 1024 * 1024;
inline constexpr std::size_t cpu_deferred = 8;
/// More lines than this no longer help: 64 bins, 4 lines 0.73, 8 lines 0.79 (ER).
inline constexpr std::size_t cpu_most_lines = 8;

/// Bytes of items from which buffers are in huge pages, since a core translates few pages for stores: it asks for so
/// much temporary memory that the heap gives such. A whole call with pages of 4 KiB and of 2 MiB, ns an item of a
/// thread: 3.65 and 2.96 (256 bins, 2 threads), 4.79 and 4.31 (12,288), 3.46 and 3.23, 6.36 and 5.59 (16 threads; ER).
/// On V1 nothing below 12,288 bins.
inline constexpr std::size_t cpu_huge_bytes = on_x86 ? 256 * 1024 * 1024 : 0xFFFFFFFFFFFFFFFFU;

/// Threads of which so many do not go straight to their places in so many bins, or leave all to one of them, though
/// caches hold the items, if there are so many for each bin; and bins of which so many are split in two levels where so
/// few items do not fill lines of buffers. G items/s on 16 threads, by one, straight, by buffers and in two levels:
/// 100,000 u32 into 3,358 bins 0.19 0.20 0.36 0.86, into 13,514 0.16 0.18 0.19 0.75. Straight, by buffers and in two
/// levels: 48,000 u32 into 1,000 0.34 0.39 0.46, 100,000 into 255 1.61 1.42 0.31, into 1,000 0.53 0.62 0.80, into 5,000
/// 0.22 0.32 0.68; 100,000 pairs of u64 into 255 1.08 0.88 0.26, into 1,000 0.46 0.62 0.13, into 5,000 0.13 0.25 0.55;
/// 400,000 into 5,000 0.44 0.34 0.66; 2 Mi into 1,000 1.03 0.73 to 1.29 0.49 (ER).
inline constexpr unsigned cpu_split_team = 5;
inline constexpr std::uint32_t cpu_split_team_bins = 512;
inline constexpr std::size_t cpu_split_team_items_a_bin = 4;
inline constexpr std::uint32_t cpu_two_level_bins = 2048;
inline constexpr std::size_t cpu_two_level_items_a_bin = 100;
/// Bytes of output from which full buffers are streamed past the cache. 64 bins: 0.60 streamed, 0.33 not (ER).
inline constexpr std::size_t cpu_stream_bytes = 16 * 1024 * 1024;
/// The same of a multisplit whose threads have so many second-level caches of it, if that is less. One thread with 1
/// MiB, ns an item, streamed and not: 1 Mi u32 into 64 bins 2.5 and 4.1, into 4,096 4.1 and 7.8; 500,000 u32 into
/// 64 4.1 and 3.4, into 4,096 8.3 and 6.6; 300,000 u64 into 64 5.0 and 8.1 (CL). Not measured on others.
inline constexpr std::size_t cpu_stream_caches = on_x86 ? 2 : 1024;
/// Bytes that so many threads with such second-level caches have at hand.
constexpr std::size_t cpu_cached_bytes(std::size_t l2, unsigned threads) {
  return std::min(cpu_stream_bytes, cpu_stream_caches * l2 * threads);
}
/// Bytes from which a multisplit is streamed: what is more than that where these caches are large.
constexpr std::size_t cpu_streamed_bytes(std::size_t l2, unsigned threads) {
  return l2 >= 1024 * 1024 ? cpu_cached_bytes(l2, threads) : cpu_stream_bytes;
}

/// Second-level caches that a line of every bin may fill, and bytes beyond one of them. ns an item through buffers and
/// in two levels: 4.5 and 6.9 (64 M u32 into 32,000 bins, two caches), 5.4 and 7.1 (45,000, three), 8.3 and 10.4 (64 M
/// u64 into 45,000), 13.6 and 11.2 (8 M u64 pairs into 30,000, four; CL). Not measured on others.
inline constexpr std::size_t cpu_line_caches = on_x86 ? 3 : 1;
inline constexpr std::size_t cpu_line_bytes = 3 * 1024 * 1024;

/// Bytes of the last-level cache, or all of it if that is less, in which items and a line of every bin lie so that they
/// go straight to their place and not in two levels. ns an item on two threads so and in two levels: 3.9 and 10.7 (1 M
/// u32 into 65,536 bins), 6.4 and 11.2 (3 M), 7.1 and 8.7 (8 M), 6.2 and 10.2 (3 M into 300,000), 13.3 and 10.6 (into a
/// million), 6.8 and 14.8 (1 M u64 into 65,536), 7.3 and 13.7 (3 M), 13.8 and 15.0 (3 M into 300,000; MI, 32 MiB). Not
/// measured on others.
inline constexpr std::size_t cpu_last_cache_bytes = on_x86 ? 32 * 1024 * 1024 : 0;

/// Coarse bins of a split in two levels when the bins are too many to share out evenly.
inline constexpr unsigned cpu_most_coarse_bits = 11;

/// Bytes of a run from which one thread combines it in four streams. 2^27 f32 on 2 threads: 67 GB/s in four streams of
/// four packs, 61 in eight, 53 in one; runs of 32 KiB: no faster in four streams than in one (V1).
inline constexpr std::size_t cpu_stream_run_bytes = 128 * 1024;

/// The least bytes of items that are worth one more thread: 128 KiB take 1.9 us on one thread and 2.0 on two, 256
/// KiB 3.7 and 3.0, 512 KiB 7.4 and 4.9 (V1).
inline constexpr std::size_t cpu_least_slice_bytes = 128 * 1024;
/// The same for sorts and splits, which take several times as long for a byte. us of a call on 1, 2, 4, 8 and 16
/// threads: 130 71 40 27 and 22 of 70,000 u32 into 16 bins, 282 149 76 56 and 37 of 150,000 (ER). Of partitions and
/// gathers on one thread and on two: 48.4 and 26.2, 31.0 and 17.5 of 32,000 u64 (CL).
inline constexpr std::size_t cpu_least_split_bytes = 32 * 1024;

/// The fewest items that are worth one more thread of a histogram. us on one thread and on two: 48.8 and 25.8 of 32,000
/// u32 into 4 bins, 59.7 and 26.3 into 1,000, 95.5 and 50.1 of as many u64 into 64 (CL).
inline constexpr std::size_t cpu_least_counted_items = 4 * 1024;

/// The threads of a call, of those that it may have: each has at least so much of the work.
constexpr unsigned cpu_threads(std::size_t work, std::size_t least, unsigned threads) {
  return static_cast<unsigned>(std::clamp<std::size_t>(work / least, 1, std::max(1U, threads)));
}
/// Items below which a plain loop is as good as anything: 16 floats take 0.080 us by it and 0.085 by vectors, 32 take
/// 0.092 and 0.086 (V1). A loop over more would also round more often than cpu_short_steps allow.
inline constexpr std::size_t cpu_plain_reduce_items = 16;
/// Items that one accumulator of a block combines: few where each may round, so that a sum is as close as a pairwise
/// one, and many where the grouping cannot show. A million times 0.1 is 100000.016, 100000.008 and 100000 as f32 with
/// 16, 8 and 4 of them, and 100000.008 by numpy; as f64, 100000.00000000003, 100000 and 100000, and 100000.00000000003.
inline constexpr std::size_t cpu_rounding_steps = 8;
inline constexpr std::size_t cpu_exact_steps = 128;
/// The same for short segments.
inline constexpr std::size_t cpu_short_steps = 16;
/// Chunks of a run that a thread has at most: with at least half as many, one chunk more or less is 3 % of its work.
inline constexpr std::size_t cpu_fold_chunks = 64;

/// Bytes of a chunk of a scan, of its items or results, whichever are wider: a second-level cache has room for both. No
/// other size was measured.
inline constexpr std::size_t cpu_scan_chunk_bytes = 128 * 1024;
/// Items below which a plain loop is as good as anything. Not measured.
inline constexpr std::size_t cpu_plain_scan_items = 64;

/// Segments whose sizes are looked at together, to choose how they are combined. 1 Mi equal segments of 32 Mi f32 on
/// one thread: 20 GB/s in blocks of 256, 21 of 1,024, 28 of 4,096, 29 of 16,384 (V1). 1 Mi segments of normal sizes, G
/// items/s on one thread: 3.7 if windows begin anew every 1,024 segments, 4.3 every 4,096, 4.7 every 16,384 (V1).
/// How segments are combined must not depend on the threads. So blocks are counted from the first segment, and a thread
/// that begins or ends within one looks at all of it; they are smaller where segments are few, so that this takes no
/// time: one part in so many of all, but not fewer than this.
inline constexpr std::size_t cpu_segment_block = 16384;
inline constexpr std::size_t cpu_segment_blocks = 32;
inline constexpr std::size_t cpu_least_segment_block = 4096;
/// Segments of up to four items, all of one size, whose offsets are read before their items are. 16 Mi segments of 2
/// f32 on two threads, G items/s: 8.8 in blocks of 64, 9.0 of 128, 8.9 of 256, 9.1 of 512, 8.2 of 1,024, 7.1 of
/// 16,384; 9.7 if each offset is checked with its items, which not every type's loop can do as vectors (V1).
inline constexpr std::size_t cpu_tiny_block = 512;
/// Segments of a mixed block that are looked at for equal sizes. Half of 32 Mi f32 in one segment and the others 64
/// items each, one of them in 4,096 an item more: 0.72 of a reduce's rate without this, 0.80 with it (V1, one thread).
inline constexpr std::size_t cpu_segment_part = 1024;
/// Of mixed segments, what windows of two, four, eight and sixteen packs cost, and a segment that outgrows them beside
/// that, in half cycles. Cycles a segment in cache, f32 sums and u64 sums: 3.0 4.4 6.6 11 and 4.1 4.4 6.7 13 of 1 to 3
/// items; of exponential sizes 3.2 4.4 6.7 11 and 5.9 4.8 6.7 13 (2 on average), 3.5 4.7 6.7 11 and 16 5.7 7.2 13 (4),
/// 8.4 5.0 7.1 11 and 27 11 8.4 14 (8), 20 10 8.1 12 and 33 22 15 17 (16), 26 23 15 14 and 41 30 28 24 (32), 32 30 30
/// 24 and 55 38 38 39 (64), 46 42 40 39 and 81 61 60 63 (128); of 1 or 2 items, but one in ten of 100, 5.1 6.4 8.6 13
/// and 11 9.0 11 18 (V1, one thread). As runs of their own 14 and 10 of 1 to 3, 58 and 68 of 128 on average.
inline constexpr std::size_t cpu_window_levels = 4;
inline constexpr std::size_t cpu_window_costs[cpu_window_levels] = {6, 9, 14, 26};
inline constexpr std::size_t cpu_outgrown_cost = 26;
/// Bytes of segments up to which windows suit them; if most have more, each segment is a run of its own. Of 512 f32
/// from memory there is no difference (V1).
inline constexpr std::size_t cpu_windowed_bytes = 1024;
/// With AVX-512: windows have one vector, two or four, the fewest that at most one segment in so many outgrows, of
/// those that are looked at. ns a segment of 8 items on average in cache, with one vector and two: 3.1 and 3.6 of
/// normal sizes, 5.0 and 3.7 of exponential ones, of which one in 7 has more than 16 items (ER). 8 or 32 instead of 16
/// make no difference to normal and exponential sizes.
inline constexpr std::size_t cpu_few_segments = 16;
/// Of mixed segments one in so many is looked at, but no fewer than this of few.
inline constexpr std::size_t cpu_sampled_step = 16;
inline constexpr std::size_t cpu_least_sample = 16;
/// Segments below which each is combined by itself, without a look at all of them first. ns a call so and by windows:
/// 15 and 50 of 50 u32 in one segment, 99 and 186 of 300 in 30, 138 and 272 of 1,000 in 25 (V1).
inline constexpr std::size_t cpu_looked_at_segments = 128;
/// Bytes ahead of where a reduce reads that are asked for; 0: none. GB/s of 2 and of 16 threads without, 1 KiB and 2
/// KiB ahead: 20.4 140, 25.3 180 and 25.3 180 (u32 max), 24.0 166, 26.2 194 and 26.1 200 (f32 sum; ER). On a V1 a
/// reduce reads as fast as the memory without.
inline constexpr std::size_t cpu_fold_ahead_bytes = on_x86 ? 2048 : 0;
/// With AVX-512: bytes ahead of a window that are asked for. Of the rate of a reduce without, 1 KiB, 2 KiB and 4 KiB
/// ahead, 32 Mi f32 in 1 Mi segments on two threads: 0.78 0.89 0.89 0.89 of normal and 0.71 0.80 0.80 0.80 of
/// exponential sizes; 0.39 0.44 0.49 0.42 of exponential ones in 4 Mi (ER).
inline constexpr std::size_t cpu_ahead_bytes = 2048;
/// Bytes of a segment from which it is a run of its own among windows, and may be cut between threads. Not measured;
/// windows take it at the rate of the memory, and this is where a cut of the row of segments no longer counts.
inline constexpr std::size_t cpu_long_segment_bytes = 16384;
/// Bytes of equal segments up to which some are combined side by side. Cycles a segment, f32, so and one by one: 2.7
/// and 5.1 of 8 items, 3.9 and 6.1 of 16, 6.4 and 8.8 of 32 in cache, where the memory is slower so: 0.60 of a reduce's
/// rate against 0.75 (V1).
inline constexpr std::size_t cpu_side_by_side_bytes = 64;
/// Items of segments, with what segments cost, that are worth one more thread. Not measured; reduce's measure, halved.
inline constexpr std::size_t cpu_least_share = 16 * 1024;
/// Items that a segment costs as much as, then: 2.5 ns where segments differ, while items take 0.06 to 0.5 (CL).
inline constexpr std::size_t cpu_segment_items = 4;

/// Items up to which a sort inserts them one by one. A call of u32, ns: 5 items 31 so and 52 by counting, 6 39 and 43,
/// 8 59 and 47, 10 82 and 50 (V1). Times of the better of std::sort and ips4o over a call's, so and by counting: 8 u32
/// 1.07 and 1.18, 10 1.09 and 1.31, 8 u64 1.12 and 0.83, 10 1.03 and 0.94, 12 1.00 and 1.27; of organ pipes, which
/// branches foresee, 8 u32 1.40 and 0.26, 12 1.16 and 0.38 (CL).
inline constexpr std::size_t cpu_sort_few = on_x86 ? 8 : 6;
/// With vectors: items from which those with values are sorted as words of a rank and a position, by the bytes of a
/// rank. ns an item so and otherwise: 9.3 and 9.1 (12 u32 with u32), 7.9 and 7.9 (16), 5.7 and 6.6 (24), 5.4 and 7.5
/// (48); 11.2 and 14.2 (12 u64 with u64), 10.7 and 15.1 (16), 7.3 and 21 (32; MI).
constexpr std::size_t cpu_sort_words(std::size_t rank_bytes) {
  return rank_bytes <= 4 ? 16 : 0;
}
/// Items up to which it looks first, before all else, whether they are sorted. Sorted ones of u32, ns: 8 items 12 so
/// and 42 without, 12 16 and 37 (SPR).
inline constexpr std::size_t cpu_sort_few_sorted = 16;
/// Items from which a small sort looks whether they ascend and then descend. ns of u32 so and without: 40 194 and 277,
/// 60 276 and 443, of random ones 278 and 277, 423 and 441; of 16 97 and 82, random ones 99 and 85 (CL).
inline constexpr std::size_t cpu_sort_turned = 32;
/// Items of a small sort that are put in order by counting those that are less: 32 u32 take 4.2 ns an item so, and 4.9
/// in halves that are merged; of four times as many, each level of merging 1.3 to 1.6 (V1).
inline constexpr std::size_t cpu_sort_counted = 32;
/// Bytes of items up to which the second copy of a sort is on the stack: the aligned heap takes 80 ns (V1).
inline constexpr std::size_t cpu_sort_stack_bytes = 8 * 1024;
/// Items from which a sort is worth a team of threads. Not measured; where a split is.
inline constexpr std::size_t cpu_sort_team_items = cpu_sequential_items;
/// Threads of a team that is worth having from fewer items on. us of 64,000 u32 by one thread and by a team of 2, 4, 8
/// and 16: 251 243 152 108 105 of uniform ones, 391 256 149 130 127 of which a third are uniform; of 40,000 147 183 105
/// 112 108 and 270 334 135 134 131; of 20,000, for which there are 2 threads, 65 156 and 130 180 (ER).
inline constexpr unsigned cpu_sort_small_team = 4;
inline constexpr std::size_t cpu_sort_small_team_items = 32 * 1024;
/// The same of rows of columns, of records and of segments, which take one thread several times as long as keys do. us
/// of 32,000 rows, and of 32,000 records of 32 bytes, by one thread and by sixteen: 395 and 190, 520 and 356 (ER).
constexpr std::size_t cpu_sort_rows_team_items(unsigned threads) {
  return threads < cpu_sort_small_team ? cpu_sort_team_items / 2 : cpu_sort_small_team_items / 2;
}
/// Items that a leaf of a team's sort may have at least, however many threads share the work. Not measured.
inline constexpr std::size_t cpu_sort_least_leaf_items = 16 * 1024;
/// Bits that a leaf of a sort looks at beyond those that count its items, and below how many items it looks at fewer.
/// ns an item with 4, 6 and 8: 4.7 4.6 5.1 of 200 uniform u32, 4.7 4.5 4.7 of 999, 4.6 4.2 4.2 of 30,000; of
/// exponential ones 5.8 5.0 5.2, 6.2 5.0 4.8 and 6.7 4.9 4.5; of f32 from -1 to 1 16.2 11.1 9.3, 16.3 11.4 8.8
/// and 15.6 10.4 8.7 (V1).
inline constexpr unsigned cpu_sort_slack_bits = 8;
inline constexpr unsigned cpu_sort_few_slack_bits = 6;
inline constexpr std::size_t cpu_sort_slack_items = 512;
/// Bits up to which a leaf has one digit instead of two. Not measured.
inline constexpr unsigned cpu_sort_one_digit_bits = 8;
/// With AVX-512: keys that are sorted in registers, a power of two. ns an item of 1,000 and of 30,000 u32 with 64, 128
/// and 256: 3.4 3.1 2.5 and 4.8 4.3 3.9; of 200 and of 1,000 u64 with 128 and 256: 4.8 and 3.2, 5.0 and 4.8 (CL).
inline constexpr unsigned cpu_sort_register_items = 256;
/// With AVX2: registers that are sorted by one network, and those that a quicksort leaves to one. ns an item with 16
/// and 32: 6.8 and 3.5 (128 u64), 3.1 and 1.8 (256 u32); of a quicksort 6.5 and 7.1 (200 u64), 6.8 and 7.3 (1,000
/// u64), 3.1 and 3.7 (1,000 u32), 3.4 and 4.1 (3,000 u32; MI).
inline constexpr unsigned cpu_sort_registers_avx2 = 32;
inline constexpr unsigned cpu_sort_quick_registers_avx2 = 16;
/// With vectors: items of a leaf up to which it is not divided by a digit first. ns an item so and otherwise, without
/// what else a leaf needs: 3.4 and 4.1 (10,000 u32), 3.9 and 3.9 (30,000), 4.3 and 4.9 (100,000), 7.3 and 6.1 (10,000
/// u64), 8.1 and 6.3 (30,000; CL).
constexpr std::size_t cpu_sort_whole_items(std::size_t key_bytes) {
  return key_bytes <= 4 ? 16 * 1024 : 4 * 1024;
}
/// With vectors: bytes that a bin of a leaf has at most on average. Leaves, ns an item with 128, 512, 2,048 and 8,192:
/// 4.8 3.9 4.5 5.2 (30,000 u32), 6.7 6.3 7.0 7.8 (30,000 u64), and of 16 Mi u32 8.8 8.1 8.8 9.7 (CL).
inline constexpr std::size_t cpu_sort_vector_bytes = 512;
/// Of sixteen items of a leaf that are looked at, those that make a key frequent. ns an item with 4, 6, 7 and 9: of 600
/// u32 2.4 2.6 3.2 4.7 of two values, 7.9 5.9 5.7 5.6 of eight, 10.5 11.3 11.8 12.4 of entropy0.201; 1 Mi of these as
/// u64 26 24 19 18 (V1, a busy machine).
inline constexpr std::size_t cpu_sort_probes = 6;
/// Keys from which a leaf of few values is sorted by counting them. ns an item of u32, so and otherwise: 600 of 5
/// values 1.5 and 8.1, 10,000 of 5 0.7 and 5.1, of 12 1.0 and 5.1, of 16 1.2 and 5.0; of 18, which are too many, 5.2
/// and 5.0 (CL).
inline constexpr std::size_t cpu_sort_few_values = 256;
/// Items up to which a leaf is sorted by merging, where probes that differ share their window: so many more than are
/// equal, each counted with each. Of entropy0.201, so and by windows: 10.8 and 13.2 (256 u32), 12.8 and 11.8
/// (600), 13.5 and 24.6 (256 u64), 16.2 and 20.9 (600), 19.5 and 20 (2,000; V1).
inline constexpr std::size_t cpu_sort_merged = 1024;
inline constexpr std::size_t cpu_sort_crowded_probes = 24;
/// How full the bins of a level should leave half the second-level cache on average, so that most that are larger than
/// that still fit. ns an item on 1 thread with 60 and 110: 7.8 and 8.3 (u32, 2^27), 10.5 and 10.7 (u64, 2^26) (V1). On
/// x86 half of that: leaves take, on one of 2 and of 16 threads, 13.3 11.1 with 60 and 9.6 10.4 with 30
/// (u32), 16.7 19.4 and 11.7 15.8 (u64), 29.2 33.3 and 21.5 27.2 (u64 with u64); with 15 a split takes what leaves save
/// (ER).
inline constexpr std::size_t cpu_sort_fill_percent = on_x86 ? 30 : 60;
/// The most bits of a level of a sort. ns an item on 1 thread with 10, 11 and 12: 8.4, 7.8 and 7.8 (u32, 2^27), 11.1,
/// 10.5 and 10.7 (u64, 2^26), 19.5, 19.0 and 19.6 (u64 with u64, 2^26) (V1).
inline constexpr unsigned cpu_sort_level_bits = 11;
/// Tasks of each thread in a segmented sort: so many that a thread whose core is shared leaves some to the others. Not
/// measured.
inline constexpr unsigned cpu_segment_tasks = 16;
/// Wanted items of a top_k up to which the lowest ranks so far are kept in order while the items are looked at.
inline constexpr std::size_t cpu_top_k_inserted = 32;
/// Items of a top_k that are counted together: those without any that is wanted are not read again. Not measured.
inline constexpr std::size_t cpu_top_k_block = 4096;
/// Its samples: of so many items one, but at least and at most so many, so that a sixteenth of all items is more than
/// will lie in the range that they leave, whatever k is. Not measured.
inline constexpr std::size_t cpu_top_k_samples_of = 16;
inline constexpr std::size_t cpu_top_k_least_samples = 256;
inline constexpr std::size_t cpu_top_k_samples = 16384;
/// Strings below which comparing them is as good as anything: 8 random lines take 0.22 us so and 0.27 by their words,
/// 16 take 0.41 and 0.35 (V1).
inline constexpr std::size_t cpu_plain_strings = 16;
/// Strings that a thread sorts by itself rather than with the others: at least so many, and of many strings one part in
/// so many of its share. Not measured.
inline constexpr std::size_t cpu_string_task = 32 * 1024;
inline constexpr std::size_t cpu_string_tasks = 16;
/// Bins of a split of strings: with 12-byte records more than that leave no room for their lines in a second-level
/// cache of 1 MiB.
/// Not measured.
inline constexpr std::uint32_t cpu_string_bins = 2048;
/// Strings that are sorted by insertion. 3 million random lines, one thread: 0.082 s of processor time with 16 and 24,
/// 0.086 with 40 and bins twice as large (V1).
inline constexpr std::size_t cpu_string_insertion = 24;
/// How many strings ahead of its turn a string's start is asked for, and its bytes. 4 million addresses, one thread:
/// 0.615 s so, 0.620 with 64 and 32, 0.638 with 24 and 8; 0.641 into the second-level cache alone (V1).
inline constexpr std::size_t cpu_string_far = 32;
inline constexpr std::size_t cpu_string_near = 16;

/// Items of a partition that go straight to their places: so few of any kind; pairs into two parts, however many; pairs
/// into three, of so many bytes at most. Two parts of 3,000 u64 pairs: 1.9 ns an item so, 2.5 by buffers; of u32 keys
/// 1.5 and 1.3. Three parts of 3,000 pairs: 3.2 and 4.5, of 12,000 8.0 and 5.4; of u32 keys 3.2 and 1.9 (V1).
inline constexpr std::size_t cpu_direct_parts = 64;
inline constexpr std::size_t cpu_direct_bytes = 64 * 1024;

/// Runs of equal keys are found in so many pieces at most, of so many items at least. Not measured.
inline constexpr std::size_t cpu_run_piece = 16 * 1024;
inline constexpr std::size_t cpu_run_pieces = 1024;
/// Bytes of items from which on a team counts runs before it writes them: one thread writes them as it finds them, so
/// that a team has twice the reading to share out.
inline constexpr std::size_t cpu_least_runs_bytes = 8 * cpu_least_slice_bytes;

/// Pieces of the items of one table of groups, at most. They must not depend on the threads, so they are many enough
/// for many threads. Not measured.
inline constexpr std::size_t cpu_group_pieces = 256;
/// Items that are grouped by looking through all keys before, and items that are sorted whatever their keys are. u32
/// keys with f32, one thread, ns an item of 4 groups and of keys that all differ: 8 items 7 and 10 by a look, 33 and 33
/// sorted; 32 items 3 and 16, 13 and 13; by tables and sorted, 64 items 15 and 24, 11 and 12; 1,024 items 7 and 17, 7
/// and 7; 16 Ki items 7 and 9, 6 and 7 (V1).
inline constexpr std::size_t cpu_group_few = 24;
inline constexpr std::size_t cpu_group_sorted = 16 * 1024;
/// Bytes of the table on the stack that items from so many on are tried with first, and the part of them that may be
/// groups. ns an item by a sort alone and with the table tried: 7.7 and 3.6 (1,000 items of 30 groups), 7.2 and 3.1
/// (10,000 of 100), 7.7 and 8.3 (1,000 that all differ; CL).
inline constexpr std::size_t cpu_group_table_bytes = 8 * 1024;
inline constexpr std::size_t cpu_group_table_least = 128;
inline constexpr std::size_t cpu_group_table_share = 16;
/// Partitions of a group_by at most, and items that a group has at least on average where they are worth it. 16 Mi u32
/// with f32, ns of processor time an item by tables and by a sort: 2.4 and 5.3 (100 groups), 3.7 and 8.3 (1,000), 5.5
/// and 10.7 (10,000), 6.7 and 10.9 (100,000), 9.2 and 11.4 (1,000,000); 32 Mi 19.9 and 13.8 (10,000,000, 3.5 items a
/// group), 12.0 and 12.9 of Zipf keys (4,400,000; V1, busy).
inline constexpr std::uint32_t cpu_group_partitions = 2048;
inline constexpr std::size_t cpu_items_a_group = 8;
/// Keys that are looked at to tell how many groups there are.
inline constexpr std::size_t cpu_group_sample = 16 * 1024;

}  // namespace peneira::tuning
