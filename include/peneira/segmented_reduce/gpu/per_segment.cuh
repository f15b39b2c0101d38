// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of few items: some lanes a segment, or a block. A segment that is too long for them is left to a warp, or
// to the block, and one that is too long for that to the blocks of its cluster:
//
//   lanes     `-0-' `-1-' `-2-' `-3-' ...      all loads of a lane in flight at once, then shuffles
//   warps     ``````2``````` ``````7```````    what has more than so many items a lane
//   block     ``````````````3``````````````    what has more than so many items a lane even so
//   cluster   ````block 0```` ````block 1````  what has more than so many items; parts meet in the block it belongs to
//
// The code is short, as must be what runs for so few microseconds: each cache line of it that is not there is waited
// for.
#pragma once

#include "peneira/gpu/primitives/block_cluster.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/gpu/report_invalid.cuh"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// What the blocks of one call know.
template <class T, class Result, class Segments, class Op>
struct each_work {
  const T* items;
  std::size_t n;
  Segments segments;
  std::size_t count;
  Op op;
  Result* results;
  std::uint64_t* first_invalid;  ///< nullptr: nobody asks
  std::size_t slice;             ///< items that a block would have if segments were alike
  unsigned lane_bits;            ///< 2 to the power of these take a segment: up to a warp, or all threads of a block
};

/// A block's segments.
template <bool Clustered, unsigned Threads, class T, class Result, class Segments, class Op>
class each_segments {
  static constexpr unsigned threads = Threads;
  static constexpr unsigned most_shared = tuning::each_most_shared;
  static constexpr unsigned most_blocks = tuning::each_cluster;

 public:
  struct range {
    std::size_t begin;
    std::size_t end;
  };
  /// Some of the block's segments, by their numbers within it, in any order.
  struct some_segments {
    unsigned count;
    std::uint16_t numbers[threads];

    __device__ void add(unsigned number) { numbers[atomicAdd(&count, 1U)] = static_cast<std::uint16_t>(number); }
  };
  /// What a block has in shared memory.
  struct room {
    some_segments for_warps;  ///< that lanes are too few for
    some_segments for_block;  ///< that a warp is too small for
    warp_values<Result, threads> values;
  };
  /// The same where blocks share segments.
  struct shared_room {
    std::size_t segments[most_shared];             ///< of this block that all share
    range ranges[most_blocks][most_shared];        ///< of all blocks
    unsigned counts[most_blocks];                  ///< of these
    warp_values<Result, 32 * most_blocks> parts[most_shared];  ///< of this block's
  };

  __device__ each_segments(const each_work<T, Result, Segments, Op>& work, room& mine, shared_room* all)
      : work_(work), room_(mine), shared_(all) {}

  /// Those of this block of a launch.
  __device__ void reduce() {
    prefetch_items();
    if constexpr (Clustered) block_cluster::arrive();
    reduce_from(std::size_t{blockIdx.x} * (threads >> work_.lane_bits));
    if constexpr (Clustered) reduce_by_cluster();
  }
  /// As many as the block has lanes for.
  __device__ void reduce_from(std::size_t first) {
    if (lanes() == threads) {
      reduce_by_block(first);
      return;
    }
    if (!reduce_by_lanes(first)) return;
    reduce_by_warps(first);
    for (unsigned k = 0; k < room_.for_block.count; ++k) reduce_by_block(first + room_.for_block.numbers[k]);
    __syncthreads();
  }

 private:
  [[nodiscard]] __device__ unsigned lanes() const { return 1U << work_.lane_bits; }

