// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of histograms of more bins than shared memory holds.
#pragma once

#include "peneira/histogram/gpu/bin_sums.cuh"
#include "peneira/tuning/gpu_calls.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Calls visit(i, is there) for items that neighbouring threads have neighbours of, all lanes of a warp together.
template <class Visit>
__device__ void visit_rows(std::size_t items, Visit&& visit) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll 4
  for (std::size_t row = first - threadIdx.x % 32; row < items; row += stride) {
    const std::size_t at = row + threadIdx.x % 32;
    visit(at, at < items);
  }
}

/// A counter is added to once for all lanes of a warp that have its bin.
template <class K, class F, class Count>
__global__ void __launch_bounds__(tuning::histogram_global_threads)
    count_bins_globally(const K* keys, std::size_t items, F f, std::uint32_t bins, Count* counts) {
  wait_for_kernels_before();
  visit_rows(items, [=](std::size_t at, bool is_there) {
    const std::uint32_t bin = is_there ? f(keys[at]) : 0xFFFFFFFFU;
    const unsigned alike = __match_any_sync(all_lanes, bin);
    const bool first = (alike & ((1U << threadIdx.x % 32) - 1)) == 0;
    if (first && bin < bins) add_to(counts + bin, static_cast<Count>(__popc(alike)));
  });
}

/// The same of weights, which are added up first where all lanes have one bin.
template <class Sum, class K, class W, class F, class Count>
__global__ void __launch_bounds__(tuning::histogram_global_threads)
    weigh_bins_globally(const K* keys, const W* weights, std::size_t items, F f, std::uint32_t bins, Count* counts) {
  wait_for_kernels_before();
  visit_rows(items, [=](std::size_t at, bool is_there) {
    const std::uint32_t bin = is_there ? f(keys[at]) : 0xFFFFFFFFU;
    const Sum weight = is_there ? static_cast<Sum>(weights[at]) : Sum{0};
    int all_alike = 0;
    static_cast<void>(__match_all_sync(all_lanes, bin, &all_alike));
    if (all_alike == 0) {
      if (bin < bins) add_to(counts + bin, weight);
      return;
    }
    const Sum all = combine_warp(weight, plus{});
    if (threadIdx.x % 32 == 0 && bin < bins) add_to(counts + bin, all);
  });
}

}  // namespace peneira::detail

#endif
