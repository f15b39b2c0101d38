// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A task of an MSD radix sort of keys that crowd in some buckets. Most often a bucket has copies of one key, and those
// are in order as they are, or copies of one and a few others.
//
//   keys lie bucket by bucket -> which of them are not that at the head of their bucket -> each of those counts the
//   smaller ones of its bucket; copies of the head's key are alike, and get what places are left
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

#if defined(__CUDACC__)

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

/// How many others all keys look at.
template <class Shape, class Buckets>
__device__ __forceinline__ std::uint32_t count_looks(const bucket_places<Shape, Buckets>& buckets) {
  __shared__ std::uint32_t looks_of_all;
  if (threadIdx.x == 0) looks_of_all = 0;
  __syncthreads();
  const auto* const keys = buckets.shared.keys;
  std::uint32_t looks = 0;
  for (unsigned p = threadIdx.x; p < buckets.size; p += Shape::threads) {
    const std::uint32_t bucket = buckets.of(p);
    const std::uint32_t begin = buckets.begin(bucket);
    if (keys[p] != keys[begin]) looks += buckets.end(bucket) - begin;
  }
  looks = combine_lanes<plus>(looks);
  if (threadIdx.x % 32 == 0) atomicAdd(&looks_of_all, looks);
  __syncthreads();
  return looks_of_all;
}

/// Keys of a bucket from which on a warp looks at them together. One thread took 4.4 us more a task of 2,300 keys with
/// 385 copies of one and another key beside it.
inline constexpr std::uint32_t long_bucket = 64;

/// Where the keys at `place` belong in their buckets, of those lanes that want to know; all lanes look at each of these
/// buckets. A function of its own, since it is needed seldom and for each key of a thread.
template <class Shape, class Buckets>
__device__ __noinline__ std::uint32_t place_by_warp(const bucket_places<Shape, Buckets>& buckets, unsigned place,
                                                    bool wanted) {
  const auto* const keys = buckets.shared.keys;
  std::uint32_t found = 0;
  for (unsigned left = __ballot_sync(all_lanes, wanted); left != 0; left &= left - 1) {
    const int lane = __ffs(static_cast<int>(left)) - 1;
    const unsigned asked = __shfl_sync(all_lanes, place, lane);
    const auto key = keys[asked];
    const std::uint32_t bucket = buckets.of(asked);
    const std::uint32_t begin = buckets.begin(bucket);
    const std::uint32_t end = buckets.end(bucket);
    std::uint32_t before = 0;
    for (std::uint32_t other = begin + threadIdx.x % 32; other < end; other += 32) {
      before += keys[other] < key || (keys[other] == key && other < asked) ? 1 : 0;
    }
    before = combine_lanes<plus>(before);
    if (static_cast<int>(threadIdx.x % 32) == lane) found = begin + before;
  }
  return found;
}

/// Sorts the keys of a task, which lie bucket by bucket. False, with nothing done, where that takes more looks at
/// others than so many for each key. A function of its own, or its registers are missing where no bucket is crowded.
template <class Shape, class Buckets>
__device__ __noinline__ bool count_in_buckets(Buckets& shared, std::uint32_t size, unsigned shift) {
  constexpr int items = Shape::items;
  constexpr unsigned threads = Shape::threads;
  using key_type = std::remove_cvref_t<decltype(shared.keys[0])>;
  const bucket_places<Shape, Buckets> buckets{shared, size, shift};
  const std::uint32_t looks = count_looks(buckets);
  if (looks == 0) return true;  // each bucket has one key
  if (looks > tuning::crowded_looks * size) return false;
  key_type keys[items];
  std::uint32_t places[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned p = i * threads + threadIdx.x;
    places[i] = size;
    bool is_long = false;
    if (p < size) {
      keys[i] = shared.keys[p];
      const std::uint32_t bucket = buckets.of(p);
      std::uint32_t other = buckets.begin(bucket);
      const std::uint32_t end = buckets.end(bucket);
      const bool differs = keys[i] != shared.keys[other];
      is_long = differs && end - other >= long_bucket;
      if (differs && !is_long) {
        places[i] = other;
#pragma unroll 2
        for (; other < end; ++other) {
          const key_type there = shared.keys[other];
          places[i] += there < keys[i] || (there == keys[i] && other < p) ? 1 : 0;
        }
      }
    }
    if (__any_sync(all_lanes, is_long)) {
      const std::uint32_t found = place_by_warp(buckets, p, is_long);
      if (is_long) places[i] = found;
    }
  }
  // Copies of the head's key everywhere in its bucket; then the others among them.
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned p = i * threads + threadIdx.x;
    if (places[i] < size) shared.keys[p] = shared.keys[buckets.begin(buckets.of(p))];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (places[i] < size) shared.keys[places[i]] = keys[i];
  }
  __syncthreads();
  return true;
}

#endif

}  // namespace peneira::detail
