// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One tile of short segments that has no room, say with a giant: blocks take chunks of it after their own tiles, so
// that its items are read while other blocks have their hands full. Which block takes which chunk makes no difference.
//
//   the tile   ...|---------------------giant--------------------|...
//   chunks        `.[ 0 ][ 1 ][ 2 ][ 3 ][ 4 ][ 5 ][ 6 ][ 7 ][ 8 ].'    each a part, whatever its segments
//   results       what lies before the first whole chunk of a segment, parts of its chunks, what lies behind
//
// Whoever reduced the last one gives the results. For operators that are commutative.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/combine.cuh"
#include "peneira/device/tile_work.cuh"
#include "peneira/ops.hpp"

namespace peneira::detail {

template <class T, class Result, class Offset, class Op>
class tile_chunks {
  using work_type = tile_work<T, Result, Offset, Op>;
  using position = position_of<Offset>;
  static constexpr unsigned threads = tuning::segment_tile_threads;
  static constexpr unsigned group = items_of_16_bytes(sizeof(T));
  static constexpr unsigned loads = 4;      // of a thread under way
  static constexpr unsigned most_long = 8;  // segments of a tile for which one block is enough

 public:
  __device__ explicit tile_chunks(const work_type& work) : work_(work) {}

  /// Lets others take chunks of a tile, if these are enough to be worth it.
  __device__ void open(position begin, position end) const {
    if (work_.chunk == 0 || begin > end || end > work_.n || (end - begin) / work_.chunk < 2) return;
    work_.notes->next = 0;
    work_.notes->ready = 0;
#pragma unroll 1
    for (tile_signs& s : work_.notes->signs) {
      s.begin = begin;
      s.end = end;
    }
    __threadfence();
    sign(work_.stamp);
  }

  /// Takes chunks, a few, or as long as there are some if this is the block that found the tile. All threads come here
  /// together.
  __device__ void take() {
    __shared__ unsigned taken;
    __shared__ position borders[2];
    unsigned turns = 0;
    if (threadIdx.x == 0 && work_type::look(work_.signs().open) == work_.stamp) {
      turns = work_type::look(work_.notes->tile) / threads == blockIdx.x ? ~0U : work_.turns;
      borders[0] = static_cast<position>(work_type::look(work_.signs().begin));
      borders[1] = static_cast<position>(work_type::look(work_.signs().end));
    }
    for (;;) {
      if (threadIdx.x == 0) {
        const bool more = turns-- != 0 && work_type::look(work_.signs().all) != work_.stamp;
        taken = more ? atomicAdd(&work_.notes->next, 1U) : ~0U;
      }
      __syncthreads();
      const unsigned chunk = taken;
      if (chunk == ~0U) return;
      begin_ = borders[0];
      end_ = borders[1];
      first_ = begin_ + (0 - (reinterpret_cast<std::uintptr_t>(work_.items) / sizeof(T) + begin_)) % group;
      const auto chunks = static_cast<unsigned>((end_ - first_) / work_.chunk);
      if (chunk >= chunks) return;
      if (chunk + 1 == chunks && threadIdx.x == 0) sign(0);
      if (reduce(chunk, chunks)) finish();
    }
  }

