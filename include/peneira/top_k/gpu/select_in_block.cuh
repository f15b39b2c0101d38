// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A whole selection by one block, whose threads have neighbouring items in registers: the k-th is found digit by digit,
// then threads learn how many wanted items the others before them have.
#pragma once

#include "peneira/top_k/gpu/find_threshold.cuh"
#include "peneira/view.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// The block's memory, but for the table of digits.
struct block_selection {
  digit_search search;
  block_sums<tuning::select_find_threads, std::uint32_t> sums;
};

/// Goes down to the k-th of the keys that the threads of the block have, of which `count` are this one's.
template <unsigned Each, class U>
__device__ digit_cursor<U> find_in_block(const U (&ordered)[Each], unsigned count, U first, std::uint64_t k,
                                         std::uint32_t* table, digit_search& search) {
  U differ = 0;
#pragma unroll
  for (unsigned i = 0; i < Each; ++i) differ |= i < count ? static_cast<U>(ordered[i] ^ first) : U{0};
  const unsigned left = 64U - static_cast<unsigned>(__clzll(static_cast<long long>(bits_of_all(differ))));
  const U known = left >= key_order<U>::width ? U{0} : static_cast<U>(static_cast<U>(first >> left) << left);
  digit_cursor<U> at{known, left, k};
  while (at.left != 0) {
    for (unsigned b = threadIdx.x; b < select_bins; b += tuning::select_find_threads) table[b] = 0;
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < Each; ++i) {
      if (i < count) at.visit(ordered[i], [&](std::uint32_t digit) { atomicAdd(table + digit, 1U); });
    }
    __syncthreads();
    std::uint64_t counts[digit_search::a_thread];
#pragma unroll
    for (unsigned b = 0; b < digit_search::a_thread; ++b) counts[b] = table[threadIdx.x * digit_search::a_thread + b];
    const std::uint64_t found = search.step_down(counts, at);
    if (found == at.wanted) break;  // all that agree so far are wanted
    __syncthreads();
  }
  return at;
}

template <class U, class V>
__global__ void __launch_bounds__(tuning::select_find_threads, 1)
    select_in_block(view<const U, const V> in, view<U, V> out, key_order<U> by, std::uint32_t each) {
  constexpr unsigned most = tuning::select_block_keys;
  __shared__ std::uint32_t table[select_bins];
  __shared__ block_selection memory;
  const auto size = static_cast<unsigned>(in.size);
  const unsigned begin = ::min(threadIdx.x * each, size);
  const unsigned count = ::min(each, size - begin);
  U ordered[most];
#pragma unroll
  for (unsigned i = 0; i < most; ++i) ordered[i] = i < count ? by(in.keys[begin + i]) : U{0};
  const digit_cursor<U> found =
      find_in_block(ordered, count, by(in.keys[0]), std::uint64_t{out.size}, table, memory.search);

  const U bound = found.last();
  const auto equals = static_cast<std::uint32_t>(found.wanted);
  std::uint32_t mine = 0;  // below the bound; from bit 16 on, equal to it
#pragma unroll
  for (unsigned i = 0; i < most; ++i) {
    if (i < count && ordered[i] <= bound) mine += ordered[i] == bound ? 0x10000U : 1U;
  }
  std::uint32_t all = 0;
  std::uint32_t before = memory.sums.before(mine, all);
#pragma unroll
  for (unsigned i = 0; i < most; ++i) {
    if (i >= count || ordered[i] > bound) continue;
    const bool is_equal = ordered[i] == bound;
    const std::uint32_t equal = before >> 16U;
    const std::uint32_t at = (before & 0xFFFFU) + ::min(equal, equals);
    before += is_equal ? 0x10000U : 1U;
    if (is_equal && equal >= equals) continue;
    out.keys[at] = by.back(ordered[i]);
    if constexpr (view<U, V>::has_values) out.values[at] = in.values[begin + i];
  }
}

}  // namespace peneira::detail

#endif
