// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Two bins in the order of the input, by warps that wait for no other: each has a slice and a tile of its own, and a
// ballot a row of 32 items is all the ranking there is.
//
//   slice of warp w --count_two_way--> counts of each warp and of each block
//   slice of warp w --scatter_two_way--> tile: the items of either bin side by side in shared memory --> two runs in
//   out
#pragma once

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/tuning/gpu.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

inline constexpr unsigned two_way_warps = tuning::two_way_threads / 32;

/// Rows of 32 items in a warp's tile: as many as registers hold.
PENEIRA_HD constexpr unsigned two_way_rows(std::size_t key_bytes, std::size_t value_bytes) {
  const std::size_t words = (key_bytes + 3) / 4 + (value_bytes + 3) / 4;
  return words <= 1 ? 32 : words == 2 ? 16 : words <= 4 ? 8 : 4;
}

/// How many items go to either bin.
struct two_way_counts {
  std::uint64_t zeros;
  std::uint64_t ones;
};

#if defined(__CUDACC__)

/// The caller's three offsets, of 4 or of 8 bytes.
struct two_way_offsets {
  void* at;
  bool wide;

  __device__ void publish(unsigned k, std::uint64_t offset) const {
    if (wide) {
      static_cast<std::uint64_t*>(at)[k] = offset;
    } else {
      static_cast<std::uint32_t*>(at)[k] = static_cast<std::uint32_t>(offset);
    }
  }
};

/// The sum over the lanes of a warp, for all of them.
__device__ inline std::uint64_t sum_of_lanes(std::uint64_t value) {
#pragma unroll
  for (unsigned step = 16; step != 0; step /= 2) value += __shfl_xor_sync(all_lanes, value, step);
  return value;
}

/// The warp's slice of the items: whole tiles, but for the last.
__device__ inline item_range slice_of_warp(std::size_t items, unsigned tile) {
  return slice_in_units(items, blockIdx.x * two_way_warps + threadIdx.x / 32, std::size_t{gridDim.x} * two_way_warps,
                        tile);
}

/// Counts the slice of each warp, and the slices of each block.
template <class K, class F>
__global__ void __launch_bounds__(tuning::two_way_threads, 1)
    count_two_way(const K* keys, std::size_t items, unsigned tile, F f, two_way_counts* of_warps,
                  two_way_counts* of_blocks) {
  __shared__ two_way_counts counts[two_way_warps];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  let_next_kernel_start();
  const item_range mine = slice_of_warp(items, tile);
  std::uint32_t zeros = 0;
  std::uint32_t ones = 0;
  const auto count = [&](const K& key) {
    const std::uint32_t bin = f(key);
    ones += bin == 1 ? 1 : 0;
    if constexpr (!F::safe) zeros += bin == 0 ? 1 : 0;
  };

  constexpr int group = items_of_16_bytes(sizeof(K));
  constexpr unsigned batch = 8;  // groups in flight
  constexpr std::size_t step = std::size_t{batch} * 32 * group;
  std::size_t at = mine.begin;
  if (aligned_for<K, group>(keys)) {
#pragma unroll 1
    for (; at + step <= mine.end; at += step) {
      alignas(16) K loaded[batch][group];
#pragma unroll
      for (unsigned k = 0; k < batch; ++k) copy_group<group>(loaded[k], keys + at + (k * 32 + lane) * group);
#pragma unroll
      for (unsigned k = 0; k < batch; ++k) {
#pragma unroll
        for (int g = 0; g < group; ++g) count(loaded[k][g]);
      }
    }
  }
#pragma unroll 4
  for (at += lane; at < mine.end; at += 32) count(keys[at]);

  ones = combine_lanes<plus>(ones);
  if constexpr (F::safe) {
    zeros = static_cast<std::uint32_t>(mine.end - mine.begin) - ones;
  } else {
    zeros = combine_lanes<plus>(zeros);
  }
  if (lane == 0) of_warps[blockIdx.x * two_way_warps + warp] = counts[warp] = {zeros, ones};
  __syncthreads();
  if (warp != 0) return;
  const two_way_counts own = lane < two_way_warps ? counts[lane] : two_way_counts{};
  const two_way_counts all{sum_of_lanes(own.zeros), sum_of_lanes(own.ones)};
  if (lane == 0) of_blocks[blockIdx.x] = all;
}

