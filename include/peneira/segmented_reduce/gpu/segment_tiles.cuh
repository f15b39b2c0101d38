// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Short segments: a block copies the items and offsets of some neighbouring ones, its tile, to shared memory, and then
// a lane reduces a segment. Many small blocks are resident at the same time, so that none of them needs to prefetch.
//
//   offsets   0     3     6       10 ...   a block's segments are known beforehand, its items after one look
//   items     3 1 4 1 5 9 2 6 5 3 ...      into shared memory, by one copy of all or 16 bytes a load
//   lanes     `-0-' `-1-' `--2--'          16 bytes of shared memory at a time; what belongs to neighbours is masked
//
// Nothing crosses the borders of tiles. A tile with more items than there is room is reduced by its block where they
// lie. One large tile is reduced by chunks; several of them, and wrong offsets, are left to another kernel.
#pragma once

#include <type_traits>

#include "peneira/gpu/primitives/async_copy.cuh"
#include "peneira/segmented_reduce/gpu/merged.cuh"
#include "peneira/segmented_reduce/gpu/per_segment.cuh"
#include "peneira/segmented_reduce/gpu/tile_chunks.cuh"
#include "peneira/segmented_reduce/gpu/tile_work.cuh"

namespace peneira::detail {

/// The segments of a tile that has too many items for the shared memory, but not so many that one block would be late
/// with them: a lane each, the long ones by all lanes. Apart from the rest, which has no registers to spare.
template <class T, class Result, class Offset, class Op>
__device__ __noinline__ void reduce_from_memory(const tile_work<T, Result, Offset, Op>& work, std::size_t segment,
                                                unsigned many) {
  constexpr unsigned threads = tuning::segment_tile_threads;
  using segments = each_segments<threads, T, Result, offset_segments<Offset>, Op>;
  __shared__ typename segments::room room;
  bool wrong = false;
  for (unsigned k = threadIdx.x; k < many; k += threads) {
    const auto end = work.offset(segment + k + 1);
    wrong = wrong || work.offset(segment + k) > end || end > work.n;
  }
  if (__syncthreads_or(wrong ? 1 : 0) != 0) {
    if (threadIdx.x == 0) work.redo_all();
    return;
  }
  const each_work<T, Result, offset_segments<Offset>, Op> each{.segments = {work.offsets},
                                                               .count = segment + many,
                                                               .items = work.items,
                                                               .n = work.n,
                                                               .results = work.results,
                                                               .lane_bits = 0,
                                                               .helpers = 0,
                                                               .slice = 0,
                                                               .first_invalid = nullptr,
                                                               .op = work.op,
                                                               .long_items = work.n + 1,
                                                               .slice_bits = 0,
                                                               .cell = 1,
                                                               .slots = {}};
  segments of_tile(each, room);
  for (std::size_t first = segment; first < segment + many; first += threads) {
    of_tile.reduce_from(
        first, [](std::size_t) { return false; }, [] {});
  }
}

/// A block's tile.
template <class T, class Result, class Offset, class Op>
class segment_tile {
  using work_type = tile_work<T, Result, Offset, Op>;
  using position = position_of<Offset>;
  static constexpr unsigned threads = tuning::segment_tile_threads;
  static constexpr unsigned group = items_of_16_bytes(sizeof(T));
  static constexpr unsigned lane_most = tuning::segment_tile_lane_items;

 public:
  __device__ explicit segment_tile(const work_type& work)
      : work_(work),
        ends_(kept_shared(shared_lines<position>())),
        units_(kept_shared(reinterpret_cast<uint4*>(ends_) + work.ends_units)) {}

