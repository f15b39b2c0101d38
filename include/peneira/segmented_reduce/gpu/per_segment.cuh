// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of few items: some lanes a segment, or a block. A segment that is too long for them is left to a warp, or
// to the block, and one that is too long for that to some blocks that look for such ones (long_segments.cuh):
//
//   lanes     `-0-' `-1-' `-2-' `-3-' ...      all loads of a lane in flight at once, then shuffles
//   warps     ``````2``````` ``````7```````    what has more than so many items a lane
//   block     ``````````````3``````````````    what has more than so many items a lane even so
//
// Nobody waits for another block, unless there are very long segments. What is mostly run is short, as it must be where
// all takes a few microseconds: each cache line of code that is not there is waited for.
#pragma once

#include "peneira/gpu/exchange/stamped_slots.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/gpu/report_invalid.cuh"
#include "peneira/tuning/gpu_reduce.hpp"

namespace peneira::detail {

/// Items of a segment.
struct segment_items {
  std::size_t begin;
  std::size_t end;

  [[nodiscard]] __device__ std::size_t size() const { return end - begin; }
};

/// What the blocks of one call know; first what all calls look at, so that it comes with few cache lines.
template <class T, class Result, class Segments, class Op>
struct each_work {
  Segments segments;
  std::size_t count;
  const T* items;
  std::size_t n;
  Result* results;
  unsigned lane_bits;            ///< 2 to the power of these take a segment: up to a warp, or all threads of a block
  unsigned helpers;              ///< blocks that take very long segments; 0: there are none
  std::size_t slice;             ///< items that a block would have if segments were alike
  std::uint64_t* first_invalid;  ///< nullptr: nobody asks
  Op op;
  std::size_t long_items;       ///< of very long segments, at least
  unsigned slice_bits;          ///< 2 to the power of these items are a slice of one
  std::size_t cell;             ///< segments that the helpers look at together
  stamped_slots<Result> slots;  ///< of parts of these

  /// The items of a segment; none where it is wrong, which `first` of those who ask tells. `meanwhile` is done while
  /// the offsets come.
  template <class Meanwhile>
  [[nodiscard]] __device__ segment_items range_of(std::size_t segment, bool first, const Meanwhile& meanwhile) const {
    if (segment >= count) return {0, 0};
    const segment_items found{segments.begin(segment), segments.end(segment)};
    meanwhile();
    if (found.begin <= found.end && found.end <= n) return found;
    if (first && first_invalid != nullptr) {
      atomicMin(reinterpret_cast<unsigned long long*>(first_invalid), static_cast<unsigned long long>(segment));
    }
    return {0, 0};
  }

  [[nodiscard]] __device__ segment_items range_of(std::size_t segment, bool first) const {
    return range_of(segment, first, [] {});
  }
  /// Asks for the items that a block has if segments are alike, so that they come while the offsets do.
  __device__ void ask_ahead(unsigned block) const {
    constexpr unsigned line = 128 / sizeof(T);
    const unsigned within = threadIdx.x * line;
    const std::size_t at = block * slice + within;
    if (within < slice && at < n) asm volatile("prefetch.global.L2 [%0];" ::"l"(items + at));
  }

  /// What one of `all` threads combines of some items.
  [[nodiscard]] __device__ Result fold(const segment_items& of, unsigned one, unsigned all) const {
    if constexpr (is_commutative<Op>) {
      return fold_every(of.begin + one, of.end, all);
    } else {
      const std::size_t share = (of.size() + all - 1) / all;
      const std::size_t begin = ::min(of.begin + one * share, of.end);
      return fold_every(begin, ::min(begin + share, of.end), 1);
    }
  }
  /// The same of no more items than threads, for which this is much less to do.
  [[nodiscard]] __device__ Result fold_few(const segment_items& of, unsigned one) const {
    Result mine = op.template identity<Result>();
    if (one < of.size()) mine = op(mine, lifted<Result>(op, items[of.begin + one], of.begin + one));
    return mine;
  }
  /// The same of any number of items, by a warp or more.
  [[nodiscard]] __device__ Result fold_many(const segment_items& of, unsigned one, unsigned all) const {
    if (of.size() <= all) return fold_few(of, one);
    if constexpr (has_groups) {
      return fold_groups(of, one, all);
    } else {
      return fold(of, one, all);
    }
  }
  /// Whether that is by groups of 16 bytes. Of two items they would save too few loads for what lies beside them, and
  /// take more registers than there are.
  static constexpr bool has_groups = is_commutative<Op> && alignof(T) == sizeof(T) && items_of_16_bytes(sizeof(T)) > 2;