/// Moves the slice of each warp, tile by tile; what makes no tile goes row by row straight to its place.
template <class K, class V, class F>
__global__ void __launch_bounds__(tuning::two_way_threads, 1)
    scatter_two_way(view<const K, const V> in, view<K, V> out, F f, const two_way_counts* of_warps,
                    const two_way_counts* of_blocks, two_way_offsets offsets) {
  constexpr bool with_values = view<K, V>::has_values;
  constexpr unsigned rows = two_way_rows(sizeof(K), with_values ? sizeof(V) : 0);
  constexpr unsigned tile = rows * 32;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned below = (1U << lane) - 1;
  auto* const all_keys = shared_memory<K>();
  K* const keys = all_keys + warp * tile;
  [[maybe_unused]] V* const values = reinterpret_cast<V*>(all_keys + two_way_warps * tile) + warp * tile;

  wait_for_kernels_before();
  two_way_counts before{};
  two_way_counts all{};
  for (unsigned b = lane; b < gridDim.x; b += 32) {
    const two_way_counts block = of_blocks[b];
    all.zeros += block.zeros;
    all.ones += block.ones;
    if (b < blockIdx.x) before = all;
  }
  if (lane < warp) {
    const two_way_counts left = of_warps[blockIdx.x * two_way_warps + lane];
    before.zeros += left.zeros;
    before.ones += left.ones;
  }
  const std::uint64_t middle = sum_of_lanes(all.zeros);
  std::uint64_t next_zero = sum_of_lanes(before.zeros);
  std::uint64_t next_one = middle + sum_of_lanes(before.ones);
  if (blockIdx.x == 0 && warp == 0) {
    const std::uint64_t kept = middle + sum_of_lanes(all.ones);
    if (lane == 0) {
      offsets.publish(0, 0);
      offsets.publish(1, middle);
      offsets.publish(2, kept);
    }
  }
  // Where f contradicts itself, a place may be behind the end.
  const auto is_there = [&](std::uint64_t to) { return F::safe || to < out.size; };

  const item_range mine = slice_of_warp(in.size, tile);
  std::size_t at = mine.begin;
#pragma unroll 1
  for (; at + tile <= mine.end; at += tile) {
    K key[rows];
    V value[rows];
#pragma unroll
    for (unsigned i = 0; i < rows; ++i) key[i] = in.keys[at + i * 32 + lane];
    if constexpr (with_values) {
#pragma unroll
      for (unsigned i = 0; i < rows; ++i) value[i] = in.values[at + i * 32 + lane];
    }
    std::uint32_t is_one = 0;  // a bit a row
    std::uint32_t is_zero = 0;
    unsigned ones = 0;
    unsigned zeros = 0;
#pragma unroll
    for (unsigned i = 0; i < rows; ++i) {
      const std::uint32_t bin = f(key[i]);
      if (bin == 1) is_one |= 1U << i;
      ones += __popc(__ballot_sync(all_lanes, bin == 1));
      if constexpr (!F::safe) {
        if (bin == 0) is_zero |= 1U << i;
        zeros += __popc(__ballot_sync(all_lanes, bin == 0));
      }
    }
    if constexpr (F::safe) {
      is_zero = ~is_one;
      zeros = tile - ones;
    }
    unsigned to_zero = 0;
    unsigned to_one = zeros;
#pragma unroll
    for (unsigned i = 0; i < rows; ++i) {
      const bool one = (is_one >> i & 1U) != 0;
      const bool zero = (is_zero >> i & 1U) != 0;
      const unsigned with_one = __ballot_sync(all_lanes, one);
      const unsigned with_zero = F::safe ? ~with_one : __ballot_sync(all_lanes, zero);
      const unsigned to = one ? to_one + __popc(with_one & below) : to_zero + __popc(with_zero & below);
      if (one || zero) {
        keys[to] = key[i];
        if constexpr (with_values) values[to] = value[i];
      }
      to_one += __popc(with_one);
      to_zero += __popc(with_zero);
    }
    __syncwarp();
    const std::uint64_t from_one = next_one - zeros;
#pragma unroll
    for (unsigned i = 0; i < rows; ++i) {
      const unsigned k = i * 32 + lane;
      if (!F::safe && k >= zeros + ones) continue;
      const std::uint64_t to = (k < zeros ? next_zero : from_one) + k;
      if (!is_there(to)) continue;
      out.keys[to] = keys[k];
      if constexpr (with_values) out.values[to] = values[k];
    }
    __syncwarp();
    next_zero += zeros;
    next_one += ones;
  }
  constexpr unsigned batch = rows < 8 ? rows : 8;  // rows in flight
#pragma unroll 1
  for (; at < mine.end; at += std::size_t{batch} * 32) {
    K key[batch];
#pragma unroll
    for (unsigned i = 0; i < batch; ++i) {
      const std::size_t from = at + i * 32 + lane;
      key[i] = in.keys[from < mine.end ? from : at];
    }
#pragma unroll
    for (unsigned i = 0; i < batch; ++i) {
      const std::size_t from = at + i * 32 + lane;
      const std::uint32_t bin = from < mine.end ? f(key[i]) : 2;
      const unsigned with_zero = __ballot_sync(all_lanes, bin == 0);
      const unsigned with_one = __ballot_sync(all_lanes, bin == 1);
      const std::uint64_t to = bin == 1 ? next_one + __popc(with_one & below) : next_zero + __popc(with_zero & below);
      if (bin < 2 && is_there(to)) {
        out.keys[to] = key[i];
        if constexpr (with_values) out.values[to] = in.values[from];
      }
      next_zero += __popc(with_zero);
      next_one += __popc(with_one);
    }
  }
}

#endif

}  // namespace peneira::detail
