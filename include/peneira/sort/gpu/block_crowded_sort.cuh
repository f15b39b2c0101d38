// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A task of an MSD radix sort of keys that crowd in some buckets. Most often a bucket has copies of one key, and those
// are in order as they are.
//
//   keys lie bucket by bucket -> which buckets have more than one key -> there, each key counts the smaller ones
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

#if defined(__CUDACC__)

/// The buckets of a task whose keys are not all equal, a bit each.
template <class Shape>
struct mixed_buckets {
  std::uint32_t bits[Shape::buckets / 32];
  std::uint32_t looks;  ///< of all their keys at those of their buckets

  [[nodiscard]] __device__ bool has(std::uint32_t bucket) const { return (bits[bucket / 32] >> bucket % 32 & 1U) != 0; }
  __device__ void add(std::uint32_t bucket) {
    if (!has(bucket)) atomicOr(&bits[bucket / 32], 1U << bucket % 32);
  }
};

/// Keys that lie bucket by bucket, and where each bucket begins.
template <class Shape, class Buckets>
struct bucket_places {
  const Buckets& shared;
  std::uint32_t size;
  unsigned shift;

  [[nodiscard]] __device__ std::uint32_t of(unsigned place) const {
    return static_cast<std::uint32_t>(shared.keys[place] >> shift);
  }
  [[nodiscard]] __device__ std::uint32_t begin(std::uint32_t bucket) const { return shared.counts[bucket]; }
  [[nodiscard]] __device__ std::uint32_t end(std::uint32_t bucket) const {
    return bucket + 1 < Shape::buckets ? shared.counts[bucket + 1] : size;
  }
};

/// Finds the buckets whose keys are not all equal. False where counting there takes longer than sorting digit by digit.
template <class Shape, class Buckets>
__device__ __forceinline__ bool find_mixed(const bucket_places<Shape, Buckets>& buckets, mixed_buckets<Shape>& mixed) {
  for (unsigned w = threadIdx.x; w < Shape::buckets / 32; w += Shape::threads) mixed.bits[w] = 0;
  if (threadIdx.x == 0) mixed.looks = 0;
  __syncthreads();
  const auto* const keys = buckets.shared.keys;
  for (unsigned p = threadIdx.x; p < buckets.size; p += Shape::threads) {
    const std::uint32_t bucket = buckets.of(p);
    if (keys[p] != keys[buckets.begin(bucket)]) mixed.add(bucket);
  }
  __syncthreads();
  std::uint32_t looks = 0;
  for (unsigned p = threadIdx.x; p < buckets.size; p += Shape::threads) {
    const std::uint32_t bucket = buckets.of(p);
    if (mixed.has(bucket)) looks += buckets.end(bucket) - buckets.begin(bucket);
  }
  looks = combine_lanes<plus>(looks);
  if (threadIdx.x % 32 == 0) atomicAdd(&mixed.looks, looks);
  __syncthreads();
  return mixed.looks <= tuning::crowded_looks * buckets.size;
}

/// Sorts the keys of a task, which lie bucket by bucket. False, with nothing done, where that takes too long. A
/// function of its own, or its registers are missing where no bucket is crowded.
template <class Shape, class Buckets>
__device__ __noinline__ bool count_in_buckets(Buckets& shared, std::uint32_t size, unsigned shift) {
  constexpr int items = Shape::items;
  constexpr unsigned threads = Shape::threads;
  using key_type = std::remove_cvref_t<decltype(shared.keys[0])>;
  __shared__ mixed_buckets<Shape> mixed;
  const bucket_places<Shape, Buckets> buckets{shared, size, shift};
  if (!find_mixed(buckets, mixed)) return false;
  key_type keys[items];
  std::uint32_t places[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned p = i * threads + threadIdx.x;
    if (p >= size) break;
    keys[i] = shared.keys[p];
    places[i] = p;
    const std::uint32_t bucket = buckets.of(p);
    if (!mixed.has(bucket)) continue;
    std::uint32_t other = buckets.begin(bucket);
    const std::uint32_t end = buckets.end(bucket);
    places[i] = other;
#pragma unroll 4
    for (; other < end; ++other) {
      const key_type there = shared.keys[other];
      places[i] += there < keys[i] || (there == keys[i] && other < p) ? 1 : 0;
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (i * threads + threadIdx.x < size) shared.keys[places[i]] = keys[i];
  }
  __syncthreads();
  return true;
}

#endif

}  // namespace peneira::detail
