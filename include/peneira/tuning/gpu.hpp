// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the GPU engines, each with the measurement that chose it: u32 keys, n = 64 Mi, whole calls on an H200 in
// microseconds, some from builds that differed in more than the one number. What lost is in docs/lab/.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace peneira::tuning {

/// Threads of a block that splits tiles. 256 bins, any order: 338 with 512, 428 with two blocks of 256, each of which
/// has half the tile.
inline constexpr std::uint32_t tile_threads = 512;

/// Bytes of a column of a tile: of a large one whose order is kept, of a large one in any order, and of a small one.
/// Long runs a bin matter more than the number of blocks on a processor, and registers that spill cost more than both.
/// 512 bins, any order: 434 with 48 KiB, 412 with 56, 419 with 64, which spills.
inline constexpr std::size_t stable_tile_bytes = 64 * 1024;
inline constexpr std::size_t any_tile_bytes = 56 * 1024;
inline constexpr std::size_t small_tile_bytes = 16 * 1024;

/// Registers of a thread for the items of a tile, their values and places, of 128. u32 pairs into 256 bins, the order
/// kept: 657 with 72, 790 with 96, which spills.
inline constexpr std::size_t tile_registers = 80;

/// Bins that one pass splits into at most: one a thread.
inline constexpr std::uint32_t tile_bins = tile_threads;

/// Blocks that share the bins of few items. 1,000 items into 32 bins: 4.7 with one block, 4.5 with 4, 4.3 with 32,
/// since writing items to places all over takes one processor its time; 12,288 bins: 4.8 with 32, 4.7 with 128.
inline constexpr std::uint32_t few_blocks = 128;

/// Few items into many bins, every block looking at all: bins from which on, where items are so few that ballots split
/// them, and items at most. By ballots and so, 1,000 items into 65,536 bins: 5.3 and 5.5, 262,144 bins 8.4 and 5.9, 1
/// Mi bins 21 and 7.5; 1,856 items into 8,192 bins 6.6 and 6.3, 65,536 bins 7.3 and 5.9, 1 Mi bins 40 and 8. By passes
/// and so, 5,000 items 24 and 11, 8,192 items 26 and 18, 12,000 items 26 and 31, but 46 and 33 into 1 Mi bins.
inline constexpr std::uint32_t sparse_bins = 64 * 1024;
constexpr std::size_t sparse_items(std::uint32_t bins) {
  return std::size_t{bins > tile_bins * tile_bins ? 12U : 8U} * 1024;
}

/// Registers that a kernel which does nothing but ask for bins has where a caller's function takes long: the remainder
/// of a 64-bit key takes 20, what takes a tenth of its time 10 to 16. Keys from which on labels are then split instead.
/// u64 keys by the remainder and so, 256 bins: 1,221 and 826, 4,096 bins 2,128 and 1,462, 390,765 keys into 799 bins 48
/// and 39. By a shift, 256 bins: 552 and 754. And threads of a block that finds labels, and blocks a processor.
inline constexpr int costly_registers = 18;
inline constexpr std::size_t labelled_items = 32 * 1024;
inline constexpr std::uint32_t label_threads = 256;
inline constexpr std::uint32_t label_blocks = 8;

/// Bins times counter sets of a tile whose order is kept and of which each thread has so many items: more sets mean
/// less waiting and longer scans. 32 bins: 268 with 256, 270 with 512; 40 bins: 286 and 273; 64 bins: 289 and 283, all
/// keys equal 277 and 254; 128 bins: 302 and 303; 256 bins: 318 with 256, 331 with 1024. u64 keys, 64 bins: 652 and
/// 658.
constexpr std::size_t tile_counter_rows(std::uint32_t bins, int items) {
  return items >= 32 && bins > 32 && bins <= 64 ? 512 : 256;
}

/// Bins below which keeping the order costs nothing. 2 bins: 288 kept, 296 not; 8 bins: 294 kept, 280 not.
inline constexpr std::uint32_t any_order_bins = 8;
/// Large tiles of a block, twice, from which on any order is worth while; and bins of small tiles above which it is
/// where there could be more than half a large one. 32 bins, kept and any: 2.2 M items 22.5 and 26.2, 6 M 37.8
/// and 42.0, 7.6 M 46.3 and 50.7, 9 M 54.9 and 48.7; 1.9 M 23.3 and 27.2; 16 bins, 0.5 M 14.3 and 13.3, 1.2 M 20.6
/// and 21.6; 256 bins, 1.2 M 24.0 and 23.4, 512 bins 25.9 and 21.3.
inline constexpr std::size_t any_order_half_rounds = 9;
inline constexpr std::uint32_t small_any_order_bins = 256;

