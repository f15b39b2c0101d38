// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A merge sort by one block, which does the same work whatever the keys: of all items, where they are some thousand.
//
//   each thread sorts 8 items in registers -> each warp merges those of its lanes by shuffles: runs of 256
//   -> runs are merged two by two in shared memory: each thread finds by bisection where its 8 items of the result
//   begin in both, and merges them
//
// Pairs carry their number in the input along, by which equal keys keep their order and values are found in the end.
#pragma once

#include <type_traits>

#include "peneira/key_order.hpp"
#include "peneira/sort/gpu/block_few_buckets.cuh"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/sorting_network.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/runtime.cuh"
#include "peneira/sort/gpu/block_radix_sort.cuh"
#endif

namespace peneira::detail {

/// Items of a thread, of a warp, whose runs are merged, and of a block at most.
inline constexpr unsigned merge_items = 8;
inline constexpr unsigned merge_run = 32 * merge_items;
inline constexpr unsigned merge_threads = 1024;
inline constexpr unsigned merge_most_items = merge_threads * merge_items;

/// What is tried before.
using merge_buckets = few_buckets<merge_threads, merge_items>;

/// Bits of an item's number, below its key in a word of 64.
inline constexpr unsigned merge_number_bits = 16;
static_assert(merge_most_items <= 1U << merge_number_bits);

/// Whether such items are merged: narrower keys have so few digits that these are faster, and where a number has no
/// room in a word with its key, twice as much is moved.
PENEIRA_HD constexpr bool can_merge(std::size_t key_bytes, std::size_t value_bytes) {
  return key_bytes == 4 || (key_bytes == 8 && value_bytes == 0);
}

/// Bytes of a word that is sorted.
PENEIRA_HD constexpr std::size_t merge_word_bytes(std::size_t key_bytes, std::size_t value_bytes) {
  return value_bytes != 0 ? sizeof(std::uint64_t) : key_bytes;
}
/// A place in shared memory: one in 128 bytes is skipped, or threads whose items are neighbours would meet at a bank.
PENEIRA_HD constexpr unsigned merge_place(std::size_t bytes_of_word, unsigned place) {
  return place + place / static_cast<unsigned>(128 / bytes_of_word);
}
/// Shared memory of a block that has so many items; whole words of 16 bytes.
PENEIRA_HD constexpr std::size_t merge_bytes(std::size_t bytes_of_word, std::size_t items) {
  const auto places = static_cast<unsigned>((items + merge_run - 1) / merge_run * merge_run);
  return (std::size_t{merge_place(bytes_of_word, places) + 1} * bytes_of_word + 15) / 16 * 16;
}

#if defined(__CUDACC__)

/// Merges runs of so many words two by two: a thread finds its words of the result.
template <class Word>
__device__ __forceinline__ void merge_runs(const Word* there, unsigned run, unsigned all, Word (&words)[merge_items]) {
  const auto at = [&](unsigned place) { return there[merge_place(sizeof(Word), place)]; };
  const unsigned mine = threadIdx.x * merge_items;
  const unsigned begin = mine / (2 * run) * (2 * run);
  const unsigned middle = ::min(begin + run, all);
  const unsigned end = ::min(begin + 2 * run, all);
  const unsigned before = mine - begin;  // words of both runs
  unsigned low = before > end - middle ? before - (end - middle) : 0;
  unsigned high = ::min(before, middle - begin);
  while (low < high) {  // how many of them are of the first run
    const unsigned some = (low + high) / 2;
    if (at(middle + before - 1 - some) < at(begin + some)) {
      high = some;
    } else {
      low = some + 1;
    }
  }
  unsigned left = begin + low;
  unsigned right = middle + before - low;
  Word a = at(::min(left, all - 1));
  Word b = at(::min(right, all - 1));
#pragma unroll
  for (unsigned i = 0; i < merge_items; ++i) {
    const bool of_left = right >= end || (left < middle && !(b < a));
    words[i] = of_left ? a : b;
    if (i + 1 == merge_items) break;
    const unsigned next = of_left ? ++left : ++right;
    const Word read = at(::min(next, all - 1));
    if (of_left) {
      a = read;
    } else {
      b = read;
    }
  }
}

/// Sorts words of which a warp has every 32nd of a run each: runs in registers, then merged two by two. In the end they
/// lie in `there`.
template <class Word>
__device__ __forceinline__ void merge_all(Word (&words)[merge_items], Word* there, unsigned all, bool sorts) {
  const bool has_some = threadIdx.x * merge_items < all;  // all of a warp, or none
  if (sorts && has_some) {
    sort_in_thread(words);
    sort_in_warp(words);
  }
  const auto store = [&] {
#pragma unroll
    for (unsigned i = 0; i < merge_items; ++i) {
      const unsigned of_warp = threadIdx.x / 32 * merge_run + threadIdx.x % 32;
      const unsigned place = sorts ? threadIdx.x * merge_items + i : of_warp + i * 32;
      if (has_some) there[merge_place(sizeof(Word), place)] = words[i];
    }
    __syncthreads();
  };
  store();
#pragma unroll 1
  for (unsigned run = merge_run; sorts && run < all; run *= 2) {
    if (has_some) merge_runs(there, run, all, words);
    __syncthreads();
    store();
  }
}

/// The same by buckets, of words whose bits from `bits` on are alike. False where too many share one. Counts are zero
/// before.
template <class Word>
__device__ __forceinline__ bool sort_by_buckets(const Word (&words)[merge_items], unsigned first, unsigned size,
                                                unsigned bits, Word* there, std::uint32_t* counts) {
  placed_word<Word> placed[merge_items];
  if (!sort_in_few_buckets<merge_buckets, false>(words, first, size, bits, {there, nullptr, counts}, placed)) {
    return false;
  }
#pragma unroll
  for (unsigned i = 0; i < merge_items; ++i) {
    const unsigned p = i * blockDim.x + threadIdx.x;
    if (p < size) there[merge_place(sizeof(Word), placed[i].place)] = placed[i].word;
  }
  __syncthreads();
  return true;
}

/// `tries`: whether buckets are tried before runs of pairs are merged.
template <class U, class V>
__global__ void __launch_bounds__(merge_threads)
    sort_by_merging(view<const U, const V> from, view<U, V> to, key_order<U> by, bool tries) {
  constexpr bool with_values = view<U, V>::has_values;
  using word = std::conditional_t<with_values, std::uint64_t, U>;
  constexpr unsigned number_bits = with_values ? merge_number_bits : 0;
  const auto size = static_cast<unsigned>(from.size);
  const unsigned all = (size + merge_run - 1) / merge_run * merge_run;
  auto* const there = shared_memory<word>();
  auto* const counts =
      reinterpret_cast<std::uint32_t*>(shared_memory<unsigned char>() + merge_bytes(sizeof(word), size));
  if (tries) reinterpret_cast<uint4*>(counts)[threadIdx.x] = make_uint4(0, 0, 0, 0);
  wait_for_kernels_before();
  let_next_kernel_start();

  // Every 32nd item of a warp's run; behind the last one, keys that come last.
  word words[merge_items];
  const unsigned first = threadIdx.x / 32 * merge_run + threadIdx.x % 32;
  const U first_key = by(from.keys[0]);
  U differ = 0;
#pragma unroll
  for (unsigned i = 0; i < merge_items; ++i) {
    const unsigned p = first + i * 32;
    const U key = p < size ? by(from.keys[p]) : static_cast<U>(~U{0});
    if (p < size) differ |= key ^ first_key;
    words[i] = with_values ? word{key} << number_bits | p : word{key};
  }
  if constexpr (with_values) {  // wanted in the end, from all over
#pragma unroll
    for (unsigned i = 0; i < merge_items; ++i) {
      if (first + i * 32 < size) prefetch_line(from.values + first + i * 32);
    }
  }
  const std::uint64_t differing = with_values && tries ? bits_of_all(differ) : __syncthreads_or(differ != 0 ? 1 : 0);
  bool done = false;
  if constexpr (with_values) {
    if (tries && differing != 0) {
      const unsigned bits = number_bits + 64 - __clzll(static_cast<long long>(differing));
      done = sort_by_buckets(words, first, size, bits, there, counts);
    }
  }
  if (!done) merge_all(words, there, all, differing != 0);

  // Out: neighbouring threads have neighbouring items. In place, all values are read before any is written.
  [[maybe_unused]] V values[with_values ? merge_items : 1];
#pragma unroll
  for (unsigned i = 0; i < merge_items; ++i) {
    const unsigned p = i * blockDim.x + threadIdx.x;
    if (p >= size) continue;
    words[i] = there[merge_place(sizeof(word), p)];
    if constexpr (with_values) values[i] = from.values[words[i] & ((1U << number_bits) - 1)];
  }
  if constexpr (with_values) __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < merge_items; ++i) {
    const unsigned p = i * blockDim.x + threadIdx.x;
    if (p >= size) continue;
    to.keys[p] = by.back(static_cast<U>(words[i] >> number_bits));
    if constexpr (with_values) to.values[p] = values[i];
  }
}

#endif

}  // namespace peneira::detail