 private:
  static constexpr unsigned group = items_of_16_bytes(sizeof(T));

  /// By aligned groups of 16 bytes; what lies before and behind them, fewer items than a warp has lanes, comes first.
  [[nodiscard]] __device__ Result fold_groups(const segment_items& of, unsigned one, unsigned all) const {
    const auto skew = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(items + of.begin) / sizeof(T) % group);
    const unsigned head = ::min(static_cast<std::size_t>((group - skew) % group), of.size());
    const std::size_t first = of.begin + head;
    const std::size_t groups = (of.end - first) / group;
    const std::size_t behind = first + groups * group;
    const std::size_t loose = one < head ? of.begin + one : behind + (one - head);
    Result mine = op.template identity<Result>();
    T odd;
    if (loose < of.end) load(odd, items + loose);
    constexpr unsigned together = tuning::each_loads * 4 / group;  // of smaller items fewer, or the code would be long
    std::size_t done = 0;
#pragma unroll 1
    while (groups - done > 2 * all) {
      mine = combine_round<together>(mine, first, done, groups, one, all);
      done = ::min(done + together * all, groups);
    }
    if (done < groups) mine = combine_round<2>(mine, first, done, groups, one, all);
    if (loose < of.end) mine = op(mine, lifted<Result>(op, odd, loose));
    return mine;
  }
  /// So many groups a thread, all of them in flight at once.
  template <unsigned Loads>
  [[nodiscard]] __device__ Result combine_round(Result mine, std::size_t first, std::size_t done, std::size_t groups,
                                                unsigned one, unsigned all) const {
    const auto left = static_cast<unsigned>(::min(groups - done, std::size_t{Loads * all}));
    const std::size_t position = first + done * group;
    alignas(16) T some[Loads][group];
#pragma unroll
    for (unsigned j = 0; j < Loads; ++j) {
      const unsigned k = j * all + one;
      load_group_at_once<group>(some[j], items + position + (k < left ? k : 0) * group);
    }
#pragma unroll
    for (unsigned j = 0; j < Loads; ++j) {
      const unsigned k = j * all + one;
      if (k >= left) continue;
#pragma unroll
      for (unsigned i = 0; i < group; ++i) {
        mine = op(mine, lifted<Result>(op, some[j][i], position + k * group + i));
      }
    }
    return mine;
  }

  /// Items from `first` on, one of so many; twice as many loads in flight at once where there are more items.
  [[nodiscard]] __device__ Result fold_every(std::size_t first, std::size_t end, unsigned step) const {
    constexpr unsigned loads = tuning::each_loads;
    Result mine = op.template identity<Result>();
#pragma unroll 1
    for (std::size_t k = first; k < end; k += 2 * loads * step) {
      const auto left = static_cast<unsigned>(::min(end - k, std::size_t{2 * loads * step}));
      const bool more = left > loads * step;
      T some[loads];
      T others[loads];
      load_some(some, items + k, step, left);
      if (more) load_some(others, items + k + loads * step, step, left - loads * step);
      mine = combine_some(mine, some, k, step, left);
      if (more) mine = combine_some(mine, others, k + loads * step, step, left - loads * step);
    }
    return mine;
  }
  /// Those of the next `left` items that are this thread's.
  template <unsigned Loads>
  __device__ static void load_some(T (&some)[Loads], const T* from, unsigned step, unsigned left) {
#pragma unroll
    for (unsigned j = 0; j < Loads; ++j) load(some[j], from + (left > j * step ? j * step : 0));
  }
  template <unsigned Loads>
  [[nodiscard]] __device__ Result combine_some(Result mine, const T (&some)[Loads], std::size_t at, unsigned step,
                                               unsigned left) const {
#pragma unroll
    for (unsigned j = 0; j < Loads; ++j) {
      if (left > j * step) mine = op(mine, lifted<Result>(op, some[j], at + j * step));
    }
    return mine;
  }
  /// Loads an item where this stands: put off until it is needed, few would be in flight.
  __device__ static void load(T& to, const T* from) {
    if constexpr (16 % sizeof(T) == 0 && alignof(T) == sizeof(T)) {
      load_group_at_once<1>(&to, from);
    } else {
      to = *from;
    }
  }
};

/// A block's segments.
template <unsigned Threads, class T, class Result, class Segments, class Op>
class each_segments {
  using work_type = each_work<T, Result, Segments, Op>;

 public:
  /// Some of the block's segments, by their numbers within it, in any order.
  struct some_segments {
    unsigned count;
    std::uint16_t numbers[Threads];

