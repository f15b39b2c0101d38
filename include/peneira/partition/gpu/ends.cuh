// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a partition from both ends: a tile is put in order in shared memory, and a turn later its first part
// is written behind those of the tiles before, its second before theirs, from the end of the output on. So the second
// part is in reverse, unless it is turned round.
#pragma once

#include "peneira/gpu/exchange/tile_pipeline.cuh"
#include "peneira/gpu/primitives/warp_rows.cuh"
#include "peneira/ops.hpp"
#include "peneira/partition/gpu/tile_shape.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Where the items of a tile go: those of the first part from `front` on, the others down from `back`.
struct two_ends {
  std::uint64_t front;
  std::uint64_t back;
  std::uint32_t firsts;  ///< items of the first part in the tile
  bool alone;            ///< is the tile, which is in order then

  [[nodiscard]] __device__ std::uint64_t of(std::uint32_t slot) const {
    return slot < firsts || alone ? front + slot : back - (slot - firsts);
  }
};

/// A column of a tile: loaded, then staged in order in shared memory, so that neighbours are written side by side.
template <class T, class Shape>
struct partition_column {
  using rows = warp_rows<Shape::rows, Shape::group>;
  const T* in;
  T* out;
  alignas(16) T loaded[Shape::rows][Shape::group];

  __device__ partition_column(const T* from, T* to) : in(from), out(to) {}
  __device__ void load(const rows& mine, bool whole) {
    mine.load(loaded, in, whole && aligned_for<T, Shape::group>(in));
  }
  __device__ void stage(const rows& mine, const std::uint32_t (&slots)[Shape::rows][Shape::group], T* staged) const {
#pragma unroll
    for (unsigned r = 0; r < Shape::rows; ++r) {
#pragma unroll
      for (unsigned k = 0; k < Shape::group; ++k) {
        if (mine.has(r, k)) staged[slots[r][k]] = loaded[r][k];
      }
    }
  }
  __device__ void write(const T* staged, const two_ends& to, std::uint32_t in_tile) const {
    for (std::uint32_t slot = threadIdx.x; slot < in_tile; slot += tuning::partition_threads) {
      out[to.of(slot)] = staged[slot];
    }
  }
};

/// Staged items of a tile.
template <class K, class V, class Shape>
struct staged_items {
  alignas(16) K keys[Shape::tile];
  alignas(16) V values[Shape::tile];
};
template <class K, class Shape>
struct staged_items<K, no_value, Shape> {
  alignas(16) K keys[Shape::tile];
};

/// A thread's part of the work on a tile, as tile_pipeline wants it. What tiles tell each other is how many of their
/// items are in the first part.
template <class K, class V, class F, class Count>
class partition_work {
 public:
  __device__ partition_work(const view<const K, const V>& in, const view<K, V>& out, const F& f, Count* counts,
                            std::uint32_t tiles)
      : size_(in.size),
        keys_(in.keys, out.keys),
        values_(values_of(in, out)),
        f_(f),
        counts_(counts),
        tiles_(tiles),
        mine_(0, 0) {}

