// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the k-th of some keys is, by a radix select: digits from the highest down, each time among the keys that agree
// with what is known already.
//
//   sample_bound     one block: a key of a random sample that the wanted items are hardly ever beyond
//   find_threshold   the whole grid: the k-th of the candidates, or of all keys where these are none, or not the right
//                    ones
#pragma once

#include "peneira/gpu/grid_barrier.cuh"
#include "peneira/hash.hpp"
#include "peneira/histogram/gpu/tables.cuh"
#include "peneira/key_order.hpp"
#include "peneira/top_k/gpu/select_sizes.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/block_sums.cuh"

namespace peneira::detail {

/// How far a search is: the bits of the k-th ordered number from bit `left` on, and which of the keys that have them it
/// is. The other bits of `known` are zero.
template <class U>
struct digit_cursor {
  static constexpr unsigned width = key_order<U>::width;
  U known;
  unsigned left;
  std::uint64_t wanted;  ///< from 1 on

  [[nodiscard]] __device__ unsigned bits() const { return left < select_digit_bits ? left : select_digit_bits; }
  /// Calls count(digit) if the ordered number agrees with what is known.
  template <class Count>
  __device__ void visit(U ordered, const Count& count) const {
    const unsigned here = bits();
    const auto digit = static_cast<U>(static_cast<U>(ordered ^ known) >> (left - here));
    if (digit <= (1U << here) - 1) count(static_cast<std::uint32_t>(digit));
  }
  /// Goes on behind a digit, before which so many keys are.
  __device__ void descend(std::uint32_t digit, std::uint64_t before) {
    left -= bits();
    known = static_cast<U>(known | static_cast<U>(U{static_cast<U>(digit)} << left));
    wanted -= before;
  }
  /// The last number that agrees with what is known.
  [[nodiscard]] __device__ U last() const {
    const U open = left >= width ? static_cast<U>(~U{0}) : static_cast<U>((U{1} << left) - 1);
    return static_cast<U>(known | open);
  }
};

/// Shared memory of a block that looks for the digit of the k-th key.
struct digit_search {
  static constexpr unsigned a_thread = select_bins / tuning::select_find_threads;
  block_sums<tuning::select_find_threads> sums;
  std::uint64_t before;
  std::uint64_t count;
  std::uint32_t digit;

