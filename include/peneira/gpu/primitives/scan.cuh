// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An exclusive sum over a long array of counts of 32 or 64 bits, in place, in three launches:
//
//   sum_tiles: a sum a tile  ->  scan_sums: one block runs along the sums  ->  scan_tiles: each tile from its own sum
//   on
//
// Reads the array twice and writes it once.
#pragma once

#include "peneira/place.hpp"
#include "peneira/plan.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

inline constexpr int scan_threads = 256;
inline constexpr int scan_items = 8;
inline constexpr std::size_t scan_tile = std::size_t{scan_threads} * scan_items;

inline std::size_t scan_tiles_of(std::size_t entries) {
  return (entries + scan_tile - 1) / scan_tile;
}

/// The three steps.
struct scan_steps {
  step sum;
  step scan_sums;
  step scan;

  static constexpr std::tuple fields{members{&scan_steps::sum, &scan_steps::scan_sums, &scan_steps::scan}};

  static scan_steps of(std::size_t entries) {
    const std::uint64_t tiles = scan_tiles_of(entries);
    return {{"sum_tiles", tiles, scan_threads}, {"scan_sums", 1, scan_threads}, {"scan_tiles", tiles, scan_threads}};
  }
};

#if defined(__CUDACC__)

template <class Count>
__device__ void load_tile(const Count* counts, std::size_t entries, std::uint64_t (&mine)[scan_items]) {
  const std::size_t first = std::size_t{blockIdx.x} * scan_tile + threadIdx.x * scan_items;
  for (int k = 0; k < scan_items; ++k) mine[k] = first + k < entries ? counts[first + k] : 0;
}

template <class Count>
__global__ void sum_tiles(const Count* counts, std::size_t entries, std::uint64_t* sums) {
  __shared__ block_sums<scan_threads> scan;
  std::uint64_t mine[scan_items];
  load_tile(counts, entries, mine);
  std::uint64_t all = 0;
  scan.before(mine, mine, all);
  if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

static __global__ void scan_sums(std::uint64_t* sums, std::size_t tiles) {
  __shared__ block_sums<scan_threads> scan;
  std::uint64_t before = 0;
  for (std::size_t first = 0; first < tiles; first += scan_threads) {
    const std::size_t at = first + threadIdx.x;
    const std::uint64_t sum = at < tiles ? sums[at] : 0;
    std::uint64_t all = 0;
    const std::uint64_t position = scan.before(sum, all);
    if (at < tiles) sums[at] = before + position;
    before += all;
    __syncthreads();
  }
}

template <class Count>
__global__ void scan_tiles(Count* counts, std::size_t entries, const std::uint64_t* sums) {
  __shared__ block_sums<scan_threads> scan;
  std::uint64_t mine[scan_items];
  load_tile(counts, entries, mine);
  std::uint64_t all = 0;
  scan.before(mine, mine, all);
  const std::size_t first = std::size_t{blockIdx.x} * scan_tile + threadIdx.x * scan_items;
  for (int k = 0; k < scan_items; ++k) {
    if (first + k < entries) counts[first + k] = static_cast<Count>(sums[blockIdx.x] + mine[k]);
  }
}

/// Runs the three steps. `sums` has room for scan_tiles_of(entries).
template <class Count>
void scan_exclusive(const gpu& on, const scan_steps& steps, Count* counts, std::size_t entries, std::uint64_t* sums) {
  launch(on, steps.sum, sum_tiles<Count>, counts, entries, sums);
  launch(on, steps.scan_sums, scan_sums, sums, scan_tiles_of(entries));
  launch(on, steps.scan, scan_tiles<Count>, counts, entries, sums);
}

#endif

}  // namespace peneira::detail
