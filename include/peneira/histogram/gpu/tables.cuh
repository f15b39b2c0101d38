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

/// Some bins of all, those from `first` on, of which a block has tables at a time.
struct bins_of_pass {
  std::uint32_t first;
  std::uint32_t count;
  bool is_whole;  ///< there are no others

  /// Where the counter of a bin is; out of range where it is not of this pass.
  [[nodiscard]] __device__ std::uint32_t place(std::uint32_t bin) const { return bin - first; }
  template <class F>
  [[nodiscard]] __device__ bool has(std::uint32_t at) const {
    return (F::safe && is_whole) || at < count;
  }
};

/// Calls work(bins of a pass) for each pass, with tables that are clear, and adds these to the counts.
template <class Sum, class Count, class Work>
__device__ void for_passes(const bin_tables<Sum>& tables, std::uint32_t bins, std::uint32_t in_pass, Count* counts,
                           const Work& work) {
  for (std::uint32_t first = 0; first < bins; first += in_pass) {
    const bins_of_pass pass{first, bins - first < in_pass ? bins - first : in_pass, bins == in_pass};
    tables.clear(pass.count);
    __syncthreads();
    work(pass);
    __syncthreads();
    tables.add_up(pass.count, counts + first);
    __syncthreads();
  }
}

/// Counts the bins of a slice a block.
template <class K, class F, class Count>
__global__ void __launch_bounds__(tuning::histogram_threads, 1)
    count_bins(const K* keys, std::size_t items, F f, std::uint32_t bins, std::uint32_t in_pass, unsigned shift,
               Count* counts) {
  constexpr unsigned threads = tuning::histogram_threads;
  const bin_tables<std::uint32_t> tables{shared_memory<std::uint32_t>(), shift};
  const item_range mine = slice_of_block(items, blockIdx.x, gridDim.x);
  for_passes(tables, bins, in_pass, counts, [&](const bins_of_pass& pass) {
    visit_backwards<threads, tuning::histogram_loads * threads>(keys, mine, [=](const K& key) {
      const std::uint32_t at = pass.place(f(key));
      if (pass.has<F>(at)) atomicAdd(tables.of(at), 1U);
    });
  });
}

/// Calls visit(key, weight) for a slice, some of them on their way at a time.
template <class K, class W, class Visit>
__device__ void visit_weights(const K* keys, const W* weights, item_range mine, const Visit& visit) {
  constexpr unsigned threads = tuning::histogram_threads;
  constexpr unsigned together = tuning::histogram_weights;
  for (std::size_t begin = mine.begin; begin < mine.end; begin += together * threads) {
    K some_keys[together];
    W some_weights[together];
#pragma unroll
    for (unsigned k = 0; k < together; ++k) {
      const std::size_t at = begin + k * threads + threadIdx.x;
      if (at < mine.end) {
        some_keys[k] = keys[at];
        some_weights[k] = weights[at];
      }
    }
#pragma unroll
    for (unsigned k = 0; k < together; ++k) {
      if (begin + k * threads + threadIdx.x < mine.end) visit(some_keys[k], some_weights[k]);
    }
  }
}

/// Adds up the weights of a slice a block, by their bins.
template <class Sum, class K, class W, class F, class Count>
__global__ void __launch_bounds__(tuning::histogram_threads, 1)
    weigh_bins(const K* keys, const W* weights, std::size_t items, F f, std::uint32_t bins, std::uint32_t in_pass,
               unsigned shift, Count* counts) {
  const bin_tables<Sum> tables{shared_memory<Sum>(), shift};
  const item_range mine = slice_of_block(items, blockIdx.x, gridDim.x);
  for_passes(tables, bins, in_pass, counts, [&](const bins_of_pass& pass) {
    visit_weights(keys, weights, mine, [&](const K& key, const W& weight) {
      const std::uint32_t at = pass.place(f(key));
      if (pass.has<F>(at)) add_to(tables.of(at), static_cast<Sum>(weight));
    });
  });
}

}  // namespace peneira::detail

#endif
