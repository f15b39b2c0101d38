// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a partition from both ends: a tile is put in order in shared memory, and a turn later its first part
// is written behind those of the tiles before, its second before theirs, from the end of the output on. So the second
// part is in reverse, unless all items are counted before any is written.
#pragma once

#include "peneira/gpu/exchange/tile_pipeline.cuh"
#include "peneira/gpu/primitives/warp_rows.cuh"
#include "peneira/ops.hpp"
#include "peneira/partition/gpu/tile_shape.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Where the items of a tile go: those of the first part from `front` on, the others from `second` on, or down from it.
struct two_ends {
  std::uint64_t front;
  std::uint64_t second;
  std::uint32_t firsts;  ///< items of the first part in the tile
  bool down;

  [[nodiscard]] __device__ std::uint64_t of(std::uint32_t slot) const {
    if (slot < firsts) return front + slot;
    return down ? second - (slot - firsts) : second + (slot - firsts);
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
  /// Items of the first part in all tiles, where the second one begins.
  __device__ void know(std::uint64_t all) {
    all_ = all;
    knows_all_ = true;
  }
  __device__ void write(unsigned half, std::uint32_t tile, std::uint64_t before_tile, std::uint64_t of_tile) const {
    const std::size_t begin = std::size_t{tile} * shape::tile;
    const std::size_t left = size_ - begin;
    const auto in_tile = static_cast<std::uint32_t>(left < shape::tile ? left : shape::tile);
    const std::uint64_t seconds = begin - before_tile;  // of the second part, in the tiles before
    const bool down = !knows_all_ && tiles_ != 1;
    const std::uint64_t second = down ? size_ - 1 - seconds : (knows_all_ ? all_ : of_tile) + seconds;
    const two_ends to{before_tile, second, static_cast<std::uint32_t>(of_tile), down};
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
  std::uint64_t all_ = 0;
  bool knows_all_ = false;
  std::size_t begin_ = 0;
  rows mine_;
  std::uint32_t is_first_[shape::rows];  ///< a bit an item
  std::uint32_t before_[shape::rows];
};

using partition_pipeline = tile_pipeline<std::uint64_t, tuning::partition_threads>;
static_assert(sizeof(partition_pipeline) <= partition_static_bytes);

template <class K, class V, class F, class Count>
__global__ void __launch_bounds__(tuning::partition_threads, tuning::partition_blocks)
    partition_to_ends(view<const K, const V> in, view<K, V> out, F f, Count* counts, prefix_words words,
                      std::uint32_t tiles) {
  __shared__ partition_pipeline pipeline;
  partition_work<K, V, F, Count> mine(in, out, f, counts, tiles);
  pipeline.run(words, tiles, plus{}, mine);
}

/// In order, of no more than two tiles a block: all blocks run at once, and count before they write.
template <class K, class V, class F, class Count>
__global__ void __launch_bounds__(tuning::partition_threads, tuning::partition_blocks)
    partition_at_once(view<const K, const V> in, view<K, V> out, F f, Count* counts, prefix_words words,
                      std::uint32_t tiles) {
  __shared__ partition_pipeline pipeline;
  partition_work<K, V, F, Count> mine(in, out, f, counts, tiles);
  pipeline.run_at_once(words, tiles, plus{}, mine);
}

/// In order, by one cluster.
template <class K, class V, class F, class Count>
__global__ void __launch_bounds__(tuning::partition_threads, tuning::partition_blocks)
    partition_in_cluster(view<const K, const V> in, view<K, V> out, F f, Count* counts, std::uint32_t tiles) {
  __shared__ partition_pipeline pipeline;
  partition_work<K, V, F, Count> mine(in, out, f, counts, tiles);
  pipeline.run_in_cluster(tiles, plus{}, mine);
}

}  // namespace peneira::detail

#endif
