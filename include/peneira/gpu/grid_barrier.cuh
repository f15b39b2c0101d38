// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A barrier for all blocks of a grid, for kernels of several phases whose number only the device knows.
#pragma once

#include "peneira/config.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Lets the blocks of a grid wait for one another; what any of them wrote before is there for all of them afterwards.
/// Only for steps that run at once.
class grid_barrier {
 public:
  /// `arrived` is zero before the kernel, and for one barrier alone.
  __device__ explicit grid_barrier(std::uint32_t* arrived) : arrived_(arrived) {}

  __device__ void wait() {
    __syncthreads();
    if (threadIdx.x == 0) {
      target_ += gridDim.x;
      __threadfence();
      atomicAdd(arrived_, 1U);
      while (*static_cast<volatile std::uint32_t*>(arrived_) < target_) {
      }
      __threadfence();
    }
    __syncthreads();
  }

 private:
  std::uint32_t* arrived_;
  std::uint32_t target_ = 0;
};

}  // namespace peneira::detail

#endif
