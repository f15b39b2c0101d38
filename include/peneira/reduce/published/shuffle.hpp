// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// shuffle (ui32_shfl in the paper, after Luitjens 2014): the lanes of a warp combine their values by shuffles, and the
// first warp does the same with what all warps found.
//
//   warps of 32 lanes  --shuffles-->  a value of each in shared memory  --shuffles of warp 0-->  one
//                                                           one  -->  atomic operation on the result
//
// One barrier a block. Reads each item once. The single instruction that combines a warp's integers (redux) came with
// Ampere and is not Luitjens's; it is not used here.
//
// Cordeiro, Nunan Zola: bestReduce, section 4 (see persistent.hpp).
#pragma once

#include "peneira/reduce/published/persistent.hpp"

namespace peneira::reduce_strategies {

namespace published_kernels {

struct gather_by_shuffles {
#if defined(__CUDACC__)
  template <class T, class Op>
  __device__ static T run(T mine, const Op& op) {
    constexpr unsigned most_warps = most_threads / 32;
    static_assert(most_warps <= 32, "the first warp has a lane for every warp");
    __shared__ shared_values<T, most_warps> room;
    mine = shuffle_warp(mine, op);
    if (threadIdx.x % 32 == 0) room.get()[threadIdx.x / 32] = mine;
    __syncthreads();
    if (threadIdx.x < 32) {
      const bool some = threadIdx.x < blockDim.x / 32;
      mine = shuffle_warp(some ? room.get()[threadIdx.x] : op.template identity<T>(), op);
    }
    return mine;
  }
#endif
};

}  // namespace published_kernels

struct shuffle : reads_items<published_kernels::gather_by_shuffles> {
  static constexpr std::string_view name = "shuffle";
  static constexpr std::string_view about = "published: a block's values are combined by shuffles, warp by warp";
};

}  // namespace peneira::reduce_strategies