  /// Finds it by the counts of digits, of which each thread has some neighbours, and goes there. Returns how many keys
  /// have it. All threads call; they meet before they call again.
  template <class U>
  __device__ std::uint64_t step_down(const std::uint64_t (&counts)[a_thread], digit_cursor<U>& at) {
    std::uint64_t lower[a_thread];
    std::uint64_t all = 0;
    sums.before(counts, lower, all);
#pragma unroll
    for (unsigned k = 0; k < a_thread; ++k) {
      if (lower[k] < at.wanted && at.wanted <= lower[k] + counts[k]) {
        digit = threadIdx.x * a_thread + k;
        before = lower[k];
        count = counts[k];
      }
    }
    __syncthreads();
    at.descend(digit, before);
    return count;
  }
};

/// Writes to the state a bound that some keys more than `rank` of a sample are below, and sets the rest of the header
/// to zero. Launched early behind clear_prefixes, which does not touch what this reads and writes.
template <class U>
__global__ void __launch_bounds__(tuning::select_find_threads, 1)
    sample_bound(const U* keys, std::size_t n, key_order<U> by, select_sample sample, unsigned copies_shift,
                 select_header header) {
  constexpr unsigned threads = tuning::select_find_threads;
  const bin_tables<std::uint32_t> tables{shared_memory<std::uint32_t>(), copies_shift};
  __shared__ digit_search search;
  let_next_kernel_start();
  U mine[tuning::select_sample_keys];
#pragma unroll
  for (unsigned k = 0; k < tuning::select_sample_keys; ++k) {  // at random: inputs have periods, or ascend
    const std::uint64_t number = k * threads + threadIdx.x + 1;
    mine[k] = keys[__umul64hi(mix64(number), n)];
  }
  for (std::size_t w = threadIdx.x; w < header.size; w += threads) header.words[w] = 0;
  digit_cursor<U> at{0, key_order<U>::width, sample.rank};
  while (at.left != 0) {
    tables.clear(select_bins);
    __syncthreads();
#pragma unroll
    for (const U& key : mine) at.visit(by(key), [&](std::uint32_t digit) { atomicAdd(tables.of(digit), 1U); });
    __syncthreads();
    std::uint64_t counts[digit_search::a_thread];
#pragma unroll
    for (unsigned k = 0; k < digit_search::a_thread; ++k) {
      counts[k] = tables.total(threadIdx.x * digit_search::a_thread + k);
    }
    const std::uint64_t found = search.step_down(counts, at);
    __syncthreads();
    if (found <= at.wanted + sample.slack) break;
  }
  wait_for_kernels_before();  // so that who waits for this kernel waits for the clearing, too
  if (threadIdx.x == 0) header.state()->bound = at.last();
}

/// Keys among which the k-th is looked for, and what is known of it.
template <class U>
struct select_source {
  const U* keys;
  std::size_t items;
  bool candidates;
  digit_cursor<U> at;
};

/// The candidates where they have the k wanted items and there was room for all of them, or else the whole input.
template <class U>
__device__ select_source<U> source_of(const U* in, std::size_t n, std::size_t k, const U* candidates,
                                      std::size_t capacity, const select_state& state) {
  constexpr unsigned width = key_order<U>::width;
  const std::uint64_t kept = state.less + ::min(state.equal, static_cast<std::uint64_t>(k));
  if (capacity == 0 || state.less + state.equal < k || kept > capacity) return {in, n, false, {0, width, k}};
  const unsigned left = 64U - static_cast<unsigned>(__clzll(static_cast<long long>(state.differing)));
  const auto bound = static_cast<U>(state.bound);
  const U known = left >= width ? U{0} : static_cast<U>(static_cast<U>(bound >> left) << left);
  return {candidates, kept, true, {known, left, k}};
}

/// Finds the k-th, digit by digit, all blocks together. Clears the words of the tiles that the items are taken by.
template <class U>
__global__ void __launch_bounds__(tuning::select_find_threads, 1)
    find_threshold(const U* in, std::size_t n, std::size_t k, const U* candidates, std::size_t capacity,
                   key_order<U> by, unsigned copies_shift, select_header header, select_tiles cut) {
  constexpr unsigned threads = tuning::select_find_threads;
  const bin_tables<std::uint32_t> tables{shared_memory<std::uint32_t>(), copies_shift};
  __shared__ digit_search search;
  wait_for_kernels_before();
  let_next_kernel_start();
  select_source<U> source = source_of(in, n, k, candidates, capacity, *header.state());
  const std::uint32_t tiles = select_shape<U>::tiles(source.items, source.candidates ? 1 : cut.steps);
  if (tiles > 1) clear_words(cut.words, prefix_words::slots_of(tiles) * cut.slot_words);
  const item_range mine = slice_of_block(source.items, blockIdx.x, gridDim.x);
  grid_barrier all_blocks(&header.state()->arrived);
  for (unsigned round = 0; source.at.left != 0; ++round) {
    tables.clear(select_bins);
    __syncthreads();
    const digit_cursor<U> at = source.at;
    visit_backwards<threads, 4 * threads>(source.keys, mine, [=](U key) {
      at.visit(by(key), [=](std::uint32_t digit) { atomicAdd(tables.of(digit), 1U); });
    });
    __syncthreads();
    tables.add_up(select_bins, header.counts(round));
    all_blocks.wait();
    std::uint64_t counts[digit_search::a_thread];
#pragma unroll
    for (unsigned b = 0; b < digit_search::a_thread; ++b) {
      counts[b] = __ldcg(header.counts(round) + threadIdx.x * digit_search::a_thread + b);
    }
    const std::uint64_t found = search.step_down(counts, source.at);
    if (found == source.at.wanted) break;  // all that agree so far are wanted
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  select_state* const state = header.state();
  state->threshold = source.at.last();
  state->equal_taken = source.at.wanted;
  state->items = source.items;
  state->from_candidates = source.candidates ? 1 : 0;
}

}  // namespace peneira::detail

#endif
