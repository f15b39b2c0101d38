// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort by the blocks of one cluster, as its plan and its kernels see it.
#pragma once

#include "peneira/gpu/primitives/block_cluster.cuh"
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
