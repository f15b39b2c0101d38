// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of a histogram on a GPU share: the launch that clears the counts, and how they are added to.
#pragma once

#include <algorithm>
#include <type_traits>

#include "peneira/histogram/problem.hpp"
#include "peneira/plan.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/atomic.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// The launch of clear_bins.
inline step clear_bins_step(std::uint32_t bins, const device& machine) {
  constexpr std::uint32_t threads = 512;
  const std::uint64_t blocks = (std::uint64_t{bins} + threads - 1) / threads;
  return {"clear_bins", std::clamp<std::uint64_t>(blocks, 1, 4 * static_cast<std::uint64_t>(machine.sms)), threads};
}

/// Why sums that round are refused where they must have the same bits on every run; empty if they are not.
inline std::string refuse_rounding(const histogram_problem& problem) {
  if (!problem.rounds || problem.grouping == order::any) return {};
  return "adds up floating-point weights as they come; allow it by order::any";
}

#if defined(__CUDACC__)

/// Every count becomes 0. Whoever counts may start meanwhile, and waits before it adds to them.
template <class Count>
__global__ void clear_bins(Count* counts, std::uint32_t bins) {
  let_next_kernel_start();
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; b < bins; b += stride) counts[b] = Count{0};
}

/// *at += value, in whatever order threads come; integers wrap around.
template <class Count, class Sum>
__device__ void add_to(Count* at, Sum value) {
  if constexpr (std::is_floating_point_v<Count>) {
    atomicAdd(at, static_cast<Count>(value));
  } else {
    atomic_instruction<plus>(at, static_cast<Count>(value));
  }
}

#endif

}  // namespace peneira::detail
