// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An MSD radix sort of few keys in one cluster: every key goes straight to the block that has its range, and each block
// sorts what it got by itself.
//
//   keys -> 256 bins by the highest bits in which keys differ -> whole bins to the blocks, by their memories
//        -> each block: about as many buckets as keys, then each key counts the smaller ones of its own bucket
//
// One exchange, where sorting digit by digit takes one a digit. Where bins are too uneven for that, it says so before
// anything has moved; where buckets are, the block sorts its keys digit by digit.
#pragma once

#include "peneira/gpu/primitives/block_rank.cuh"
#include "peneira/key_order.hpp"
#include "peneira/sort/gpu/block_bucket_sort.cuh"
#include "peneira/sort/gpu/cluster_shape.cuh"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Shared memory in which a block of a cluster publishes the histogram of its keys, and its range, to the others.
struct cluster_bins {
  std::uint32_t counts[cluster_shape::digits];       ///< of this block's keys
  std::uint32_t places[cluster_shape::digits];       ///< block << 16 | where the next of a bin goes there
  std::uint32_t begins[cluster_shape::most_blocks];  ///< where what a block gets begins among all
  std::uint32_t lowest;                              ///< bin that this block gets
  std::uint32_t highest;                             ///< likewise
};

/// What this block got.
template <class U>
struct cluster_part {
  std::uint32_t begin;
  std::uint32_t size;
  U least;        ///< no key is below
  unsigned bits;  ///< of what keys exceed that by
};

/// Sends every key to its block. False if that cannot be, and then keys are where they were.
template <class U, class Scan>
__device__ bool exchange_bins(const block_cluster& cluster, U* keys, std::uint32_t mine, std::uint32_t all,
                              std::uint32_t share, unsigned bits, cluster_bins& bins, Scan&& scan,
                              cluster_part<U>& part) {
  constexpr int items = cluster_shape::items;
  const unsigned blocks = cluster.blocks();
  const unsigned me = cluster.rank();
  const unsigned shift = bits - cluster_shape::digit_bits;
  const U first = keys[0];
  U own[items];
  std::uint32_t codes[items];
  if (threadIdx.x < cluster_shape::digits) bins.counts[threadIdx.x] = 0;
  if (threadIdx.x < cluster_shape::most_blocks) bins.begins[threadIdx.x] = all;
  if (threadIdx.x == 0) bins.lowest = cluster_shape::digits;
  if (threadIdx.x == 0) bins.highest = 0;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned slot = i * cluster_shape::threads + threadIdx.x;
    if (slot < mine) {
      own[i] = keys[slot];
      const std::uint32_t bin = static_cast<std::uint32_t>(own[i] >> shift) & (cluster_shape::digits - 1);
      codes[i] = bin << 16U | atomicAdd(&bins.counts[bin], 1U);
    }
  }
  cluster.sync();
  std::uint32_t in_all = 0;
  std::uint32_t in_earlier = 0;
  if (threadIdx.x < cluster_shape::digits) {
#pragma unroll
    for (unsigned b = 0; b < cluster_shape::most_blocks; ++b) {
      const std::uint32_t there = b < blocks ? cluster.in_block(bins.counts, b)[threadIdx.x] : 0;
      in_all += there;
      in_earlier += b < me ? there : 0;
    }
  }
  constexpr std::uint32_t most = cluster_buckets_shape::size - cluster_shape::size;
  if (__syncthreads_or(in_all > most ? 1 : 0) != 0) {
    cluster.sync();  // others still look at the counts
    return false;
  }
  const std::uint32_t start = scan(in_all);
  const std::uint32_t block = start / share;
  if (in_all != 0) atomicMin(&bins.begins[block], start);
  if (in_all != 0 && block == me) {
    atomicMin(&bins.lowest, threadIdx.x);
    atomicMax(&bins.highest, threadIdx.x);
  }
  __syncthreads();
  if (in_all != 0) bins.places[threadIdx.x] = block << 16U | (start - bins.begins[block] + in_earlier);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (i * cluster_shape::threads + threadIdx.x < mine) {
      const std::uint32_t to = bins.places[codes[i] >> 16U];
      cluster.in_block(keys, to >> 16U)[(to & 0xFFFFU) + (codes[i] & 0xFFFFU)] = own[i];
    }
  }
  std::uint32_t end = all;
  for (unsigned b = me + 1; b < blocks; ++b) end = ::min(end, bins.begins[b]);
  part.begin = bins.begins[me];
  part.size = end - part.begin;
  if (part.size == 0) return true;
  const std::uint64_t above = bits == 64 ? 0 : std::uint64_t{first} >> bits << bits;  // in which keys do not differ
  part.least = static_cast<U>(above | std::uint64_t{bins.lowest} << shift);
  const std::uint64_t span = std::uint64_t{bins.highest - bins.lowest + 1} << shift;  // 0: all keys of 64 bits
  part.bits = 64 - __clzll(static_cast<long long>(span - 1));
  return true;
}

