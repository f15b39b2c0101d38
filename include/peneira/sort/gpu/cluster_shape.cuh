// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort by the blocks of one cluster, as its plan and its kernels see it.
#pragma once

#include "peneira/key_order.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// The part of a block in a sort by a cluster.
struct cluster_shape {
  static constexpr int threads = 512;
  static constexpr int items = 8;
  static constexpr int size = threads * items;
  static constexpr unsigned digit_bits = 8;
  static constexpr unsigned digits = 1U << digit_bits;
  static constexpr unsigned most_blocks = 16;
};

/// What a block then sorts by itself, where keys go to the block of their range.
struct cluster_buckets_shape {
  static constexpr int threads = cluster_shape::threads;
  static constexpr int items = 10;
  static constexpr int size = threads * items;
  static constexpr unsigned bucket_bits = 12;
  static constexpr unsigned buckets = 1U << bucket_bits;
  static constexpr unsigned pad = 32;  ///< more than what a thread sees of its neighbours' keys
  static_assert(size + 2 * pad <= 2 * cluster_shape::size);
};

/// Bytes of shared memory that a block of such a sort declares itself, at most.
inline constexpr std::size_t cluster_static_bytes = 24 * 1024;

#if defined(__CUDACC__)

/// The blocks of a cluster. Cooperative groups have it too, but with headers that take as long to read as all of a
/// sort. GPUs before Hopper have none, and the strategy refuses them: what stands for it there is never run.
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
    __cluster_barrier_arrive();
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
  template <class T>
  __device__ static T* in_block(T* here, unsigned /*rank*/) {
    return here;
  }
#endif
};

template <class U>
struct digit_at {
  bit_range<U> part;
  unsigned shift;
  [[nodiscard]] __device__ std::uint32_t operator()(U ordered) const {
    return static_cast<std::uint32_t>(part(ordered) >> shift) & (cluster_shape::digits - 1);
  }
};

#endif

}  // namespace peneira::detail