  __device__ void load(std::uint32_t tile) {
    begin_ = std::size_t{tile} * shape::tile;
    mine_ = rows(begin_ + threadIdx.x / 32 * rows::items, size_);
    const bool whole = begin_ + shape::tile <= size_;
    keys_.load(mine_, whole);
    if constexpr (has_values) values_.load(mine_, whole);
  }
  __device__ std::uint64_t rank() {
    std::uint32_t counted[shape::rows][1];
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) {
      is_first_[r] = 0;
#pragma unroll
      for (unsigned k = 0; k < shape::group; ++k) {
        if (mine_.has(r, k) && f_(keys_.loaded[r][k]) == 0) is_first_[r] |= 1U << k;
      }
      counted[r][0] = static_cast<std::uint32_t>(__popc(is_first_[r]));
    }
    return scan_rows(counted, before_, plus{});
  }
  __device__ void stage(unsigned half, std::uint64_t before_warp, std::uint64_t of_tile) {
    std::uint32_t slots[shape::rows][shape::group];
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) {
      auto firsts = static_cast<std::uint32_t>(before_warp) + before_[r];
      auto others = static_cast<std::uint32_t>(of_tile) + static_cast<std::uint32_t>(mine_.at(r) - begin_) - firsts;
#pragma unroll
      for (unsigned k = 0; k < shape::group; ++k) slots[r][k] = (is_first_[r] >> k & 1U) != 0 ? firsts++ : others++;
    }
    keys_.stage(mine_, slots, staged(half).keys);
    if constexpr (has_values) values_.stage(mine_, slots, staged(half).values);
  }
  __device__ void write(unsigned half, std::uint32_t tile, std::uint64_t before_tile, std::uint64_t of_tile) const {
    const std::size_t begin = std::size_t{tile} * shape::tile;
    const std::size_t left = size_ - begin;
    const auto in_tile = static_cast<std::uint32_t>(left < shape::tile ? left : shape::tile);
    const two_ends to{before_tile, size_ - 1 - (begin - before_tile), static_cast<std::uint32_t>(of_tile), tiles_ == 1};
    keys_.write(staged(half).keys, to, in_tile);
    if constexpr (has_values) values_.write(staged(half).values, to, in_tile);
    if (tile + 1 != tiles_ || threadIdx.x != 0) return;
    counts_[0] = static_cast<Count>(before_tile + of_tile);
    counts_[1] = static_cast<Count>(size_ - (before_tile + of_tile));
  }

 private:
  static constexpr bool has_values = view<K, V>::has_values;
  using shape = partition_shape<K, V>;
  using rows = warp_rows<shape::rows, shape::group>;
  struct no_column {};
  using value_column = std::conditional_t<has_values, partition_column<V, shape>, no_column>;

  __device__ static value_column values_of(const view<const K, const V>& in, const view<K, V>& out) {
    if constexpr (has_values) {
      return {in.values, out.values};
    } else {
      return {};
    }
  }
  __device__ static staged_items<K, V, shape>& staged(unsigned half) {
    return shared_memory<staged_items<K, V, shape>>()[half];
  }

  std::size_t size_;
  partition_column<K, shape> keys_;
  value_column values_;
  F f_;
  Count* counts_;
  std::uint32_t tiles_;
  std::size_t begin_ = 0;
  rows mine_;
  std::uint32_t is_first_[shape::rows];  ///< a bit an item
  std::uint32_t before_[shape::rows];
};

template <class K, class V, class F, class Count>
__global__ void __launch_bounds__(tuning::partition_threads, tuning::partition_blocks)
    partition_to_ends(view<const K, const V> in, view<K, V> out, F f, Count* counts, prefix_words words,
                      std::uint32_t tiles) {
  __shared__ tile_pipeline<std::uint64_t, tuning::partition_threads> pipeline;
  wait_for_kernels_before();
  let_next_kernel_start();
  partition_work<K, V, F, Count> mine(in, out, f, counts, tiles);
  pipeline.run(words, tiles, plus{}, mine);
}

/// Swaps the items of the second part, the first with the last and so on.
template <class K, class V, class Count>
__global__ void __launch_bounds__(tuning::partition_threads) turn_second_part(view<K, V> items, const Count* counts) {
  wait_for_kernels_before();
  const auto first = static_cast<std::size_t>(counts[0]);
  const std::size_t pairs = (items.size - first) / 2;
  const std::size_t threads = std::size_t{gridDim.x} * tuning::partition_threads;
  const auto swap = [](auto& a, auto& b) {
    const auto of_a = a;
    a = b;
    b = of_a;
  };
  for (std::size_t i = std::size_t{blockIdx.x} * tuning::partition_threads + threadIdx.x; i < pairs; i += threads) {
    swap(items.keys[first + i], items.keys[items.size - 1 - i]);
    if constexpr (view<K, V>::has_values) swap(items.values[first + i], items.values[items.size - 1 - i]);
  }
}

}  // namespace peneira::detail

#endif