/// Sorts a block's keys by themselves, and writes them out.
template <class U>
__device__ void sort_bucketed(U* keys, const cluster_part<U>& part, std::uint32_t* buckets,
                              block_ranks<cluster_buckets_shape::threads>& scratch, const key_order<U>& by, U* out) {
  using shape = cluster_buckets_shape;
  constexpr int items = shape::items;
  constexpr unsigned threads = shape::threads;
  constexpr int near = 4;
  constexpr int far = 8;
  constexpr std::uint32_t crowded = 6 * sizeof(U);  // keys of a bucket beyond which digits are faster
  constexpr U largest = static_cast<U>(~U{0}) >> (sizeof(U) == 4 ? 1U : 0U);
  U own[items];
  std::uint32_t codes[items];
  const unsigned shift = part.bits > shape::bucket_bits ? part.bits - shape::bucket_bits : 0;
  const bool narrow = sizeof(U) > 4 || part.bits < 32;  // is_less wants a bit to spare of 32
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned p = i * threads + threadIdx.x;
    if (p < part.size) {
      own[i] = keys[p] - part.least;
      const auto bucket = static_cast<std::uint32_t>(own[i] >> shift);
      codes[i] = bucket << 16U | atomicAdd(&buckets[bucket], 1U);
    }
  }
  __syncthreads();
  const std::uint32_t most = scan_buckets<shape>(buckets);
  U* const sorted = keys + shape::pad;
  const bool by_neighbours = narrow && (shift == 0 || most <= far + 1);
  const bool by_bucket = most <= crowded;
  if (by_neighbours || by_bucket) {
    if (threadIdx.x < shape::pad) {
      keys[threadIdx.x] = 0;
      sorted[part.size + threadIdx.x] = largest;
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (i * threads + threadIdx.x < part.size) sorted[buckets[codes[i] >> 16U] + (codes[i] & 0xFFFFU)] = own[i];
    }
    __syncthreads();
    if (!by_neighbours) {
      for (unsigned p = threadIdx.x; p < part.size; p += threads) {
        const U found = sorted[p];
        const auto bucket = static_cast<std::uint32_t>(found >> shift);
        std::uint32_t place = buckets[bucket];
        const std::uint32_t end = bucket + 1 < shape::buckets ? buckets[bucket + 1] : part.size;
        for (std::uint32_t other = place; other < end; ++other) {
          place += sorted[other] < found || (sorted[other] == found && other < p) ? 1 : 0;
        }
        out[part.begin + place] = by.back(static_cast<U>(found + part.least));
      }
      return;
    }
    if (shift != 0) {
      const unsigned first = threadIdx.x * items;
      const unsigned here = first < part.size ? ::min(part.size - first, static_cast<unsigned>(items)) : 0;
      std::uint32_t places[items];
      if (here != 0 && most <= near + 1) find_places<near>(sorted + first, own, first, places);
      if (here != 0 && most > near + 1) find_places<far>(sorted + first, own, first, places);
      __syncthreads();
#pragma unroll
      for (int i = 0; i < items; ++i) {
        if (i < static_cast<int>(here)) sorted[places[i]] = own[i];
      }
      __syncthreads();
    }
  } else {
    // Digit by digit. What fills up the last threads has the last digit, and comes last.
    const auto slot_of = [](int i) { return (threadIdx.x / 32 * items + i) * 32 + threadIdx.x % 32; };
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (i * threads + threadIdx.x < part.size) sorted[i * threads + threadIdx.x] = own[i];
    }
    __syncthreads();
    for (unsigned done = 0; done < part.bits; done += cluster_shape::digit_bits) {
      std::uint32_t ranks[items];
#pragma unroll
      for (int i = 0; i < items; ++i) own[i] = slot_of(i) < part.size ? sorted[slot_of(i)] : static_cast<U>(~U{0});
      scratch.find(own, ranks, digit_at<U>{{}, done});
      __syncthreads();
#pragma unroll
      for (int i = 0; i < items; ++i) {
        if (ranks[i] < part.size) sorted[ranks[i]] = own[i];
      }
      __syncthreads();
    }
  }
#pragma unroll 4
  for (unsigned p = threadIdx.x; p < part.size; p += threads) {
    out[part.begin + p] = by.back(sorted[p] + part.least);
  }
}

}  // namespace peneira::detail