 private:
  __device__ void sign(std::uint64_t what) const {
#pragma unroll 1
    for (tile_signs& s : work_.notes->signs) work_type::tell(s.open, what);
  }
  [[nodiscard]] __device__ Result lift(const T& item, std::size_t at) const {
    return lifted<Result>(work_.op, item, at);
  }
  /// Reduces a chunk; whether it was the last.
  __device__ bool reduce(unsigned chunk, unsigned chunks) const {
    __shared__ warp_values<Result, threads> room;
    const std::size_t from = std::size_t{first_} + std::size_t{chunk} * work_.chunk;
    Result value = work_.op.template identity<Result>();
    if (aligned_for<T, static_cast<int>(group)>(work_.items + from)) {
#pragma unroll 1
      for (unsigned k = threadIdx.x * group; k < work_.chunk; k += loads * threads * group) {
        alignas(16) T some[loads * group];
#pragma unroll
        for (unsigned i = 0; i < loads; ++i) {
          load_group<static_cast<int>(group), true>(some + i * group, work_.items + from + k + i * threads * group);
        }
#pragma unroll
        for (unsigned i = 0; i < loads * group; ++i) {
          value = work_.op(value, lift(some[i], from + k + i / group * threads * group + i % group));
        }
      }
    } else {
      value = of_items(from, from + work_.chunk);
    }
    value = combine_block<threads>(value, work_.op, room);
    bool last = false;
    if (threadIdx.x == 0) {
      work_.parts[chunk] = value;
      __threadfence();
      last = atomicAdd(&work_.notes->ready, 1U) + 1 == chunks;
    }
    return __syncthreads_or(last ? 1 : 0) != 0;
  }
  /// What this thread has of some items that the block combines.
  [[nodiscard]] __device__ Result of_items(std::size_t from, std::size_t to) const {
    Result value = work_.op.template identity<Result>();
#pragma unroll 8
    for (std::size_t k = from + threadIdx.x; k < to; k += threads) value = work_.op(value, lift(work_.items[k], k));
    return value;
  }

  /// The results of the tile.
  __device__ void finish() const {
    __shared__ unsigned many_long;
    __shared__ unsigned long_ones[most_long];
    const std::size_t first = work_type::look(work_.notes->tile) * work_.segments;
    const auto many = static_cast<unsigned>(::min(std::size_t{work_.segments}, work_.count - first));
    if (threadIdx.x == 0) many_long = 0;
    __threadfence();  // parts of others lie before
    __syncthreads();
    bool gave_up = false;
    for (unsigned k = threadIdx.x; k < many; k += threads) {
      const position begin = work_.offset(first + k);
      const position end = work_.offset(first + k + 1);
      if (begin < begin_ || begin > end || end > end_) {
        gave_up = true;
      } else if (end - begin > tuning::segment_tile_lane_items) {
        const unsigned at = atomicAdd(&many_long, 1U);
        if (at < most_long) long_ones[at] = k;
        gave_up = gave_up || at >= most_long;
      } else {
        Result value = work_.op.template identity<Result>();
#pragma unroll 4
        for (std::size_t i = begin; i < end; ++i) value = work_.op(value, lift(work_.items[i], i));
        work_.results[first + k] = value;
      }
    }
    if (__syncthreads_or(gave_up ? 1 : 0) != 0) {
      if (threadIdx.x == 0) work_.leave_all();
      return;
    }
    for (unsigned i = 0; i < many_long; ++i) finish_long(first + long_ones[i]);
    if (threadIdx.x == 0) work_type::tell(work_.notes->one, ~work_.stamp);
  }
  __device__ void finish_long(std::size_t segment) const {
    __shared__ warp_values<Result, threads> room;
    const std::size_t begin = work_.offset(segment);
    const std::size_t end = work_.offset(segment + 1);
    const std::size_t chunk = work_.chunk;
    const std::size_t from = begin <= first_ ? 0 : (begin - first_ + chunk - 1) / chunk;
    const std::size_t to = end <= first_ ? 0 : (end - first_) / chunk;
    Result value = work_.op.template identity<Result>();
    if (from < to) {
      value = of_items(begin, first_ + from * chunk);
#pragma unroll 8
      for (std::size_t k = from + threadIdx.x; k < to; k += threads) value = work_.op(value, work_.parts[k]);
      value = work_.op(value, of_items(first_ + to * chunk, end));
    } else {
      value = of_items(begin, end);
    }
    value = combine_block<threads>(value, work_.op, room);
    if (threadIdx.x == 0) work_.results[segment] = value;
    __syncthreads();  // `room` is free again
  }

  const work_type& work_;
  position begin_ = 0;  // of the tile's items
  position end_ = 0;
  position first_ = 0;  // of the first chunk
};

}  // namespace peneira::detail
