// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An LSD radix sort of few items in one launch: the blocks of one cluster keep all items in their shared memories and
// scatter them by one digit after the other, from the lowest that differs up, each item straight to its place in the
// memory of its next block. Keys of 4 or 8 bytes alone that are spread evenly enough go to the block of their range
// instead, which sorts them by itself.
#pragma once

#include "peneira/key_order.hpp"
#include "peneira/sort/gpu/cluster_shape.cuh"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/block_rank.cuh"
#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/runtime.cuh"
#include "peneira/sort/gpu/cluster_buckets.cuh"
#endif

namespace peneira::detail {

#if defined(__CUDACC__)

template <class U, class V>
__global__ void __launch_bounds__(cluster_shape::threads)
    sort_in_cluster(view<const U, const V> in, view<U, V> out, key_order<U> by, bit_range<U> part) {
  constexpr bool with_values = view<U, V>::has_values;
  constexpr int threads = cluster_shape::threads;
  constexpr int items = cluster_shape::items;
  constexpr unsigned digits = cluster_shape::digits;
  using ranking = block_ranks<threads>;
  static_assert(digits == ranking::bins);
  __shared__ union {
    ranking rank;
    block_sums<threads, std::uint32_t> sum;
  } scratch;
  __shared__ cluster_bins bins;
  __shared__ unsigned long long differing;
  static_assert(sizeof(scratch) + sizeof(bins) + sizeof(differing) + 256 <= cluster_static_bytes);
  auto& counts = bins.counts;  // of this block's items
  auto& places = bins.places;  // what is added to a rank
  auto* key_buffer = shared_memory<U>();
  auto* const value_buffer = reinterpret_cast<V*>(key_buffer + 2 * cluster_shape::size);

  constexpr block_cluster cluster;
  const unsigned blocks = cluster.blocks();
  const unsigned me = cluster.rank();
  const auto all = static_cast<std::uint32_t>(in.size);
  const std::uint32_t share = (all + blocks - 1) / blocks;                 // of a block
  const std::uint32_t inverse = share == 1 ? 0 : 0xFFFFFFFFU / share + 1;  // place / share, for places below 2^16
  const std::uint32_t begin = ::min(me * share, all);
  const std::uint32_t mine = ::min(share, all - begin);
  // A warp has neighbouring items, every 32nd of them a lane: the order of the input, as ranking wants it.
  const auto slot_of = [](int i) { return (threadIdx.x / 32 * items + i) * 32 + threadIdx.x % 32; };

  if (threadIdx.x == 0) differing = 0;
  __syncthreads();
  const U first = part(by(in.keys[0]));
  U differ = 0;
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned slot = slot_of(i);
    if (slot < mine) {
      const U ordered = by(in.keys[begin + slot]);
      differ |= part(ordered) ^ first;
      key_buffer[slot] = ordered;
      if constexpr (with_values) value_buffer[slot] = in.values[begin + slot];
    }
  }
  const std::uint64_t of_warp = bits_of_lanes(differ);
  if (threadIdx.x % 32 == 0) atomicOr(&differing, of_warp);
  cluster.sync();
  std::uint64_t left = 0;  // bits that differ in the digits to come
  for (unsigned b = 0; b < blocks; ++b) left |= *cluster.in_block(&differing, b);
  if (left == 0) cluster.sync();  // equal keys: no block may end while others still look at its bits

  if constexpr (sizeof(U) >= 4 && !with_values) {
    const unsigned bits = 64 - __clzll(static_cast<long long>(left));
    if (blocks > 1 && part.count == 8 * sizeof(U) && bits > 2 * cluster_shape::digit_bits) {
      auto* const buckets = reinterpret_cast<std::uint32_t*>(value_buffer);
      for (unsigned b = threadIdx.x; b < cluster_buckets_shape::buckets; b += threads) buckets[b] = 0;
      cluster_part<U> got{};
      const auto sum_before = [&](std::uint32_t count) {
        std::uint32_t of_all = 0;
        return scratch.sum.before(count, of_all);
      };
      if (exchange_bins(cluster, key_buffer, mine, all, share, bits, bins, sum_before, got)) {
        cluster.sync();
        if (got.size != 0) sort_bucketed(key_buffer, got, buckets, scratch.rank, by, out.keys);
        return;
      }
    }
  }

  unsigned now = 0;  // the half of the buffers that holds the items
  while (left != 0) {
    const auto shift = static_cast<unsigned>(__ffsll(static_cast<long long>(left)) - 1);
    const digit_at<U> digit{part, shift};
    U* const now_keys = key_buffer + now * cluster_shape::size;
    V* const now_values = with_values ? value_buffer + now * cluster_shape::size : value_buffer;
    U keys[items];
    [[maybe_unused]] V values[items];
    std::uint32_t ranks[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const unsigned slot = slot_of(i);
      keys[i] = slot < mine ? now_keys[slot] : static_cast<U>(~U{0});
      if constexpr (with_values) values[i] = now_values[slot];
    }
    const std::uint32_t before = scratch.rank.find(keys, ranks, digit);
    if (threadIdx.x < digits) places[threadIdx.x] = before;
    __syncthreads();
    if (threadIdx.x < digits) {  // what fills up the last threads has the last digit, and comes last
      const std::uint32_t end = threadIdx.x == digits - 1 ? mine : ::min(places[threadIdx.x + 1], mine);
      counts[threadIdx.x] = end - ::min(before, end);
    }
    // In the order of the digit first: neighbours then go to neighbouring places.
#pragma unroll
    for (int i = 0; i < items; ++i) {
      now_keys[ranks[i]] = keys[i];
      if constexpr (with_values) now_values[ranks[i]] = values[i];
    }
    cluster.sync();
    std::uint32_t in_all = 0;
    std::uint32_t in_earlier = 0;
    if (threadIdx.x < digits) {
#pragma unroll
      for (unsigned b = 0; b < cluster_shape::most_blocks; ++b) {
        const std::uint32_t there = b < blocks ? cluster.in_block(counts, b)[threadIdx.x] : 0;
        in_all += there;
        in_earlier += b < me ? there : 0;
      }
    }
    std::uint32_t of_all = 0;
    const std::uint32_t start = scratch.sum.before(in_all, of_all);
    if (threadIdx.x < digits) places[threadIdx.x] = start + in_earlier - before;
    __syncthreads();
    const unsigned next = 1 - now;
    for (std::uint32_t slot = threadIdx.x; slot < mine; slot += threads) {
      const U key = now_keys[slot];
      const std::uint32_t place = places[digit(key)] + slot;
      const std::uint32_t block = __umulhi(place, inverse);
      const std::size_t there = next * cluster_shape::size + (place - block * share);
      cluster.in_block(key_buffer, block)[there] = key;
      if constexpr (with_values) cluster.in_block(value_buffer, block)[there] = now_values[slot];
    }
    cluster.sync();
    now = next;
    const unsigned done = shift + cluster_shape::digit_bits;
    left = done >= 64 ? 0 : left >> done << done;
  }
  for (std::uint32_t slot = threadIdx.x; slot < mine; slot += threads) {
    out.keys[begin + slot] = by.back(key_buffer[now * cluster_shape::size + slot]);
    if constexpr (with_values) out.values[begin + slot] = value_buffer[now * cluster_shape::size + slot];
  }
}

#endif

}  // namespace peneira::detail
