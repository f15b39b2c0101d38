// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums over the threads of a block. CUB has them too, but including it takes longer than compiling most of our kernels.
#pragma once

#include <cstdint>

namespace peneira::detail {

#if defined(__CUDACC__)

/// Lies in shared memory. All threads of a block of this many call; before they call again, they meet.
template <unsigned Threads>
struct block_sums {
  static_assert(Threads % 32 == 0 && Threads <= 1024);
  std::uint64_t of_warps[Threads / 32];

  /// What the threads before this one hold in sum; `all` becomes what all hold.
  __device__ std::uint64_t before(std::uint64_t mine, std::uint64_t& all) {
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    const std::uint64_t here = through(mine, lane);
    if (lane == 31) of_warps[warp] = here;
    __syncthreads();
    const std::uint64_t there = through(lane < Threads / 32 ? of_warps[lane] : 0, lane);
    all = __shfl_sync(~0U, there, 31);
    const std::uint64_t warps_before = __shfl_sync(~0U, there, warp == 0 ? 0 : warp - 1);
    return here - mine + (warp == 0 ? 0 : warps_before);
  }

  /// The same for several items a thread, one after the other.
  template <int Items>
  __device__ void before(const std::uint64_t (&mine)[Items], std::uint64_t (&sums)[Items], std::uint64_t& all) {
    std::uint64_t own = 0;
    for (int k = 0; k < Items; ++k) own += mine[k];
    std::uint64_t next = before(own, all);
    for (int k = 0; k < Items; ++k) {
      const std::uint64_t item = mine[k];  // the arrays may be one
      sums[k] = next;
      next += item;
    }
  }

 private:
  /// The sum of the lanes up to this one.
  __device__ static std::uint64_t through(std::uint64_t mine, unsigned lane) {
    for (unsigned step = 1; step < 32; step *= 2) {
      const std::uint64_t other = __shfl_up_sync(~0U, mine, step);
      if (lane >= step) mine += other;
    }
    return mine;
  }
};

#endif

}  // namespace peneira::detail