/// Bins of a pass from which on tiles of pairs have a dynamic schedule where the order is kept: each tile is counted by
/// itself then. u32 pairs, 32 bins: 420 by slices, 422 dynamic; 64: 451 and 443; 256: 631 and 489. Keys alone: 256 bins
/// 319 and 334.
inline constexpr std::uint32_t tile_row_bins = 64;

/// Columns of counters a bin, of a tile in any order: more of them keep lanes apart where all keys are equal, and
/// spread a bin over more of the tile. 32 bins: 283 with 2, 292 with 4, 301 with 8.
inline constexpr std::uint32_t most_tally_columns = 2;
/// The same where places are padded: one for each lane where there is room keeps lanes apart whatever the keys. 2 bins
/// by a sample: 173 with 32, 188 with 8, 228 with 2; 32 bins 193, 203, 197; all keys equal 160, 170, 257.
inline constexpr std::uint32_t padded_tally_columns = 32;

/// Bits of a bin's number that one of several passes splits by, unless as many as there are bins for save a pass. 18
/// bits by three passes and by two: 2.9 M u64 pairs 163 and 139, 4 Mi u32 keys 101 and 87, 64 Mi 838 and 851; 17 bits
/// in any order 779 and 678.
inline constexpr unsigned tile_digit_bits = 8;

/// Items for each counter of all blocks from which on two passes are counted at once; where there are no more than two,
/// fewer by so many, since then no search is needed. 12,288 bins: 8.8 Mi items 127 one by one and 131 at once, 12 Mi
/// 154 and 153, 64 Mi 622 and 561; 1,000,003 bins: 16 Mi items 316 and 321, 24 Mi 440 and 435; 1,024 bins: 2.3 Mi items
/// 58 and 50, 64 Mi 556 and 478.
inline constexpr std::size_t paired_items_a_counter = 12;
inline constexpr std::size_t paired_items_for_search = 13 * 1024 * 1024;

/// Where bins begin among items in the order of their bins: items a bin, of the call, from which on it is searched for
/// each bin instead of counting; and of a block, from which on it searches all the same. 2.2 Mi u64 keys in 1 Mi bins:
/// 12.6 counted, 38 searched; 10 Mi in 15,939 bins 40 and 11.
inline constexpr std::size_t searched_items_a_bin = 4;
inline constexpr std::size_t counted_items_a_bin = 16;
/// Items whose many bins are told apart by passes that look back, instead of passes that count first: bytes of one;
/// bins from which on all are, and items from which on fewer bins are, too. u64 pairs into 700, 20,000, 65,536 and
/// 600,000 bins: 1.3 Mi 83, 95, 92, 103 and 70, 95, 98, 133; 3 Mi 121, 147, 146, 176 and 105, 151, 155, 208; 60 Mi in
/// runs into 2,353 and so on 1,424, 1,442, 1,449, 2,095 and 1,649, 1,765, 1,777, 2,586. Pairs of u32, 60 Mi into
/// 20,000: 950 and 889; u64 keys 970 and 1,030, into 700 bins 940 and 790.
inline constexpr std::size_t look_back_item_bytes = 16;
inline constexpr std::uint32_t look_back_bins = 4096;
inline constexpr std::size_t look_back_items = 6 * 1024 * 1024;

/// Items from which on the first of several passes in any order keeps none. 1,000,003 bins: 1,015 so and 1,068
/// otherwise; 4 Mi items into 1,024 bins: 68 and 64.
inline constexpr std::size_t unordered_pass_items = 16 * 1024 * 1024;

/// Items, and items a bin, from which on many bins in any order are split by groups. 1,024 bins: 613 by passes and 546
/// by groups, 4 Mi items 77 and 86, 16 Mi items 196 and 171; 12,288 bins: 688 and 624, 16 Mi items 218 and 222.
inline constexpr std::size_t grouped_items = 8 * 1024 * 1024;
inline constexpr std::size_t grouped_items_a_bin = 2048;
/// Of their sample, the lines for each group, and of how many lines of the input it has one, at least and at most.
/// 30,000 bins where 32 neighbours are equal: 562 with 1,100 lines a group, 757 with 560, of which more stray than
/// there is room for; 8 Mi items into 4,096 bins 127 with 510, 96 where none stray. 256 Mi items into 1,024 bins: 1,450
/// with one line of 8, 1,433 of 16, 1,423 of 32.
inline constexpr std::size_t grouped_lines_a_group = 1024;
inline constexpr std::size_t grouped_least_lines = 4;
inline constexpr std::size_t grouped_most_lines = 32;
/// Items of which one is room for groups that turn out larger than the sample told, and of which one may stray because
/// that was not enough. Not measured apart: together less than a fiftieth; of uniform keys hardly any stray.
inline constexpr std::size_t grouped_slack_share = 200;
inline constexpr std::size_t grouped_spare_share = 75;

