// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort by counting ranks: the place of an item is the number of keys that come before it. Every block has all keys in
// its shared memory and places some items; a warp has a few of them in the registers of each lane, which counts among
// every 32nd of the keys' vectors.
//
//   all keys -> shared memory of each block -> of a warp's own items, each lane counts those before -> sums -> out
#pragma once

#include <type_traits>

#include "peneira/key_order.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// A sort by counting as its plan and its kernel see it.
struct enumeration_shape {
  static constexpr std::size_t least_items = 8;                       ///< of a block
  static constexpr std::size_t most_warps = 32;                       ///< of a block
  static constexpr std::size_t few_items = 2;                         ///< of a warp
  static constexpr std::size_t more_items = 4;                        ///< of a warp, where so many are not enough
  static constexpr std::size_t most_items = most_warps * more_items;  ///< of a block
  static constexpr unsigned threads = 32 * static_cast<unsigned>(most_warps);
  static constexpr std::size_t vector_bytes = 16;  ///< of the keys that a lane reads at a time
  static constexpr unsigned copy_threads = 256;
};

/// Bytes of a number that is compared.
PENEIRA_HD constexpr std::size_t counted_word_bytes(std::size_t key_bytes) {
  return key_bytes <= sizeof(std::uint32_t) ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}
/// Words that a warp reads at a time.
PENEIRA_HD constexpr std::size_t counted_chunk(std::size_t bytes_of_word) {
  return 32 * enumeration_shape::vector_bytes / bytes_of_word;
}
/// Words that a block has of so many keys: whole chunks.
PENEIRA_HD constexpr std::size_t counted_places(std::size_t bytes_of_word, std::size_t items) {
  const std::size_t chunk = counted_chunk(bytes_of_word);
  return (items + chunk - 1) / chunk * chunk;
}

#if defined(__CUDACC__)

/// Counts one where it is so. Comparisons keep the pipe of integers busy; a multiplication goes through another one, as
/// long as the compiler does not know that it is by one: gridDim.y is.
__device__ __forceinline__ void count_if(bool is, std::uint32_t one, std::uint32_t& count) {
  if (is) count = one * one + count;
}

/// What comes before a warp's neighbouring items among the keys of a block. In lane l the rank of item first + l.
template <unsigned Items, class Word>
__device__ __forceinline__ std::uint32_t rank_in_warp(const Word* keys, unsigned places, unsigned first) {
  constexpr unsigned each = enumeration_shape::vector_bytes / sizeof(Word);
  constexpr unsigned chunk = 32 * each;
  constexpr unsigned unrolled = 16 / (each * Items);
  struct alignas(enumeration_shape::vector_bytes) vector {
    Word keys[each];
  };
  const auto* const lanes = reinterpret_cast<const vector*>(keys) + threadIdx.x % 32;
  const unsigned chunks = places / chunk;
  const unsigned own = first / chunk;
  const unsigned later = ::min((first + Items - 1) / chunk + 1, chunks);
  const std::uint32_t one = gridDim.y;
  Word mine[Items];
  Word bounds[Items];  // what is below comes before: of earlier chunks equal keys, too
  std::uint32_t ranks[Items] = {};
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) mine[k] = keys[::min(first + k, places - 1)];
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) bounds[k] = mine[k] + 1;
  unsigned end = own;
#pragma unroll 1
  for (unsigned c = 0; c < chunks; end = chunks) {
#pragma unroll(unrolled)
    for (; c < end; ++c) {
      const vector read = lanes[c * 32];
#pragma unroll
      for (unsigned j = 0; j < each; ++j) {
#pragma unroll
        for (unsigned k = 0; k < Items; ++k) count_if(read.keys[j] < bounds[k], one, ranks[k]);
      }
    }
#pragma unroll 1
    for (unsigned at = c * chunk + threadIdx.x % 32; at < later * chunk; at += 32) {
      const Word key = keys[at];
#pragma unroll
      for (unsigned k = 0; k < Items; ++k) {
        count_if(key < mine[k] || (key == mine[k] && at < first + k), one, ranks[k]);
      }
    }
    c = ::max(c, later);
#pragma unroll
    for (unsigned k = 0; k < Items; ++k) bounds[k] = mine[k];
  }
  std::uint32_t rank = 0;
#pragma unroll
  for (unsigned k = 0; k < Items; ++k) {
    const bool is_last = mine[k] == static_cast<Word>(~Word{0});  // and has no bound
    const std::uint32_t of_all = combine_lanes<plus>(ranks[k]) + (is_last ? own * chunk : 0);
    if (threadIdx.x % 32 == k) rank = of_all;
  }
  return rank;
}

/// Places `of_block` items a block, `of_warp` of them a warp. In place for a single block, which then has read all that
/// it writes.
template <class U, class V>
__global__ void __launch_bounds__(enumeration_shape::threads)
    sort_by_counting(view<const U, const V> in, view<U, V> out, key_order<U> by, bit_range<U> part, unsigned of_block,
                     unsigned of_warp) {
  constexpr bool with_values = view<U, V>::has_values;
  using word = std::conditional_t<(sizeof(U) <= 4), std::uint32_t, std::uint64_t>;
  static_assert(sizeof(word) == counted_word_bytes(sizeof(U)));
  auto* const keys = shared_memory<word>();
  const auto size = static_cast<unsigned>(in.size);
  const auto places = static_cast<unsigned>(counted_places(sizeof(word), size));
  const unsigned lane = threadIdx.x % 32;
  const unsigned first = blockIdx.x * of_block + threadIdx.x / 32 * of_warp;
  const unsigned end = ::min((blockIdx.x + 1) * of_block, size);
  const bool has_own = lane < of_warp && first + lane < end;
  wait_for_kernels_before();
  let_next_kernel_start();

  U key{};
  [[maybe_unused]] V value{};
  if (has_own) {
    key = in.keys[first + lane];
    if constexpr (with_values) value = in.values[first + lane];
  }
#pragma unroll 4
  for (unsigned p = threadIdx.x; p < places; p += blockDim.x) {  // behind the last one, keys that come last
    keys[p] = p < size ? word{part(by(in.keys[p]))} : static_cast<word>(~word{0});
  }
  __syncthreads();
  if (first >= end) return;
  using shape = enumeration_shape;
  const std::uint32_t rank = of_warp == shape::few_items ? rank_in_warp<shape::few_items>(keys, places, first)
                                                         : rank_in_warp<shape::more_items>(keys, places, first);
  if (has_own) {
    out.keys[rank] = key;
    if constexpr (with_values) out.values[rank] = value;
  }
}

/// An item a thread.
template <class U, class V>
__global__ void __launch_bounds__(enumeration_shape::copy_threads)
    copy_unsorted(view<const U, const V> in, view<U, V> to) {
  const std::size_t p = std::size_t{blockIdx.x} * enumeration_shape::copy_threads + threadIdx.x;
  if (p < in.size) {
    to.keys[p] = in.keys[p];
    if constexpr (view<U, V>::has_values) to.values[p] = in.values[p];
  }
  let_next_kernel_start();  // not before: the next one's blocks would share what processors these ones leave
}

#endif

}  // namespace peneira::detail