  __device__ void reduce() {
    __shared__ std::uint64_t arrival;
    __shared__ bool opened;
    const std::size_t segment = std::size_t{blockIdx.x} * work_.segments;
    const std::size_t behind = ::min(segment + work_.segments, work_.count);
    const auto many = static_cast<unsigned>(behind - segment);
    const position begin = work_.offset(segment);
    const position end = work_.offset(behind);
    const auto flags = __ldcv(reinterpret_cast<const ulonglong2*>(&work_.flags()));
    if (blockIdx.x < work_.finders) find_large_tiles();
    if (threadIdx.x == 0) opened = takes_chunks(flags.y == work_.stamp);
    if (work_.fits(begin, end)) {
      const bool stop = flags.x == work_.stamp;  // all is done again
      find_items(begin, end);
      if (can_copy_in_bulk && work_.aligned && whole_ && many == work_.segments) {
        const bulk_copies copies(&arrival);
        units_ = kept_shared(units_ + reinterpret_cast<std::uintptr_t>(work_.items + first_) / 16 % 8);  // as there
        if (threadIdx.x == 0 && !stop) bring_in_bulk(copies, segment, many, end);
        if (__syncthreads_or(threadIdx.x == 0 && stop ? 1 : 0) != 0) return;
        copies.wait();
        give_results<false>(segment, many);
      } else {
        if (!stop) {
          bring_offsets(segment, many, end);
          bring_items();
          wait_for_batches<0>();
        }
        if (__syncthreads_or(stop ? 1 : 0) != 0) return;  // by all, or some would meet what others did not bring
        give_results<true>(segment, many);
      }
    } else {
      __syncthreads();  // `opened` is there
      if (!work_.is_large(begin, end)) reduce_from_memory(work_, segment, many);
    }
    if constexpr (is_commutative<Op>) {
      if (opened) take_chunks(work_);
    }
  }

 private:
  /// Finds the large tiles, a thread each, so that it is known soon.
  __device__ void find_large_tiles() const {
    const unsigned lane = threadIdx.x % 32;
    const std::size_t k = std::size_t{blockIdx.x} * threads + threadIdx.x;
    const position begin = work_.border(k);
    const position end = work_.border(k + 1);
    const bool large = k < work_.tiles && work_.is_large(begin, end);
    const unsigned all = __ballot_sync(all_lanes, large);
    if (!large || (all & ((1U << lane) - 1)) != 0) return;
    if (all != 1U << lane || !work_.claim()) {
      work_.redo_all();
      return;
    }
    work_.state->tile = k;
    if constexpr (is_commutative<Op>) tile_chunks<T, Result, Offset, Op>(work_).open(begin, end);
  }
  /// Whether this block takes chunks of a large tile: some do, and the one that found it must.
  [[nodiscard]] __device__ bool takes_chunks(bool there_are) const {
    if (!is_commutative<Op> || work_.chunk == 0) return false;
    return blockIdx.x < work_.finders || (there_are && blockIdx.x % tuning::segment_chunk_blocks == 0);
  }

  /// The results of so many segments from the tile's first on.
  template <bool Exchanged>
  __device__ void give_results(std::size_t segment, unsigned many) const {
    const unsigned lane = threadIdx.x % 32;
    unsigned k = threadIdx.x;
    Result* results = work_.results + segment + k;
    asm("" : "+l"(results));
    assume_global(results);
    for (; k - lane < many; k += threads, results += threads) {
      const Result value = combine<Exchanged>(::min(k, many - 1));
      if (k < many) *results = value;
    }
  }

  /// Where a unit of 16 bytes lies. Exchanged: lanes whose segments are of one size do not meet at a bank.
  template <bool Exchanged>
  [[nodiscard]] __device__ static unsigned place(unsigned unit) {
    return Exchanged ? unit ^ (unit / 8 % 8) : unit;
  }

  /// Says which items are brought.
  __device__ void find_items(position begin, position end) {
    const std::size_t address = reinterpret_cast<std::uintptr_t>(work_.items) / sizeof(T);
    skew_ = static_cast<unsigned>((address + begin) % group);
    first_ = std::size_t{begin} - skew_;
    limit_ = static_cast<unsigned>(end - begin) + skew_;
    units_count_ = (limit_ + group - 1) / group;
    whole_ = skew_ <= begin && std::size_t{units_count_} * group <= work_.n - first_ &&
             aligned_for<T, static_cast<int>(group)>(work_.items + first_);
  }
  /// Begins to copy items and offsets, by one thread.
  __device__ void bring_in_bulk(const bulk_copies& copies, std::size_t segment, unsigned many, position end) const {
    const std::uint32_t items = units_count_ * 16;
    const auto offsets = static_cast<std::uint32_t>(many * sizeof(position));
    ends_[many] = end;
    copies.expect(items + offsets);
    if (items != 0) copies.begin(units_, work_.items + first_, items);
    copies.begin(ends_, work_.offsets + segment, offsets);
  }

