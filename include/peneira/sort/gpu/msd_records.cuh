// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of an MSD radix sort hand to one another: segments, which a level splits, tasks, which a block
// sorts, and what a level knows.
#pragma once

#include "peneira/gpu/scatter/pass_buffers.cuh"
#include "peneira/key_order.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// A run of items that agree in all bits from `bits` on.
struct sort_segment {
  std::uint64_t shared_begin;  ///< where it begins when the items of all segments are shared out
  std::uint64_t begin;
  std::uint64_t size;
  std::uint64_t first;  ///< the ordered number of its first key
  std::uint32_t bits;
  sort_buffer where;
  std::uint32_t stays;  ///< one digit throughout: not moved in this level
};

/// A run of items for one block: to sort by their ordered numbers less `base`, of `bits` bits; 0 bits: to copy.
struct sort_task {
  static constexpr unsigned begin_bits = 38;

  std::uint64_t base;
  std::uint64_t begin : begin_bits;
  std::uint64_t size : 17;
  std::uint64_t bits : 7;
  std::uint64_t where : 2;  ///< a sort_buffer
};
static_assert(sizeof(sort_task) == 16);

/// How many segments a level has, and of how many items: one word, so that one atomic addition appends a segment.
struct segment_count {
  static constexpr unsigned item_bits = 40;
  unsigned long long packed;

  PENEIRA_HD static constexpr segment_count one(std::uint64_t items) { return {(1ULL << item_bits) | items}; }
  [[nodiscard]] PENEIRA_HD std::uint64_t segments() const { return packed >> item_bits; }
  [[nodiscard]] PENEIRA_HD std::uint64_t items() const { return packed & ((1ULL << item_bits) - 1); }
};

/// Counts of the pieces of a level: of 16 bits where a piece can have no more items.
struct level_rows {
  void* words;
  std::uint32_t bytes;  ///< of a count: 2, 4 or 8

#if defined(__CUDACC__)
  /// Calls visit(the counts).
  template <class Visit>
  __device__ void with(Visit&& visit) const {
    if (bytes == 2) {
      visit(static_cast<std::uint16_t*>(words));
    } else if (bytes == 4) {
      visit(static_cast<std::uint32_t*>(words));
    } else {
      visit(static_cast<std::uint64_t*>(words));
    }
  }
#endif
};

/// What the kernels of a level know.
struct sort_level {
  sort_segment* segments;
  sort_segment* next_segments;
  segment_count* count;           ///< of the segments; that of the next level follows
  level_counts sums;              ///< of each segment: items of each digit; once divided, where they go, or go on
  level_counts next_sums;         ///< set to zero for the next level
  level_rows rows;                ///< of each piece: its histogram; in any order, that of pieces that came before
  unsigned long long* differing;  ///< of each segment: the bits in which keys differ from the first
  unsigned long long* next_differing;
  sort_task* tasks;
  std::uint32_t* task_count;
  sort_task* large_tasks;
  std::uint32_t* large_task_count;
  std::uint32_t* upwards;  ///< 1: the first level found that passes are better; nullptr: there are none
  std::size_t items;       ///< of the call
  std::uint32_t digit_bits;
  std::uint32_t next_bins;
  std::uint32_t key_bits;
  std::uint32_t task_items;        ///< at most of a task
  std::uint32_t large_task_items;  ///< at most of a large one
  std::uint32_t copy_items;        ///< of one that copies
  sort_buffer first_to;            ///< where items go from the input
  bool first;                      ///< the one segment is the input
  bool surveyed;                   ///< whether there is that segment, was decided before; otherwise there is
  bool stable;
  bool cursors;  ///< tiles take their room from the sums, one after the other

  /// The segments; without a survey nobody has counted the one that is the input.
  [[nodiscard]] PENEIRA_HD segment_count all() const {
    if (!first || surveyed) return *count;
    return upwards != nullptr && *upwards != 0 ? segment_count{0} : segment_count::one(items);
  }
  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return 1U << digit_bits; }
  [[nodiscard]] PENEIRA_HD unsigned shift_of(std::uint32_t bits) const {
    return bits > digit_bits ? bits - digit_bits : 0;
  }
  [[nodiscard]] PENEIRA_HD std::uint32_t copies_of(std::uint64_t size) const {
    return static_cast<std::uint32_t>((size + copy_items - 1) / copy_items);
  }
  [[nodiscard]] PENEIRA_HD sort_buffer target_of(sort_buffer from) const {
    if (from == sort_buffer::in) return first_to;
    return from == sort_buffer::out ? sort_buffer::between : sort_buffer::out;
  }
};

/// All levels of a sort: what they have in common, and where each finds what is its own.
struct level_series {
  sort_level common;
  sort_segment* lists;  ///< two, which the levels use by turns
  segment_count* counts;
  level_counts first_sums;
  level_rows first_rows;
  unsigned long long* first_differing;
  unsigned char* sums;  ///< two, by turns
  unsigned long long* differing;
  std::size_t segments;   ///< of a list
  std::size_t sums_size;  ///< of one of the sums
  std::uint32_t expected;
  std::uint32_t apart;  ///< of them have launches of their own
  std::uint32_t levels;
  bool first_by_cursors;
  bool given;                   ///< the segments of the first level were listed before; otherwise it has one, the input
  std::uint32_t expected_bits;  ///< of the digits of expected levels
  std::uint32_t further_bits;

  [[nodiscard]] PENEIRA_HD std::uint32_t bits_of(std::uint32_t l) const {
    return l < expected ? expected_bits : further_bits;
  }
  [[nodiscard]] PENEIRA_HD level_counts sums_of(std::uint32_t l) const {
    return level_counts{sums, first_sums.wide}.from(l % 2 * sums_size);
  }
  [[nodiscard]] PENEIRA_HD sort_level at(std::uint32_t l) const {
    sort_level level = common;
    level.segments = lists + l % 2 * segments;
    level.next_segments = lists + (l + 1) % 2 * segments;
    level.count = counts + l;
    level.first = l == 0 && !given;
    level.cursors = l == 0 ? first_by_cursors : l >= expected && !common.stable;
    level.sums = level.first ? first_sums : sums_of(l);
    if (level.first) level.rows = first_rows;
    level.differing = level.first ? first_differing : differing + l % 2 * segments;
    level.next_sums = sums_of(l + 1);
    level.next_differing = differing + (l + 1) % 2 * segments;
    level.digit_bits = bits_of(l);
    level.next_bins = 1U << bits_of(l + 1);
    return level;
  }
};

/// Some bits of an ordered key.
template <class U>
struct key_digit {
  static constexpr bool safe = true;
  key_order<U> by;
  unsigned shift;
  std::uint32_t mask;

  PENEIRA_HD std::uint32_t operator()(const U& raw) const {
    return static_cast<std::uint32_t>(by(raw) >> shift) & mask;
  }
};

}  // namespace peneira::detail
