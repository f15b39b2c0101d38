// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over the threads of a block. CUB has them too, but including it takes longer than compiling most of our kernels.
#pragma once

#if defined(__CUDACC__)

#include "peneira/gpu/primitives/combine.cuh"

namespace peneira::detail {

/// Lies in shared memory. All threads of a block of this many call; before they call again, they meet.
template <unsigned Threads, class Sum = std::uint64_t>
struct block_sums {
  static_assert(Threads % 32 == 0 && Threads <= 1024);
  Sum of_warps[Threads / 32];

  /// What the threads before this one hold in sum; `all` becomes what all hold.
  __device__ Sum before(Sum mine, Sum& all) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    const Sum here = inclusive_sum(mine);
    if (lane == 31) of_warps[warp] = here;
    __syncthreads();
    const Sum there = inclusive_sum(lane < Threads / 32 ? of_warps[lane] : Sum{0});
    all = __shfl_sync(all_lanes, there, 31);
    const Sum warps_before = __shfl_sync(all_lanes, there, warp == 0 ? 0 : warp - 1);
    return here - mine + (warp == 0 ? 0 : warps_before);
  }

  /// The same for several items a thread, one after the other.
  template <int Items>
  __device__ void before(const Sum (&mine)[Items], Sum (&sums)[Items], Sum& all) {
    Sum own = 0;
    for (int k = 0; k < Items; ++k) own += mine[k];
    Sum next = before(own, all);
    for (int k = 0; k < Items; ++k) {
      const Sum item = mine[k];  // the arrays may be one
      sums[k] = next;
      next += item;
    }
  }
};

}  // namespace peneira::detail

#endif