/// Bins, items, and items a bin for which a sample is taken instead of counting. 2 bins: 172 and 255, 12 Mi items 53
/// and 62, 8 Mi items 48 and 45; 32 bins: 216 and 247. Up to 128 bins are faster so (64 bins: 213 and 258), but for
/// that an eighth of the items must be spare, or where neighbours are alike more stray than there is room for.
inline constexpr std::uint32_t sampled_bins = 32;
inline constexpr std::size_t sampled_items = 12 * 1024 * 1024;
constexpr std::size_t sampled_items_a_bin(std::uint32_t bins) {
  return (bins <= 16 ? 4 : 2) * std::size_t{1024} * 1024;
}
/// Lines of the input of which the sample has one: of more bins more would stray. Where 32 neighbours are equal, 64
/// bins: 211 to 248 with 8, 232 to 337 with 16. Where little is spare, as many as leave strays below it even if each
/// line is of equal keys: at most 1.6 in a hundred, in trials, of 64 Mi items into 32 bins with 3, and 2.3 with 4. 32
/// bins: 225 with 2, 216 with 3, 207 with 4. Of more items, a smaller part tells as much: 256 Mi items 741 with 3, 701
/// with 6.
constexpr std::uint32_t sampled_lines(std::uint32_t bins, std::size_t items) {
  if (bins <= 16) return bins <= 2 ? 32 : 64 / bins;
  if (bins > sampled_bins) return bins >= 64 ? 8 : 512 / bins;
  constexpr std::size_t items_a_line = std::size_t{42} * 1024 * 1024;
  const std::size_t lines = items / items_a_line;
  return lines < 3 ? 3 : lines > 16 ? 16 : static_cast<std::uint32_t>(lines);
}
/// Items of which one may stray before all are split again.
constexpr std::size_t spare_share(std::uint32_t bins) {
  return bins <= sampled_bins ? 52 : 8;
}

/// Two bins by warps of their own: threads of a block, bytes of a key at least and of an item at most, and items from
/// which on. In tiles and so, u32 keys 253 and 224, u64 keys 470 and 421, u32 pairs 402 and 379, u64 pairs 744 and 725,
/// u16 keys 211 and 312; 1 Mi items, u32 keys 15.0 and 14.1, u32 pairs 18.2 and 20.6; 2 Mi items, u32 pairs 28.7 and
/// 26.6. u32 keys in two blocks of 256 threads on a processor: 224, with half the rows in two of 512 threads: 228.
inline constexpr std::uint32_t two_way_threads = 512;
inline constexpr std::size_t two_way_key_bytes = 4;
inline constexpr std::size_t two_way_item_bytes = 16;
constexpr std::size_t two_way_items(bool with_values) {
  return (with_values ? 2 : 1) * std::size_t{1024} * 1024;
}

/// Threads of a block that counts.
inline constexpr std::uint32_t count_threads = 1024;

