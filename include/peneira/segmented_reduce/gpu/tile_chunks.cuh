// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One tile of short segments that does not fit, say with a giant: blocks take chunks of it after their own tiles, by an
// atomic counter, so that its items are read while other blocks are busy. Which block takes which chunk makes no
// difference.
//
//   the tile   s s s s|---------------------giant--------------------|s s s s
//   chunks     [  0  ][  1  ][  2  ][  3  ][  4  ][  5  ][  6  ][  7  ]         each a part, whatever its segments
//   edges      s s s s`-.                                              `-.      first of all: short segments, and the
//                                                                               ends of long ones outside of their
//                                                                               chunks
//   result     parts of its own chunks, and its ends
//
// Whoever is the last to be done gives the results of the long ones, for which no item is left to be read. For
// operators that are commutative.
//
// What it earns, u32 max of 32 Mi items in 2, 4, 8 and 16 Mi segments, of which one is a giant (and of exponential
// sizes without one): 55.5, 59.7, 71.4 and 89.2 us (49.1, 52.5, 62.0 and 83.5) where the second launch had all of the
// giant; 50.1, 58.7, 66.9 and 79.9 (47.2, 50.0, 59.7 and 77.8) with chunks, and tiles by one copy each, which was not
// measured apart; 47.3, 50.0, 59.7 and 77.4 (44.6, 48.4, 56.0 and 73.7) since its ends come first.
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/gpu/tile_work.cuh"

namespace peneira::detail {

template <class T, class Result, class Offset, class Op>
class tile_chunks {
  using work_type = tile_work<T, Result, Offset, Op>;
  using position = position_of<Offset>;
  static constexpr unsigned threads = tuning::segment_tile_threads;
  static constexpr unsigned group = items_of_16_bytes(sizeof(T));
  static constexpr unsigned most_long = tuning::segment_most_long;

 public:
  __device__ explicit tile_chunks(const work_type& work) : work_(work) {}

  /// Lets others take chunks of a tile, if these are enough to be worth it.
  __device__ void open(position begin, position end) const {
    if (work_.chunk == 0 || begin > end || end > work_.n || (end - begin) / work_.chunk < 2) return;
    work_.state->next = 0;
    work_.state->ready = 0;
#pragma unroll 1
    for (tile_flags& s : work_.state->flags) {
      s.begin = begin;
      s.end = end;
    }
    __threadfence();
    publish_open(work_.stamp);
  }

  /// Takes chunks, a few, or as long as there are some if this is the block that found the tile. All threads come here
  /// together.
  __device__ void take() {
    __shared__ unsigned taken;
    __shared__ position borders[2];
    unsigned left = 0;  // pieces that this block may still take
    if (threadIdx.x == 0 && work_type::read(work_.flags().open) == work_.stamp) {
      left = work_type::read(work_.state->tile) / threads == blockIdx.x ? ~0U : work_.most_taken;
      borders[0] = static_cast<position>(work_type::read(work_.flags().begin));
      borders[1] = static_cast<position>(work_type::read(work_.flags().end));
    }
    for (;;) {
      if (threadIdx.x == 0) {
        const bool more = left-- != 0 && work_type::read(work_.flags().all) != work_.stamp;
        taken = more ? atomicAdd(&work_.state->next, 1U) : ~0U;
      }
      __syncthreads();
      const unsigned piece = taken;  // 0: the edges; others: chunks
      if (piece == ~0U) return;
      first_ = borders[0] + to_whole_group(borders[0]);
      const unsigned chunks = chunks_of(borders[1]);
      if (piece > chunks) return;
      if (piece == chunks && threadIdx.x == 0) publish_open(0);
      if (piece == 0) {
        if (!reduce_edges(borders[0], borders[1])) return;
      } else {
        reduce_chunk(piece - 1);
      }
      if (is_last(chunks + 1)) give_long();
    }
  }

