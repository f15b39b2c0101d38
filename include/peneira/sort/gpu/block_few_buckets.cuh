// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Some thousand items of one block, bucket by bucket, as a task of an MSD radix sort: where keys are spread, a few
// looks at shared memory for each instead of a merge sort.
//
//   keys -> about as many buckets as items, by the highest bits in which they differ -> placed bucket by bucket
//        -> each counts the smaller ones of its own bucket
#pragma once

#include "peneira/key_order.hpp"
#include "peneira/tuning/gpu.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/sort/gpu/block_bucket_sort.cuh"
#endif

namespace peneira::detail {

/// Buckets of few items as the plan and the kernel see them.
template <unsigned Threads, int Items>
struct few_buckets {
  static constexpr unsigned threads = Threads;
  static constexpr int items = Items;  ///< of a thread at most
  static constexpr unsigned bits = 12;
  static constexpr unsigned buckets = 1U << bits;
  static constexpr std::size_t bytes = buckets * sizeof(std::uint32_t);
};

/// Pairs with wide keys that one block tries to sort by buckets before it goes digit by digit.
struct few_pairs {
  using shape = few_buckets<tuning::task_threads, 8>;
  static constexpr int items = shape::items;
  static constexpr std::size_t size = std::size_t{shape::threads} * items;

  PENEIRA_HD static constexpr bool are(std::size_t key_bytes, std::size_t value_bytes) {
    return key_bytes == 8 && value_bytes != 0;
  }
  PENEIRA_HD static constexpr bool tries(std::size_t items, unsigned bits) {
    return bits == 64 && items >= tuning::few_bucket_items && items <= size;
  }
  static constexpr std::size_t shared(std::size_t items) {
    return shape::bytes + items * (sizeof(std::uint64_t) + sizeof(std::uint16_t));
  }
};

#if defined(__CUDACC__)

/// Words of a block in its shared memory, bucket by bucket.
template <class Word>
struct bucketed_words {
  Word* keys;
  std::uint32_t* counts;  ///< of buckets: zero before, then where each begins
};

/// Puts `size` words, of which a thread has every 32nd from `first` on, into buckets by their highest bits from `shift`
/// on: calls put(i, place) for each. All threads call, and meet before they look at what was put.
template <class Shape, int Items, class Word, class Put>
__device__ __forceinline__ void put_into_buckets(const Word (&words)[Items], unsigned first, std::uint32_t size,
                                                 unsigned shift, std::uint32_t* counts, Put&& put) {
  std::uint32_t ranks[Items];
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    if (first + i * 32 < size) ranks[i] = atomicAdd(&counts[words[i] >> shift], 1U);
  }
  __syncthreads();
  scan_buckets<Shape>(counts);
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    if (first + i * 32 < size) put(i, counts[words[i] >> shift] + ranks[i]);
  }
}

/// The low bits of a word.
template <class Word>
__device__ Word low_bits_of(Word word, unsigned bits) {
  return word & static_cast<Word>(~std::uint64_t{0} >> (64 - bits));
}

/// A pair once it is known where it belongs.
struct placed_pair {
  std::uint64_t key;
  std::uint32_t number;  ///< in the input
  std::uint32_t place;
};

/// Finds the places of some of the pairs that lie bucket by bucket: each looks at all of its bucket. False, with
/// nothing done, where those are too many.
template <class Shape, int Items>
__device__ __forceinline__ bool find_places_of_pairs(const bucketed_words<std::uint64_t>& there,
                                                     const std::uint16_t* numbers, std::uint32_t size, unsigned shift,
                                                     placed_pair (&placed)[Items]) {
  const bucket_places<Shape, bucketed_words<std::uint64_t>> buckets{there, size, shift};
  if (!can_count(buckets, tuning::few_looks)) return false;
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const std::uint32_t p = i * Shape::threads + threadIdx.x;
    if (p >= size) break;
    const std::uint64_t key = there.keys[p];
    const std::uint32_t number = numbers[p];
    const std::uint32_t bucket = buckets.of(p);
    const std::uint32_t end = buckets.end(bucket);
    std::uint32_t place = buckets.begin(bucket);
    for (std::uint32_t other = place; other < end; ++other) {
      const std::uint64_t found = there.keys[other];
      place += found < key || (found == key && numbers[other] < number) ? 1 : 0;
    }
    placed[i] = {key, number, place};
  }
  return true;
}

/// Sorts pairs by whole keys. False, with nothing done, where too many share a bucket.
template <class V>
__device__ __forceinline__ bool sort_few_pairs(view<const std::uint64_t, const V> from, view<std::uint64_t, V> to,
                                               const key_order<std::uint64_t>& by) {
  using shape = few_pairs::shape;
  constexpr int items = few_pairs::items;
  const auto size = static_cast<std::uint32_t>(from.size);
  auto* const counts = shared_memory<std::uint32_t>();
  auto* const words = reinterpret_cast<std::uint64_t*>(counts + shape::buckets);
  auto* const numbers = reinterpret_cast<std::uint16_t*>(words + size);
  const unsigned first = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
  for (unsigned b = threadIdx.x; b < shape::buckets; b += shape::threads) counts[b] = 0;
  std::uint64_t keys[items];
  std::uint64_t differ = 0;
  const std::uint64_t first_key = by(from.keys[0]);
#pragma unroll
  for (int i = 0; i < items; ++i) {
    const unsigned p = first + i * 32;
    if (p >= size) continue;
    keys[i] = by(from.keys[p]);
    differ |= keys[i] ^ first_key;
    prefetch_line(from.values + p);
  }
  differ = bits_of_all(differ);
  if (differ == 0) return false;
  const unsigned bits = 64 - __clzll(static_cast<long long>(differ));
  const unsigned shift = bits > shape::bits ? bits - shape::bits : 0;
  const std::uint64_t base = first_key - low_bits_of(first_key, bits);
#pragma unroll
  for (int i = 0; i < items; ++i) keys[i] -= base;
  put_into_buckets<shape>(keys, first, size, shift, counts, [&](int i, std::uint32_t place) {
    words[place] = keys[i];
    numbers[place] = static_cast<std::uint16_t>(first + i * 32);
  });
  __syncthreads();
  placed_pair placed[items];
  if (!find_places_of_pairs<shape>({words, counts}, numbers, size, shift, placed)) return false;
  V values[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (i * shape::threads + threadIdx.x < size) values[i] = from.values[placed[i].number];
  }
  __syncthreads();  // in place, all values are read before any is written
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (i * shape::threads + threadIdx.x >= size) continue;
    to.keys[placed[i].place] = by.back(placed[i].key + base);
    to.values[placed[i].place] = values[i];
  }
  return true;
}

#endif

}  // namespace peneira::detail