  /// Asks for the items that the block has if segments are alike, so that they come while the offsets do.
  __device__ void prefetch_items() const {
    constexpr unsigned line = 128 / sizeof(T);
    const std::size_t at = blockIdx.x * work_.slice + threadIdx.x * line;
    if (threadIdx.x * line >= work_.slice || at >= work_.n) return;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(work_.items + at));
  }

  /// The items of a segment; none where it is wrong, which `first` of those who ask tells.
  [[nodiscard]] __device__ range range_of(std::size_t segment, bool first) const {
    if (segment >= work_.count) return {0, 0};
    const range found{work_.segments.begin(segment), work_.segments.end(segment)};
    if (found.begin <= found.end && found.end <= work_.n) return found;
    if (first && work_.first_invalid != nullptr) {
      atomicMin(reinterpret_cast<unsigned long long*>(work_.first_invalid), static_cast<unsigned long long>(segment));
    }
    return {0, 0};
  }

  /// What one of `all` threads combines of some items.
  [[nodiscard]] __device__ Result fold(const range& of, unsigned one, unsigned all) const {
    if constexpr (is_commutative<Op>) {
      return fold_every(of.begin + one, of.end, all);
    } else {
      const std::size_t share = (of.end - of.begin + all - 1) / all;
      const std::size_t begin = ::min(of.begin + one * share, of.end);
      return fold_every(begin, ::min(begin + share, of.end), 1);
    }
  }
  /// Items from `first` on, one of so many, several loads in flight at once.
  [[nodiscard]] __device__ Result fold_every(std::size_t first, std::size_t end, unsigned step) const {
    constexpr unsigned loads = tuning::each_loads;
    Result mine = work_.op.template identity<Result>();
#pragma unroll 1
    for (std::size_t k = first; k < end; k += loads * step) {
      const auto left = static_cast<unsigned>(::min(end - k, std::size_t{loads * step}));
      const auto there = [&](unsigned j) { return left > j * step; };
      const T* const from = work_.items + k;
      T some[loads];
#pragma unroll
      for (unsigned j = 0; j < loads; ++j) some[j] = from[there(j) ? j * step : 0];
#pragma unroll
      for (unsigned j = 0; j < loads; ++j) {
        if (there(j)) mine = work_.op(mine, lifted<Result>(work_.op, some[j], k + j * step));
      }
    }
    return mine;
  }

  /// Whether so many lanes are too few.
  [[nodiscard]] __device__ static bool is_long(const range& of, unsigned for_lanes) {
    return of.end - of.begin > std::size_t{for_lanes} * tuning::each_lane_items;
  }

  /// Segments by some lanes each; whether some were too long.
  __device__ bool reduce_by_lanes(std::size_t first) {
    const unsigned number = threadIdx.x >> work_.lane_bits;
    const unsigned lane = threadIdx.x & (lanes() - 1);
    const range mine = range_of(first + number, lane == 0);
    if (threadIdx.x == 0) room_.for_warps.count = room_.for_block.count = 0;
    __syncthreads();
    const bool leave = is_long(mine, lanes());
    Result value = leave ? work_.op.template identity<Result>() : fold(mine, lane, lanes());
#pragma unroll 1
    for (unsigned step = 1; step < lanes(); step *= 2) {
      value = work_.op(value, shuffled<direction::down>(value, step));
    }
    if (lane == 0 && leave) room_.for_warps.add(number);
    if (lane == 0 && !leave && first + number < work_.count) work_.results[first + number] = value;
    return __syncthreads_or(leave ? 1 : 0) != 0;
  }

  /// What was left, a warp each, unless they are too long even so.
  __device__ void reduce_by_warps(std::size_t first) {
    const unsigned lane = threadIdx.x % 32;
    for (unsigned k = threadIdx.x / 32; k < room_.for_warps.count; k += threads / 32) {
      const unsigned number = room_.for_warps.numbers[k];
      const range mine = range_of(first + number, false);
      const bool leave = is_long(mine, 32);
      if (leave && lane == 0) room_.for_block.add(number);
      if (leave) continue;
      const Result value = combine_warp(fold(mine, lane, 32), work_.op);
      if (lane == 0) work_.results[first + number] = value;
    }
    __syncthreads();
  }

  /// A segment by all threads, unless the cluster shares it. All of them know how many these are.
  __device__ void reduce_by_block(std::size_t segment) {
    const range mine = range_of(segment, threadIdx.x == 0);
    if constexpr (Clustered) {
      if (mine.end - mine.begin >= tuning::each_shared_items && shared_count_ < most_shared) {
        if (threadIdx.x == 0) {
          shared_->segments[shared_count_] = segment;
          shared_->ranges[block_cluster::rank()][shared_count_] = mine;
        }
        ++shared_count_;
        return;
      }
    }
    const Result value = combine_block<threads>(fold(mine, threadIdx.x, threads), work_.op, room_.values);
    if (threadIdx.x == 0 && segment < work_.count) work_.results[segment] = value;
    __syncthreads();
  }

  /// What the blocks of the cluster share: each tells all others, each reduces a part, and tells whose it is.
  __device__ void reduce_by_cluster() {
    const unsigned blocks = block_cluster::blocks();
    const unsigned me = block_cluster::rank();
    __syncthreads();
    block_cluster::wait();  // all have begun, so that their memory is there
    if (threadIdx.x < blocks) {
      shared_room* const there = block_cluster::in_block(shared_, threadIdx.x);
      there->counts[me] = shared_count_;
      for (unsigned k = 0; k < shared_count_ && threadIdx.x != me; ++k) there->ranges[me][k] = shared_->ranges[me][k];
    }
    block_cluster::sync();
    unsigned all = 0;
    for (unsigned b = 0; b < blocks; ++b) {
      for (unsigned k = 0; k < shared_->counts[b]; ++k, ++all) {
        const range whole = shared_->ranges[b][k];
        const std::size_t share = (whole.end - whole.begin + blocks - 1) / blocks;
        const std::size_t begin = ::min(whole.begin + me * share, whole.end);
        const range part{begin, ::min(begin + share, whole.end)};
        const Result value = combine_block<threads>(fold(part, threadIdx.x, threads), work_.op, room_.values);
        if (threadIdx.x == 0) block_cluster::in_block(shared_, b)->parts[k].get()[me] = value;
        __syncthreads();
      }
    }
    if (all == 0) return;
    block_cluster::sync();
    if (threadIdx.x >= shared_count_) return;
    const Result* const parts = shared_->parts[threadIdx.x].get();
    Result value = parts[0];
    for (unsigned b = 1; b < blocks; ++b) value = work_.op(value, parts[b]);
    work_.results[shared_->segments[threadIdx.x]] = value;
  }

  const each_work<T, Result, Segments, Op>& work_;
  room& room_;
  shared_room* shared_;
  unsigned shared_count_ = 0;  // segments of this block that the cluster shares
};

template <bool Clustered, class T, class Result, class Segments, class Op>
__global__ void __launch_bounds__(tuning::each_threads)
    reduce_each(const __grid_constant__ each_work<T, Result, Segments, Op> work) {
  using segments = each_segments<Clustered, tuning::each_threads, T, Result, Segments, Op>;
  __shared__ typename segments::room mine;
  if constexpr (Clustered) {
    __shared__ typename segments::shared_room all;
    segments(work, mine, &all).reduce();
  } else {
    segments(work, mine, nullptr).reduce();
  }
}

}  // namespace peneira::detail