  __device__ void bring_offsets(std::size_t segment, unsigned many, position end) const {
    const position* from = reinterpret_cast<const position*>(work_.offsets) + segment + threadIdx.x;
    asm("" : "+l"(from));
#pragma unroll 1
    for (unsigned k = threadIdx.x; k < many; k += threads, from += threads) copy_later(ends_ + k, from);
    end_batch();
    if (threadIdx.x == 0) ends_[many] = end;
  }
  /// Brings items, exchanged; several loads of a thread are under way at a time.
  __device__ void bring_items() const {
    constexpr unsigned loads = tuning::segment_tile_loads;
    static_assert(threads % 64 == 0, "so that a thread's units lie alike");
    if (whole_) {
      const unsigned units = units_count_;
      const uint4* from = reinterpret_cast<const uint4*>(work_.items + first_) + threadIdx.x;
      asm("" : "+l"(from));
      uint4* const to = kept_shared(units_ + place<true>(threadIdx.x));
#pragma unroll 1
      for (unsigned k = 0; k < units; k += loads * threads) {
        uint4 some[loads];
#pragma unroll
        for (unsigned i = 0; i < loads; ++i) {
          if (k + threadIdx.x + i * threads < units) some[i] = __ldcs(from + k + i * threads);
        }
#pragma unroll
        for (unsigned i = 0; i < loads; ++i) {
          if (k + threadIdx.x + i * threads < units) to[k + i * threads] = some[i];
        }
      }
    } else {
#pragma unroll 1
      for (unsigned k = skew_ + threadIdx.x; k < limit_; k += threads) *at<true>(k) = work_.items[first_ + k];
    }
  }
  /// Item k, from the first unit's first on.
  template <bool Exchanged>
  [[nodiscard]] __device__ T* at(unsigned k) const {
    return reinterpret_cast<T*>(units_ + place<Exchanged>(k / group)) + k % group;
  }
  template <bool Exchanged>
  __device__ void load(T (&items)[group], unsigned unit) const {
    copy_group<static_cast<int>(group)>(items, reinterpret_cast<const T*>(units_ + place<Exchanged>(unit)));
  }

  [[nodiscard]] __device__ Result lift(const T& item, unsigned k) const {
    return lifted<Result>(work_.op, item, first_ + k);
  }
  /// Adds item k if it belongs to the segment. Integers have instructions for three at a time, others for some lanes.
  __device__ void add(Result& value, bool belongs, const T& item, unsigned k) const {
    if constexpr (std::is_integral_v<Result>) {
      value = work_.op(value, belongs ? lift(item, k) : work_.op.template identity<Result>());
    } else {
      if (belongs) value = work_.op(value, lift(item, k));
    }
  }