/// sort: bytes of a column of a large tile whose order is kept, and of one in any order. 256 Mi items: u32 pairs 8602
/// kept with 48 KiB and 9413 with 56; u32 keys 4278 with 48 and 4081 with 56.
inline constexpr std::size_t sort_stable_tile_bytes = 48 * 1024;
inline constexpr std::size_t sort_any_tile_bytes = 56 * 1024;
/// Large tiles in any order that a block must have to get, for it to take large ones. 2 Mi u32 keys 112 with 1, 89
/// with 3; 6 Mi 184 with 3, 169 with 4.
inline constexpr std::size_t sort_any_tiles = 4;
/// Bits of a digit from which on the tiles of the first level, in any order, take their room one after the other. 256
/// Mi u32 pairs 7,215 so, 7,805 otherwise; u64 keys 6,539 and 6,772. Fewer bits not measured by themselves.
inline constexpr unsigned sort_cursor_bits = 8;
/// Bytes of a column of a large tile in a pass from the lowest digit up, by slices. 256 Mi u32 keys 5592 with 48 KiB
/// and 6105 with 64.
inline constexpr std::size_t sort_pass_tile_bytes = 48 * 1024;
/// The same by tiles with look-back: threads of a block, blocks on a processor, and tiles before its own that a tile
/// looks at in one go. 16 Mi u64 keys, each the AND of five uniform ones: 1,004 with 4 tiles asked,
/// 1,157 with 1; 1,167 with 3 blocks, whose registers spill; 1,098 with one block of 512 threads. Of 8 tiles u32 pairs
/// took 548 and 536 with 4.
inline constexpr int pass_threads = 384;
inline constexpr int pass_blocks = 2;
inline constexpr unsigned pass_asked = 4;
/// Items of a thread: of large tiles no fewer than make the memory for their counts that of CUB's, and of small ones,
/// for few items. 16 Mi u64 keys: 955 with 15, 1,043 with 18.
constexpr int pass_items(std::size_t key_bytes, std::size_t value_bytes, bool large) {
  const std::size_t most = key_bytes < value_bytes ? value_bytes : key_bytes;
  if (!large) return most <= 4 ? 6 : most <= 8 ? 4 : 2;
  if (most <= 4) return value_bytes == 0 ? (key_bytes < 4 ? 26 : 19) : key_bytes < 4 ? 19 : 17;
  if (most <= 8) return key_bytes == 8 ? (value_bytes < 8 ? 15 : 12) : key_bytes == 4 ? 14 : 15;
  return key_bytes == 8 ? 6 : 7;
}
/// The same of few items, one tile a block: threads of a block, and how many items of so many bytes each can have. 128
/// Ki u32 keys, each the AND of five uniform ones: 36 with 512 threads of 8 items, 39 with 1,024 of 4, 49 with 512 of
/// 16; 1 Mi: 53 with 512 of 16, 53 with 1,024 of 8; u64 pairs 157 and 171.
inline constexpr int row_threads = 512;
struct row_range {
  std::size_t least;
  std::size_t step;
  std::size_t most;
};
constexpr row_range row_items(std::size_t key_bytes, std::size_t value_bytes) {
  const std::size_t bytes = key_bytes < value_bytes ? value_bytes : key_bytes;
  if (bytes <= 4) return {8, 8, value_bytes == 0 ? 40U : 32U};
  return bytes <= 8 ? row_range{8, 4, 16} : row_range{4, 4, 8};
}
/// Items, and so many as fill the last tile, that are split at a time; more take several turns.
inline constexpr std::size_t pass_portion = std::size_t{1} << 28U;
/// Threads of a block that sorts tasks, keys or pairs that each has, and the buckets it sorts them into. 256 Mi u32,
/// the tasks alone: 1501 with 512 x 9 and with 256 x 18, 1760 with 13 bits of buckets.
inline constexpr int task_threads = 512;
inline constexpr int task_items = 9;
inline constexpr int task_pairs = 9;
inline constexpr unsigned task_bucket_bits = 12;
inline constexpr unsigned task_pair_bucket_bits = 12;
/// Keys of its bucket that a key of a crowded task looks at, on average, before digits are faster. 24, 64 and 160
/// took the same on 37 kinds of keys, within 3 in a hundred.
inline constexpr std::uint32_t crowded_looks = 64;
/// Bits that an expected level splits by at most, and those of a further one, which has thousands of segments: fewer
/// bits take less memory. Not measured.
inline constexpr unsigned level_bits = 8;
inline constexpr unsigned further_level_bits = 6;
/// Bits of a level that is the only one expected, at most. 2 Mi u32 keys 54 with 9, and 89 by two levels of 5; u64 keys
/// 73 and 110, u32 pairs 80 and 116, u64 pairs 104 and 154.
inline constexpr unsigned only_level_bits = 9;
/// What a sort takes upwards for each digit, and by levels, in picoseconds an item.
struct sort_costs {
  float digit;         ///< upwards
  float tasks;         ///< the sort of tasks, and what a call takes once
  float level;         ///< more for each expected level that moves all keys
  float count;         ///< and for each that only finds them alike in its digit
  float moved;         ///< more for each further level that moves all keys
  float irregular;     ///< more where all are crowded and some of their next bits are far more frequent
  float large;         ///< more where all are in tasks that are too large for buckets
  float equal;         ///< less where all are copies of some that have more than a task each
  float hot;           ///< more where all are that, but others lie between them
  float hottest;       ///< the same of few keys that have a sixteenth of all each
  float further;       ///< more where there are any such
  float copy;          ///< more for each copy that all keys have
  float copies;        ///< more where they have so many that buckets of tasks are crowded
  float many_copies;   ///< the same where a task has few keys
  bool equal_upwards;  ///< whether keys are sorted upwards that are all equal
};
/// Items from which on all keys equal are left to the levels. 100 values of u32, upwards and by levels: 8 Mi keys 203
/// and 259, 14 Mi 319 and 332, 16 Mi 363 and 356, and 15 more or 10 for the survey; 16 Mi pairs 468 and 512.
constexpr std::size_t sort_many(bool with_values) {
  return std::size_t{with_values ? 24U : 15U} * 1024 * 1024;
}
/// Fitted to 355 drawn problems of 18 families, 2.4 M to 100 M items, both ways: digits and levels by least squares
/// over all, in shares of what uniform keys take by levels, the same for all types but for what copies cost; of them
/// levels are so slow at those that are irregular or hot that there the most was taken, not the mean.
constexpr sort_costs costs_of(std::size_t items, std::size_t key_bytes, bool with_values) {
  const auto each = [items](float us) { return us * 1e6F / static_cast<float>(items); };  // of what a call takes once
  const bool wide = key_bytes > 4;
  const float unit = with_values ? (wide ? 48 : 26) : wide ? 27 : 16;
  sort_costs costs{};
  costs.digit = with_values ? (wide ? 11.1F + each(8) : 7.7F + each(5)) : (wide ? 7.05F + each(7) : 5.0F + each(8));
  costs.tasks = 0.18F * unit + each(60);
  costs.level = 0.41F * unit;
  costs.count = 0.03F * unit;
  costs.moved = 0.3F * unit + each(40);
  costs.irregular = unit;
  costs.large = 0.4F * unit;
  costs.equal = 0.12F * unit;
  costs.hot = 2 * unit;
  costs.hottest = (with_values ? 0.35F : 0.1F) * unit;
  costs.further = each(55);
  costs.copy = unit * (with_values ? 1.0F : 0.45F) / 90;
  costs.copies = unit * (with_values ? 1.0F : 0.45F);
  costs.many_copies = with_values ? 0.43F * unit : 0;
  costs.equal_upwards = items < sort_many(with_values);
  return costs;
}
/// Items from which on the survey looks at 4,096 keys instead of 2,048, which takes 8 us: of pairs more tell
/// whether keys have copies.
constexpr std::size_t sort_sampled(bool with_values) {
  return with_values ? std::size_t{6} * 1024 * 1024 : sort_many(with_values);
}
/// Items with keys of 4 bytes, and values of as many, that are sorted by passes whatever they are: a look at them takes
/// what levels gain. By levels, the look included, and by passes: u32, uniform 628 K 43 and 46, 1.5 M 54 and 60,
/// floats 656 K 60 and 46, a power law over the whole range 929 K 61 and 46; pairs, uniform 161 K 30 and 42, 7 M 278
/// and 267, 636 K timestamps 61 and 47, 23 M of a power law 1,268 and 616.
constexpr std::size_t sort_few_by_passes(bool with_values) {
  return std::size_t{with_values ? 24U : 8U} * 1024 * 1024;
}
/// Items that are placed by counting the keys before each, at most, where so many bits of a key count: the work grows
/// with their square, and is divided among all multiprocessors. By counting, in a cluster (of uniform keys, and of
/// skewed ones), and by CUB: 8,000 u32 11.7, 13.9 and 24.9, 34; u64 17.0, 16.6, 60; 12,000 u32 pairs 19.5, 26, 41; u64
/// pairs 28.5, 58, 71. Keys of a byte are one pass to a cluster: 4,000 7.6 and 8.9 (CUB 6.5).
inline std::size_t enumerated_items(unsigned bits, std::size_t value_bytes, int sms) {
  const std::size_t on_h200 = bits <= 8 ? 4 : value_bytes == 0 || bits <= 16 ? 8 : 12;
  return static_cast<std::size_t>(static_cast<double>(on_h200 * 1024) * std::sqrt(sms / 132.0));
}
/// Items that one block places, in place: 128 u32 4.7, 129 5.7 with a copy.
inline constexpr std::size_t enumerated_by_one_block = 128;
/// Pairs with keys of 8 bytes that are not left to a cluster. 10,000 pairs of u64 and u32: 35 by levels, 54 in a
/// cluster.
inline constexpr std::size_t sort_few_by_levels = 8 * 1024;

}  // namespace peneira::tuning
