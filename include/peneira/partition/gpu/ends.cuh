// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of a partition in any order: a tile is put in order in shared memory, its first part written behind those
// of the tiles before, its second before theirs, from the end of the output on.
#pragma once

#include "peneira/gpu/exchange/tile_prefixes.cuh"
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

  [[nodiscard]] __device__ std::uint64_t of(std::uint32_t slot) const {
    return slot < firsts ? front + slot : back - (slot - firsts);
  }
};

/// Moves a column of a tile by way of shared memory, so that neighbours are written side by side.
template <class Rows, unsigned Count, unsigned Group, class T>
__device__ void move_column(const Rows& mine, const T (&loaded)[Count][Group],
                            const std::uint32_t (&slots)[Count][Group], const two_ends& to, std::uint32_t in_tile,
                            T* out) {
  T* const staged = shared_memory<T>();
#pragma unroll
  for (unsigned r = 0; r < Count; ++r) {
#pragma unroll
    for (unsigned k = 0; k < Group; ++k) {
      if (mine.has(r, k)) staged[slots[r][k]] = loaded[r][k];
    }
  }
  __syncthreads();
  for (std::uint32_t slot = threadIdx.x; slot < in_tile; slot += tuning::partition_threads) {
    out[to.of(slot)] = staged[slot];
  }
}

template <class K, class V, class F, class Count>
__global__ void __launch_bounds__(tuning::partition_threads, tuning::partition_blocks)
    partition_to_ends(view<const K, const V> in, view<K, V> out, F f, Count* counts, prefix_words words,
                      std::uint32_t tiles) {
  using shape = partition_shape<K, V>;
  using rows = warp_rows<shape::rows, shape::group>;
  __shared__ tile_room<std::uint64_t, tuning::partition_threads> room;
  wait_for_kernels_before();
  const std::uint32_t tile = room.take(words, tiles);
  const std::size_t begin = std::size_t{tile} * shape::tile;
  const std::size_t end = begin + shape::tile < in.size ? begin + shape::tile : in.size;
  const rows mine(begin + threadIdx.x / 32 * rows::items, in.size);
  const bool full = begin + shape::tile <= in.size;

  alignas(16) K keys[shape::rows][shape::group];
  mine.load(keys, in.keys, full && aligned_for<K, shape::group>(in.keys));
  std::uint32_t is_first[shape::rows];  // a bit an item
  std::uint32_t counted[shape::rows][1];
  std::uint32_t before[shape::rows];
#pragma unroll
  for (unsigned r = 0; r < shape::rows; ++r) {
    is_first[r] = 0;
#pragma unroll
    for (unsigned k = 0; k < shape::group; ++k) {
      if (mine.has(r, k) && f(keys[r][k]) == 0) is_first[r] |= 1U << k;
    }
    counted[r][0] = static_cast<std::uint32_t>(__popc(is_first[r]));
  }
  const std::uint64_t of_warp = scan_rows(counted, before, plus{});
  const auto place = room.find_place(of_warp, words, tile, tiles, plus{});
  const two_ends to{place.before_tile, in.size - 1 - (begin - place.before_tile),
                    static_cast<std::uint32_t>(place.of_tile)};

  std::uint32_t slots[shape::rows][shape::group];
#pragma unroll
  for (unsigned r = 0; r < shape::rows; ++r) {
    auto firsts = static_cast<std::uint32_t>(place.before_warp) + before[r];
    auto others = to.firsts + static_cast<std::uint32_t>(mine.at(r) - begin) - firsts;
#pragma unroll
    for (unsigned k = 0; k < shape::group; ++k) slots[r][k] = (is_first[r] >> k & 1U) != 0 ? firsts++ : others++;
  }
  const auto in_tile = static_cast<std::uint32_t>(end - begin);
  move_column(mine, keys, slots, to, in_tile, out.keys);
  if constexpr (view<K, V>::has_values) {
    alignas(16) V values[shape::rows][shape::group];
    mine.load(values, in.values, full && aligned_for<V, shape::group>(in.values));
    __syncthreads();
    move_column(mine, values, slots, to, in_tile, out.values);
  }
  if (tile + 1 == tiles && threadIdx.x == 0) {
    const std::uint64_t firsts = place.before_tile + place.of_tile;
    counts[0] = static_cast<Count>(firsts);
    counts[1] = static_cast<Count>(in.size - firsts);
  }
}

}  // namespace peneira::detail

#endif
