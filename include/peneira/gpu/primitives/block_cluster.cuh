// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The blocks of a thread block cluster, which read and write each other's shared memory.
#pragma once

#include "peneira/config.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// The blocks of a cluster. Cooperative groups have it too, but with headers that take as long to read as all of a
/// sort. GPUs before Hopper have none, and no plan for them asks for one: what stands for it there is a cluster of one.
struct block_cluster {
#if __CUDA_ARCH__ >= 900
  __device__ static unsigned blocks() {
    return __clusterSizeInBlocks();
  }
  __device__ static unsigned rank() {
    return __clusterRelativeBlockRank();
  }
  /// All threads of all blocks meet.
  __device__ static void sync() {
    arrive();
    wait();
  }
  /// The same in two halves, between which a thread does something else.
  __device__ static void arrive() {
    __cluster_barrier_arrive();
  }
  __device__ static void wait() {
    __cluster_barrier_wait();
  }
  /// Where a block has what lies at `here` in the shared memory of this one.
  template <class T>
  __device__ static T* in_block(T* here, unsigned rank) {
    return static_cast<T*>(__cluster_map_shared_rank(here, rank));
  }
#else
  __device__ static unsigned blocks() {
    return 1;
  }
  __device__ static unsigned rank() {
    return 0;
  }
  __device__ static void sync() {
    __syncthreads();
  }
  __device__ static void arrive() {}
  __device__ static void wait() {
    __syncthreads();
  }
  template <class T>
  __device__ static T* in_block(T* here, unsigned /*rank*/) {
    return here;
  }
#endif
};

}  // namespace peneira::detail

#endif
