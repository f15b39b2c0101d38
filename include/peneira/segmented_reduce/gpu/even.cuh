// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel for segments of one size that is a power of two, each within what a warp loads at a time.
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/ops.hpp"
#include "peneira/tuning/gpu_reduce.hpp"

namespace peneira::segmented_reduce_strategies {

/// The tiles of warps, which are loaded by groups of 16 bytes a lane.
template <class T, class Result, class Op>
class even_tiles {
  static constexpr unsigned group = detail::items_of_16_bytes(sizeof(T));
  static constexpr unsigned loads = tuning::even_loads;

 public:
  static constexpr unsigned tile = 32 * loads * group;

  __device__ even_tiles(const T* items, std::size_t n, unsigned shift, const Op& op, Result* results)
      : items_(items),
        n_(n),
        shift_(shift),
        op_(op),
        results_(results),
        aligned_(detail::aligned_for<T, group>(items)) {}

  /// A warp's tile, from an item on at which a segment begins.
  __device__ void take(std::size_t first) const {
    if (n_ - first < tile) {
      take_last(first);
      return;
    }
    alignas(16) T some[loads][group];
    const std::size_t mine = first + threadIdx.x % 32 * group;
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
      const T* const from = items_ + mine + k * 32 * group;
      if (aligned_) {
        detail::load_group<group, true>(some[k], from);
      } else {
#pragma unroll
        for (unsigned j = 0; j < group; ++j) some[k][j] = from[j];
      }
    }
    if ((1U << shift_) < group) {
      combine_within_groups(some, mine);
    } else {
      combine_groups(some, mine);
    }
  }

 private:
  __device__ void add(Result& with, const T& item, std::size_t at) const {
    with = op_(with, detail::lifted<Result>(op_, item, at));
  }

  /// Segments of several groups.
  __device__ void combine_groups(const T (&some)[loads][group], std::size_t mine) const {
    Result values[loads];
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
      values[k] = op_.template identity<Result>();
#pragma unroll
      for (unsigned j = 0; j < group; ++j) add(values[k], some[k][j], mine + k * 32 * group + j);
    }
    unsigned lanes = (1U << shift_) / group;
    unsigned stride = 1;  // loads that a segment takes
#pragma unroll
    for (unsigned step = 1; step < loads; step *= 2) {
      if (lanes <= 32) break;
#pragma unroll
      for (unsigned k = 0; k + step < loads; k += 2 * step) values[k] = op_(values[k], values[k + step]);
      lanes /= 2;
      stride *= 2;
    }
#pragma unroll 1
    for (unsigned step = 1; step < lanes; step *= 2) {
#pragma unroll
      for (unsigned k = 0; k < loads; ++k) {
        values[k] = op_(values[k], detail::shuffled<detail::direction::down>(values[k], step));
      }
    }
    if (threadIdx.x % 32 % lanes != 0) return;
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
      if (k % stride == 0) results_[(mine + k * 32 * group) >> shift_] = values[k];
    }
  }

  /// Groups of several segments.
  __device__ void combine_within_groups(const T (&some)[loads][group], std::size_t mine) const {
#pragma unroll
    for (unsigned k = 0; k < loads; ++k) {
      const std::size_t first = mine + k * 32 * group;
      if (shift_ == 0) give<1>(some[k], first);
      if (shift_ == 1) give<2>(some[k], first);
      if (shift_ == 2) give<4>(some[k], first);
      if (shift_ == 3) give<8>(some[k], first);
    }
  }
  template <unsigned Size>
  __device__ void give(const T (&some)[group], std::size_t first) const {
    if constexpr (Size < group) {
      constexpr unsigned count = group / Size;
      alignas(16) Result values[count];
#pragma unroll
      for (unsigned s = 0; s < count; ++s) {
        values[s] = op_.template identity<Result>();
#pragma unroll
        for (unsigned j = 0; j < Size; ++j) add(values[s], some[s * Size + j], first + s * Size + j);
      }
      Result* const to = results_ + first / Size;
      if (detail::aligned_for<Result, count>(to)) {
        detail::copy_group<count>(to, values);
      } else {
#pragma unroll
        for (unsigned s = 0; s < count; ++s) to[s] = values[s];
      }
    }
  }

  /// The last tile, load by load, as far as there are items.
  __device__ void take_last(std::size_t first) const {
    const unsigned size = 1U << shift_;
    const unsigned lanes = size < group ? 1 : ::min(size / group, 32U);
    const unsigned stride = size <= 32 * group ? 1 : size / (32 * group);  // loads that a segment takes
    Result value = op_.template identity<Result>();
#pragma unroll 1
    for (unsigned k = 0; k < loads; ++k) {
      const std::size_t mine = first + (k * 32 + threadIdx.x % 32) * group;
      for (std::size_t at = mine; at < mine + group; ++at) {
        if (at < n_) add(value, items_[at], at);
        if (size >= group || (at + 1) % size != 0) continue;
        if (at + 1 - size < n_) results_[at >> shift_] = value;
        value = op_.template identity<Result>();
      }
      if (size < group || (k + 1) % stride != 0) continue;
      for (unsigned step = 1; step < lanes; step *= 2) {
        value = op_(value, detail::shuffled<detail::direction::down>(value, step));
      }
      const std::size_t begin = mine - (stride - 1) * 32 * group;  // of the segment, in its first lane
      if (threadIdx.x % 32 % lanes == 0 && begin < n_) results_[begin >> shift_] = value;
      value = op_.template identity<Result>();
    }
  }

  const T* items_;
  std::size_t n_;
  unsigned shift_;  // the size's only bit
  const Op& op_;
  Result* results_;
  bool aligned_;
};

template <class T, class Result, class Op>
__global__ void __launch_bounds__(tuning::even_threads, tuning::even_blocks_a_processor)
    reduce_even(const T* items, std::size_t n, unsigned shift, Op op, Result* results) {
  using tiles = even_tiles<T, Result, Op>;
  const tiles work(items, n, shift, op, results);
  const std::size_t warps = std::size_t{gridDim.x} * (tuning::even_threads / 32);
  const std::size_t warp = std::size_t{blockIdx.x} * (tuning::even_threads / 32) + threadIdx.x / 32;
  for (std::size_t first = warp * tiles::tile; first < n; first += warps * tiles::tile) work.take(first);
}

}  // namespace peneira::segmented_reduce_strategies