    __device__ void add(unsigned number) { numbers[atomicAdd(&count, 1U)] = static_cast<std::uint16_t>(number); }
  };
  /// What a block has in shared memory.
  struct room {
    some_segments for_warps;  ///< that lanes are too few for
    some_segments for_block;  ///< that a warp is too small for
    warp_values<Result, Threads> values;
  };

  __device__ each_segments(const work_type& work, room& mine) : work_(work), room_(mine) {}

  /// As many as the block has lanes for; a large block has one. `leave` tells of a very long one whether others take
  /// it; `meanwhile` is done while the first offsets come.
  template <class Leave, class Meanwhile>
  __device__ void reduce_from(std::size_t first, const Leave& leave, const Meanwhile& meanwhile) {
    if (Threads > tuning::each_threads || lanes() == Threads) {
      reduce_by_block(first, leave, meanwhile);
    } else if (reduce_by_lanes(first, meanwhile)) {
      reduce_by_warps(first);
      for (unsigned k = 0; k < room_.for_block.count; ++k) {
        reduce_by_block(first + room_.for_block.numbers[k], leave, [] {});
      }
      __syncthreads();
    }
  }

 private:
  [[nodiscard]] __device__ unsigned lanes() const { return 1U << work_.lane_bits; }

  /// Whether so many lanes are too few.
  [[nodiscard]] __device__ static bool is_long(const segment_items& of, unsigned for_lanes) {
    return of.size() > std::size_t{for_lanes} * tuning::each_lane_items;
  }

  /// Segments by some lanes each; whether some were too long.
  template <class Meanwhile>
  __device__ bool reduce_by_lanes(std::size_t first, const Meanwhile& meanwhile) {
    const unsigned number = threadIdx.x >> work_.lane_bits;
    const unsigned lane = threadIdx.x & (lanes() - 1);
    const segment_items mine = work_.range_of(first + number, lane == 0, meanwhile);
    const bool leave = is_long(mine, lanes());
    Result value = work_.op.template identity<Result>();
    unsigned filled = lanes();  // of a segment's lanes, those that have items
    if (__any_sync(all_lanes, !leave && mine.size() > lanes())) {
      const segment_items all = leave ? segment_items{0, 0} : mine;
      if (work_type::has_groups && lanes() == 32) {
        value = work_.fold_many(all, lane, 32);
      } else {
        value = work_.fold(all, lane, lanes());
      }
      __syncwarp();
    } else {
      if (!leave) value = work_.fold_few(mine, lane);
      if (!__any_sync(all_lanes, mine.size() > 1)) filled = 1;
    }
#pragma unroll 1
    for (unsigned step = 1; step < filled; step *= 2) {
      value = work_.op(value, shuffled<direction::down>(value, step));
    }
    if (lane == 0 && !leave && first + number < work_.count) work_.results[first + number] = value;
    if (__syncthreads_or(leave ? 1 : 0) == 0) return false;
    if (threadIdx.x == 0) room_.for_warps.count = room_.for_block.count = 0;
    __syncthreads();
    if (lane == 0 && leave) room_.for_warps.add(number);
    __syncthreads();
    return true;
  }

  /// What was left, a warp each, unless they are too long even so.
  __device__ void reduce_by_warps(std::size_t first) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned k = threadIdx.x / 32; k < room_.for_warps.count; k += Threads / 32) {
      const unsigned number = room_.for_warps.numbers[k];
      const segment_items mine = work_.range_of(first + number, false);
      const bool leave = is_long(mine, 32);
      if (leave && lane == 0) room_.for_block.add(number);
      if (leave) continue;
      const Result value = combine_warp(work_.fold_many(mine, lane, 32), work_.op);
      if (lane == 0) work_.results[first + number] = value;
    }
    __syncthreads();
  }

  /// A segment by all threads, unless others take it.
  template <class Leave, class Meanwhile>
  __device__ void reduce_by_block(std::size_t segment, const Leave& leave, const Meanwhile& meanwhile) {
    const segment_items mine = work_.range_of(segment, threadIdx.x == 0, meanwhile);
    if (mine.size() >= work_.long_items && leave(segment)) return;
    const Result mine_value = work_.fold_many(mine, threadIdx.x, Threads);
    const Result value = combine_block<Threads>(mine_value, work_.op, room_.values);
    if (threadIdx.x == 0 && segment < work_.count) work_.results[segment] = value;
    __syncthreads();
  }

  const work_type& work_;
  room& room_;
};

}  // namespace peneira::detail
