// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// shared_memory (ui32_sh_mem in the paper, after Harris 2007): the threads of a block put their values into shared
// memory, and half as many of them combine two of these, until one is left.
//
//   values  0 1 2 3 4 5 6 7   each with the one 4 behind it
//           0 1 2 3           2 behind
//           0 1               1 behind
//           0  -->  atomic operation on the result
//
// Ten rounds, each behind a barrier; a block of fewer than 1024 threads leaves out what is behind its last value. Reads
// each item once.
//
// Cordeiro, Nunan Zola: bestReduce, section 4 (see persistent.hpp).
#pragma once

#include "peneira/reduce/published/persistent.hpp"

namespace peneira::reduce_strategies {

namespace published_kernels {

struct gather_in_tree {
#if defined(__CUDACC__)
  template <class T, class Op>
  __device__ static T run(const T& mine, const Op& op) {
    __shared__ shared_values<T, most_threads> room;
    T* const values = room.get();
    values[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = most_threads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half && threadIdx.x + half < blockDim.x) {
        values[threadIdx.x] = op(values[threadIdx.x], values[threadIdx.x + half]);
      }
      __syncthreads();
    }
    return values[0];
  }
#endif
};

}  // namespace published_kernels

struct shared_memory : reads_items<published_kernels::gather_in_tree> {
  static constexpr std::string_view name = "shared_memory";
  static constexpr std::string_view about = "published: a block's values are combined in shared memory, as a tree";
};

}  // namespace peneira::reduce_strategies
