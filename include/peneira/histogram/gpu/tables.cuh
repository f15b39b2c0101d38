// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of histograms in shared memory.
#pragma once

#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/histogram/gpu/bin_sums.cuh"
#include "peneira/tuning/gpu_calls.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Tables of a block, interleaved: the copies of a counter are neighbours, and lanes that are neighbours have different
/// ones. So with 32 copies no two lanes of a warp meet at a bank, and with fewer no more than 32 / copies at a counter.
template <class Sum>
struct bin_tables {
  Sum* sums;
  unsigned shift;  ///< there are 1 << shift copies

  __device__ void clear(std::uint32_t bins) const {
    const std::uint32_t all = bins << shift;
    for (std::uint32_t at = threadIdx.x; at < all; at += blockDim.x) sums[at] = Sum{0};
  }
  /// The counter that this thread has for a bin.
  [[nodiscard]] __device__ Sum* of(std::uint32_t bin) const {
    return sums + ((bin << shift) + (threadIdx.x & ((1U << shift) - 1)));
  }
  /// All copies of a bin. Lanes read different ones at a time, as their bins are neighbours.
  [[nodiscard]] __device__ Sum total(std::uint32_t bin) const {
    const std::uint32_t copies = 1U << shift;
    Sum all{0};
    for (std::uint32_t c = 0; c < copies; ++c) all += sums[(bin << shift) + ((c + threadIdx.x) & (copies - 1))];
    return all;
  }
  /// Adds them to the counts of all blocks, which somebody clears meanwhile.
  template <class Count>
  __device__ void add_up(std::uint32_t bins, Count* counts) const {
    wait_for_kernels_before();
    for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) {
      const Sum all = total(b);
      if (all != Sum{0}) add_to(counts + b, all);
    }
  }
};

/// Counts the bins of a slice a block.
template <class K, class F, class Count>
__global__ void __launch_bounds__(tuning::histogram_threads)
    count_bins(const K* keys, std::size_t items, F f, std::uint32_t bins, unsigned shift, Count* counts) {
  constexpr unsigned threads = tuning::histogram_threads;
  const bin_tables<std::uint32_t> tables{shared_memory<std::uint32_t>(), shift};
  tables.clear(bins);
  __syncthreads();
  const item_range mine = slice_of_block(items, blockIdx.x, gridDim.x);
  visit_backwards<threads, tuning::histogram_loads * threads>(keys, mine, [=](const K& key) {
    const std::uint32_t bin = f(key);
    if (F::safe || bin < bins) atomicAdd(tables.of(bin), 1U);
  });
  __syncthreads();
  tables.add_up(bins, counts);
}

/// Adds up the weights of a slice a block, by their bins.
template <class Sum, class K, class W, class F, class Count>
__global__ void __launch_bounds__(tuning::histogram_threads)
    weigh_bins(const K* keys, const W* weights, std::size_t items, F f, std::uint32_t bins, unsigned shift,
               Count* counts) {
  const bin_tables<Sum> tables{shared_memory<Sum>(), shift};
  tables.clear(bins);
  __syncthreads();
  const item_range mine = slice_of_block(items, blockIdx.x, gridDim.x);
#pragma unroll 4
  for (std::size_t at = mine.begin + threadIdx.x; at < mine.end; at += tuning::histogram_threads) {
    const std::uint32_t bin = f(keys[at]);
    const auto weight = static_cast<Sum>(weights[at]);
    if (F::safe || bin < bins) add_to(tables.of(bin), weight);
  }
  __syncthreads();
  tables.add_up(bins, counts);
}

}  // namespace peneira::detail

#endif