 private:
  __device__ void publish_open(std::uint64_t value) const {
#pragma unroll 1
    for (tile_flags& s : work_.state->flags) work_type::publish(s.open, value);
  }
  [[nodiscard]] __device__ Result lift(const T& item, std::size_t at) const {
    return lifted<Result>(work_.op, item, at);
  }
  /// Items from there to where 16 bytes begin.
  [[nodiscard]] __device__ unsigned to_whole_group(std::size_t at) const {
    return static_cast<unsigned>((0 - (reinterpret_cast<std::uintptr_t>(work_.items) / sizeof(T) + at)) % group);
  }
  /// Whether all pieces are done now, of which this block has done one.
  [[nodiscard]] __device__ bool is_last(unsigned pieces) const {
    __syncthreads();  // what threads of this block wrote lies before
    bool last = false;
    if (threadIdx.x == 0) {
      __threadfence();
      last = atomicAdd(&work_.state->ready, 1U) + 1 == pieces;
    }
    return __syncthreads_or(last ? 1 : 0) != 0;
  }

  /// Adds what this thread has of so many values that the block combines: load(k) gives one, and several of a thread
  /// are under way, the last ones, of which there may be fewer, in vain.
  template <class Load>
  __device__ void add_all(Result& value, unsigned many, const Load& load) const {
    constexpr unsigned loads = 8;
#pragma unroll 1
    for (unsigned k = threadIdx.x; k < many; k += loads * threads) {
      Result some[loads];
#pragma unroll
      for (unsigned i = 0; i < loads; ++i) some[i] = load(::min(k + i * threads, many - 1));
#pragma unroll
      for (unsigned i = 0; i < loads; ++i) {
        if (k + i * threads < many) value = work_.op(value, some[i]);
      }
    }
  }
  __device__ void add_items(Result& value, std::size_t from, unsigned many) const {
    const T* const items = work_.items + from;
    add_all(value, many, [=, this](unsigned k) { return lift(items[k], from + k); });
  }
  /// The same for items that begin with 16 bytes and are as many as all threads load at a time, or a multiple.
  __device__ void add_groups(Result& value, std::size_t from, unsigned many) const {
    constexpr unsigned loads = 4;
    constexpr unsigned step = threads * group;
    const T* const items = work_.items + from;
#pragma unroll 1
    for (unsigned k = threadIdx.x * group; k < many; k += loads * step) {
      alignas(16) T some[loads * group];
#pragma unroll
      for (unsigned i = 0; i < loads; ++i) {
        load_group<static_cast<int>(group), true>(some + i * group, items + k + i * step);
      }
#pragma unroll
      for (unsigned i = 0; i < loads * group; ++i) {
        value = work_.op(value, lift(some[i], from + k + i / group * step + i % group));
      }
    }
  }

  /// The part of a chunk.
  __device__ void reduce_chunk(unsigned chunk) const {
    __shared__ warp_values<Result, threads> room;
    const std::size_t from = std::size_t{first_} + std::size_t{chunk} * work_.chunk;
    Result value = work_.op.template identity<Result>();
    if (aligned_for<T, static_cast<int>(group)>(work_.items + from)) {
      add_groups(value, from, work_.chunk);
    } else {
      add_items(value, from, work_.chunk);
    }
    value = combine_block<threads>(value, work_.op, room);
    if (threadIdx.x == 0) work_.parts[most_long + chunk] = value;
  }