  /// Segment k of the tile; all lanes of a warp come here together.
  template <bool Exchanged>
  [[nodiscard]] __device__ Result combine(unsigned k) const {
    const auto first = static_cast<position>(first_);
    const position from = ends_[k] - first;
    const position to = ends_[k + 1] - first;
    const auto begin = static_cast<unsigned>(from);
    const position size = to - from;
    const unsigned before = begin % group;  // items of others in the first unit
    const bool wrong = from < skew_ || from > to || to > limit_;
    const bool odd = wrong || size > lane_most;
    Result value = work_.op.template identity<Result>();
    if (size != 0 && !odd) {
      unsigned unit = begin / group;
      alignas(16) T items[group];
      load<Exchanged>(items, unit);
#pragma unroll
      for (unsigned i = 0; i < group; ++i) {
        add(value, i - before < static_cast<unsigned>(size), items[i], unit * group + i);
      }
      unsigned rest = before + static_cast<unsigned>(size);
      rest -= ::min(rest, group);
#pragma unroll 1
      for (++unit; rest >= group; rest -= group, ++unit) {
        load<Exchanged>(items, unit);
#pragma unroll
        for (unsigned i = 0; i < group; ++i) value = work_.op(value, lift(items[i], unit * group + i));
      }
      if (rest != 0) {
        load<Exchanged>(items, unit);
#pragma unroll
        for (unsigned i = 0; i < group; ++i) add(value, i == 0 || i < rest, items[i], unit * group + i);
      }
    }
    if (__any_sync(all_lanes, odd)) combine_odd<Exchanged>(value, odd, wrong, from, to);
    return value;
  }
  /// Long segments, each by all lanes, and wrong ones.
  template <bool Exchanged>
  __device__ void combine_odd(Result& value, bool odd, bool wrong, position from, position to) const {
    if (__any_sync(all_lanes, wrong) && threadIdx.x % 32 == 0) work_.redo_all();
    for (unsigned left = __ballot_sync(all_lanes, odd && !wrong); left != 0; left &= left - 1) {
      const int lane = __ffs(static_cast<int>(left)) - 1;
      const unsigned begin = __shfl_sync(all_lanes, static_cast<unsigned>(from), lane);
      const unsigned size = __shfl_sync(all_lanes, static_cast<unsigned>(to - from), lane);
      const unsigned share = (size + 31) / 32;
      const unsigned first = ::min(threadIdx.x % 32 * share, size);
      Result mine = work_.op.template identity<Result>();
#pragma unroll 1
      for (unsigned k = begin + first; k < begin + ::min(first + share, size); ++k) {
        mine = work_.op(mine, lift(*at<Exchanged>(k), k));
      }
      mine = shuffled<direction::to_all>(combine_warp(mine, work_.op), 0);
      if (static_cast<int>(threadIdx.x % 32) == lane) value = mine;
    }
  }

  const work_type& work_;
  position* ends_;
  uint4* units_;
  std::size_t first_ = 0;  // the first unit's first item; may lie before the input
  unsigned skew_ = 0;      // where the tile's items begin, from there on
  unsigned limit_ = 0;     // and where they end
  unsigned units_count_ = 0;
  bool whole_ = false;  // units lie within the input and can be loaded at once
};

template <class T, class Result, class Offset, class Op>
__global__ void __launch_bounds__(tuning::segment_tile_threads, tuning::segment_tile_blocks_a_processor)
    reduce_tiles(const __grid_constant__ tile_work<T, Result, Offset, Op> work) {
  let_next_kernel_start();
  segment_tile<T, Result, Offset, Op>(work).reduce();
}

/// What tiles left: nothing, the segments of one of them, or all.
template <class T, class Result, class Segments, class Op>
__global__ void __launch_bounds__(tuning::segment_threads, tuning::segment_blocks_a_processor)
    reduce_leftovers(share_work<T, Result, Segments, Op> work, tile_state* state, unsigned tile_segments) {
  wait_for_kernels_before();
  const std::uint64_t stamp = work.slots.stamp;
  const bool all = state->flags[0].all == stamp;
  if (!all && state->one != stamp) {
    if (blockIdx.x == 0 && threadIdx.x == 0 && state->one == ~stamp) state->one = 0;
    if (blockIdx.x == 0 && threadIdx.x == 0 && work.first_invalid != nullptr) *work.first_invalid = ~std::uint64_t{0};
    return;
  }
  if (!all) {
    const std::size_t first = state->tile * tile_segments;
    work.segments.offsets += first;
    work.results += first;
    work.first_segment = first;
    work.count = ::min(work.count - first, std::size_t{tile_segments});
    const std::size_t items = work.segments.end(work.count - 1) - work.segments.begin(0);
    work.shares = equal_shares(items, work.count, work.shares.count, tuning::segment_threads);
  }
  reduce_shares(work);
  if (blockIdx.x + 1 != gridDim.x) return;
  __syncthreads();  // the last block has heard of all others, so these have read the state
  if (threadIdx.x == 0) state->one = 0;
  if (threadIdx.x < tile_state::copies) {
    state->flags[threadIdx.x].all = 0;
    state->flags[threadIdx.x].open = 0;
  }
}

}  // namespace peneira::detail
