// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Some thousand pairs of one block, bucket by bucket, as a task of an MSD radix sort: where keys are spread, a few
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
  PENEIRA_HD static constexpr bool tries(std::size_t count, unsigned bits) {
    return bits == 64 && count >= tuning::wide_pairs_by_buckets && count <= size;
  }
  static constexpr std::size_t shared(std::size_t count) {
    return shape::bytes + count * (sizeof(std::uint64_t) + sizeof(std::uint16_t));
  }
};

#if defined(__CUDACC__)

/// Words that lie bucket by bucket in shared memory, and with them, where words do not tell equal keys apart and their
/// order is kept, the numbers of their items.
template <class Word>
struct bucketed_words {
  Word* words;
  std::uint16_t* numbers;  ///< nullptr: equal words are alike
  std::uint32_t* counts;   ///< of buckets; zero before
};

/// A word once it is known where it belongs.
template <class Word>
struct placed_word {
  Word word;
  std::uint32_t number;  ///< of its item
  std::uint32_t place;
};

/// Finds the places of the block's `size` words, of which a thread has every 32nd from `first` on, by buckets. Bits
/// from `bits` on are alike. Each thread then has some that are neighbours of other threads', those before `size`.
/// False, with no word moved but in shared memory, where too many share a bucket. All threads call.
template <class Shape, bool Numbered, int Items, class Word>
__device__ __forceinline__ bool sort_in_few_buckets(const Word (&words)[Items], unsigned first, std::uint32_t size,
                                                    unsigned bits, const bucketed_words<Word>& there,
                                                    placed_word<Word> (&placed)[Items]) {
  __shared__ std::uint32_t looks;
  const unsigned shift = bits > Shape::bits ? bits - Shape::bits : 0;
  const auto bucket_of = [shift](Word word) {
    return static_cast<std::uint32_t>(word >> shift) & (Shape::buckets - 1);
  };
  if (threadIdx.x == 0) looks = 0;
  std::uint32_t ranks[Items];
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    if (first + i * 32 < size) ranks[i] = atomicAdd(&there.counts[bucket_of(words[i])], 1U);
  }
  __syncthreads();
  std::uint32_t here = 0;
  for (unsigned b = threadIdx.x; b < Shape::buckets; b += Shape::threads) here += there.counts[b] * there.counts[b];
  here = combine_lanes<plus>(here);
  if (threadIdx.x % 32 == 0) atomicAdd(&looks, here);
  __syncthreads();
  if (looks > tuning::few_looks * size) return false;
  scan_buckets<Shape>(there.counts);
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    if (first + i * 32 >= size) continue;
    const std::uint32_t p = there.counts[bucket_of(words[i])] + ranks[i];
    there.words[p] = words[i];
    if constexpr (Numbered) there.numbers[p] = static_cast<std::uint16_t>(first + i * 32);
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const std::uint32_t p = i * Shape::threads + threadIdx.x;
    if (p >= size) break;
    const Word word = there.words[p];
    const std::uint32_t number = Numbered ? there.numbers[p] : p;
    const std::uint32_t bucket = bucket_of(word);
    const std::uint32_t end = bucket + 1 < Shape::buckets ? there.counts[bucket + 1] : size;
    std::uint32_t other = there.counts[bucket];
    std::uint32_t place = other;
    for (; other < end; ++other) {
      const Word found = there.words[other];
      place += found < word || (found == word && (Numbered ? there.numbers[other] : other) < number) ? 1 : 0;
    }
    placed[i] = {word, number, place};
  }
  __syncthreads();
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
  placed_word<std::uint64_t> placed[items];
  const unsigned bits = 64 - __clzll(static_cast<long long>(differ));
  const bucketed_words<std::uint64_t> there{words, reinterpret_cast<std::uint16_t*>(words + size), counts};
  if (!sort_in_few_buckets<shape, true>(keys, first, size, bits, there, placed)) return false;
  V values[items];
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (i * shape::threads + threadIdx.x < size) values[i] = from.values[placed[i].number];
  }
  __syncthreads();  // in place, all values are read before any is written
#pragma unroll
  for (int i = 0; i < items; ++i) {
    if (i * shape::threads + threadIdx.x >= size) continue;
    to.keys[placed[i].place] = by.back(placed[i].word);
    to.values[placed[i].place] = values[i];
  }
  return true;
}

#endif

}  // namespace peneira::detail