  /// The results of short segments, and of long ones what lies outside of their chunks. False: it must be done
  /// otherwise.
  __device__ bool reduce_edges(position tile_begin, position tile_end) const {
    __shared__ unsigned many_long;
    __shared__ long_segment longs[most_long];
    const std::size_t first = work_type::read(work_.state->tile) * work_.segments;
    const auto many = static_cast<unsigned>(::min(std::size_t{work_.segments}, work_.count - first));
    if (threadIdx.x == 0) many_long = 0;
    __syncthreads();
    bool gave_up = false;
    for (unsigned k = threadIdx.x; k < many; k += threads) {
      const position begin = work_.offset(first + k);
      const position end = work_.offset(first + k + 1);
      if (begin < tile_begin || begin > end || end > tile_end) {
        gave_up = true;
      } else if (end - begin > tuning::segment_tile_lane_items) {
        const unsigned at = atomicAdd(&many_long, 1U);
        if (at < most_long) longs[at] = {k, begin <= first_ ? 0 : chunks_of(begin - 1) + 1, chunks_of(end)};
        gave_up = gave_up || at >= most_long;
      } else {
        Result value = work_.op.template identity<Result>();
#pragma unroll 4
        for (std::size_t i = begin; i < end; ++i) value = work_.op(value, lift(work_.items[i], i));
        work_.results[first + k] = value;
      }
    }
    if (__syncthreads_or(gave_up ? 1 : 0) != 0) {
      if (threadIdx.x == 0) work_.redo_all();
      return false;
    }
    if (threadIdx.x == 0) work_.state->many_long = many_long;
    for (unsigned i = 0; i < many_long; ++i) {
      if (threadIdx.x == 0) work_.state->longs[i] = longs[i];
      reduce_ends(i, longs[i], work_.offset(first + longs[i].at), work_.offset(first + longs[i].at + 1));
    }
    return true;
  }
  /// Whole chunks before a position.
  [[nodiscard]] __device__ unsigned chunks_of(position at) const {
    return at <= first_ ? 0 : static_cast<unsigned>((at - first_) / work_.chunk);
  }
  /// What a long segment has outside of its chunks, or all of it where it has none.
  __device__ void reduce_ends(unsigned i, const long_segment& s, std::size_t begin, std::size_t end) const {
    __shared__ warp_values<Result, threads> room;
    Result value = work_.op.template identity<Result>();
    const std::size_t own = s.from < s.to ? std::size_t{first_} + std::size_t{s.from} * work_.chunk : end;
    const std::size_t behind = s.from < s.to ? std::size_t{first_} + std::size_t{s.to} * work_.chunk : end;
#pragma unroll 1
    for (std::size_t k = begin < own ? begin : behind; k < end; k = k < own ? behind : end) {
      add_items(value, k, static_cast<unsigned>((k < own ? own : end) - k));
    }
    value = combine_block<threads>(value, work_.op, room);
    if (threadIdx.x == 0) work_.parts[i] = value;
    __syncthreads();  // `room` is free again
  }

  /// The results of long segments.
  __device__ void give_long() const {
    __shared__ warp_values<Result, threads> room;
    __threadfence();  // parts of others lie before
    const std::size_t first = work_type::read(work_.state->tile) * work_.segments;
    const volatile tile_state& state = *work_.state;
    const unsigned many_long = state.many_long;
    for (unsigned i = 0; i < many_long; ++i) {
      const unsigned from = state.longs[i].from;
      const unsigned to = state.longs[i].to;
      Result value = work_.op.template identity<Result>();
      if (threadIdx.x == 0) value = work_.parts[i];
      const Result* const parts = work_.parts + most_long + from;
      if (from < to) add_all(value, to - from, [parts](unsigned k) { return parts[k]; });
      value = combine_block<threads>(value, work_.op, room);
      if (threadIdx.x == 0) work_.results[first + state.longs[i].at] = value;
      __syncthreads();  // `room` is free again
    }
    if (threadIdx.x == 0) work_type::publish(work_.state->one, ~work_.stamp);
  }

  const work_type& work_;
  position first_ = 0;  // of the first chunk's items
};

/// Takes chunks. A function of its own, so that those who have none keep their registers for themselves.
template <class T, class Result, class Offset, class Op>
__device__ __noinline__ void take_chunks(const tile_work<T, Result, Offset, Op>& work) {
  tile_chunks<T, Result, Offset, Op>(work).take();
}

}  // namespace peneira::detail
