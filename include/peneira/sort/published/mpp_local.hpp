// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The last kernel of a round of mpp_sort, sort_partitions: a fixed number of blocks, each of which takes a partition at
// a step and sorts it in shared memory, if it fits, by a bitonic network. The report calls it "bitonicSort + merge" and
// says no more of the merge: here it is a knob. With run_items the network stops at runs of so many items, which are
// merged two by two between two halves of the shared memory, so that a partition may be half as large.
//
//   partition  --network-->  | run | run | run | ru |  --merge-->  | run run | run ru |  --merge-->  | run run run ru |
#pragma once

#include "peneira/sort/published/mpp_round.hpp"
#include "peneira/view.hpp"

namespace peneira::sort_strategies {

/// Where the values lie behind the keys of a partition in shared memory.
PENEIRA_HD constexpr std::size_t mpp_key_bytes(std::size_t items, std::size_t key_bytes) {
  return (items * key_bytes + 15) / 16 * 16;
}

/// Where the second half of the shared memory begins, if there is one.
PENEIRA_HD constexpr std::size_t mpp_item_bytes(std::size_t items, std::size_t key_bytes, std::size_t value_bytes) {
  return (mpp_key_bytes(items, key_bytes) + items * value_bytes + 15) / 16 * 16;
}

/// Where item i goes when neighbouring runs of `run` keys, a power of two, become runs of twice that: behind those of
/// its own run and of the other one that come before it. Of equal keys the left run's do.
template <class U>
PENEIRA_HD std::uint32_t mpp_merged_place(const U* keys, std::uint32_t size, std::uint32_t run, std::uint32_t i) {
  const std::uint32_t begin = i & ~(2 * run - 1);
  const bool is_left = (i & run) == 0;
  const std::uint32_t other = is_left ? begin + run : begin;
  if (other >= size) return i;
  std::uint32_t low = other;
  std::uint32_t high = size - other < run ? size : other + run;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (is_left ? keys[middle] < keys[i] : !(keys[i] < keys[middle])) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return begin + (i & (run - 1)) + (low - other);
}

#if defined(__CUDACC__)

namespace published_kernels {

/// A partition in shared memory.
template <class U, class V>
struct shared_items {
  U* keys;
  V* values;

  __device__ shared_items(unsigned char* at, std::uint32_t capacity)
      : keys(reinterpret_cast<U*>(at)), values(reinterpret_cast<V*>(at + mpp_key_bytes(capacity, sizeof(U)))) {}
};

/// Sorts a partition in shared memory, or runs of `most` of its items, a power of two. All comparisons bring the
/// smaller key to the front, since each merge begins with a mirrored step: what lies behind the last item counts as
/// larger than all and would stay where it is, so that any number of items will do.
template <class U, class V>
__device__ void bitonic_sort(U* keys, V* values, std::uint32_t size, std::uint32_t most) {
  std::uint32_t pairs = 1;  // half of the least power of two that is no less than size
  while (2 * pairs < size) pairs *= 2;
  const auto step = [&](auto&& first_of, auto&& second_of) {
    for (std::uint32_t pair = threadIdx.x; pair < pairs; pair += mpp_threads) {
      const std::uint32_t a = first_of(pair);
      const std::uint32_t b = second_of(a);
      if (b >= size) continue;
      const U front = keys[a];
      const U back = keys[b];
      if (!(back < front)) continue;
      keys[a] = back;
      keys[b] = front;
      if constexpr (view<U, V>::has_values) {
        const V value = values[a];
        values[a] = values[b];
        values[b] = value;
      }
    }
    __syncthreads();
  };
  for (std::uint32_t run = 2; run / 2 < size && run <= most; run *= 2) {
    step([&](std::uint32_t pair) { return 2 * pair - (pair & (run / 2 - 1)); },
         [&](std::uint32_t a) { return a ^ (run - 1); });
    for (std::uint32_t apart = run / 4; apart != 0; apart /= 2) {
      step([&](std::uint32_t pair) { return 2 * pair - (pair & (apart - 1)); },
           [&](std::uint32_t a) { return a + apart; });
    }
  }
}

/// Merges runs of `run` items until one is left; swaps the two so that it is in the first.
template <class U, class V>
__device__ void merge_in_shared(shared_items<U, V>& some, shared_items<U, V>& other, std::uint32_t size,
                                std::uint32_t run) {
  for (; run < size; run *= 2) {
    for (std::uint32_t i = threadIdx.x; i < size; i += mpp_threads) {
      const std::uint32_t to = mpp_merged_place(some.keys, size, run, i);
      other.keys[to] = some.keys[i];
      if constexpr (view<U, V>::has_values) other.values[to] = some.values[i];
    }
    __syncthreads();
    const shared_items<U, V> merged = other;
    other = some;
    some = merged;
  }
}

template <bool Merges, class U, class V>
__global__ void __launch_bounds__(mpp_threads) sort_partitions(mpp_round<U, V> round) {
  constexpr bool with_values = view<U, V>::has_values;
  auto* const room = detail::shared_memory<unsigned char>();
  const mpp_count all = round.all();
  const std::size_t partitions = all.segments() * round.partitions;
  for (std::size_t p = blockIdx.x; p < partitions; p += gridDim.x) {
    const std::size_t s = p / round.partitions;
    if (round.widths_of(s).are_single_keys()) continue;
    const mpp_segment mine = round.segment(s);
    const bool last = (p + 1) % round.partitions == 0;
    const std::size_t begin = round.totals[p];
    const std::size_t count = (last ? mine.begin + mine.size : round.totals[p + 1]) - begin;
    if (count == 0 || count > round.capacity) continue;
    const auto size = static_cast<std::uint32_t>(count);
    shared_items<U, V> some(room, round.capacity);
    for (std::uint32_t i = threadIdx.x; i < size; i += mpp_threads) {
      some.keys[i] = round.by(round.to.keys[begin + i]);
      if constexpr (with_values) some.values[i] = round.to.values[begin + i];
    }
    __syncthreads();
    bitonic_sort(some.keys, some.values, size, Merges ? round.run_items : 1U << 31U);
    if constexpr (Merges) {
      shared_items<U, V> other(room + mpp_item_bytes(round.capacity, sizeof(U), with_values ? sizeof(V) : 0),
                               round.capacity);
      merge_in_shared(some, other, size, round.run_items);
    }
    for (std::uint32_t i = threadIdx.x; i < size; i += mpp_threads) {
      round.out.keys[begin + i] = round.by.back(some.keys[i]);
      if constexpr (with_values) round.out.values[begin + i] = some.values[i];
    }
    __syncthreads();
  }

  // A segment whose partitions are single keys is in order, of whatever size they are.
  if (round.to.keys == round.out.keys) return;
  for (std::size_t row = blockIdx.x; row < all.rows(); row += gridDim.x) {
    const auto mine = round.slice_of(row);
    if (!round.widths_of(mine.segment).are_single_keys()) continue;
    for (std::size_t at = mine.begin + threadIdx.x; at < mine.end; at += mpp_threads) {
      round.out.keys[at] = round.to.keys[at];
      if constexpr (with_values) round.out.values[at] = round.to.values[at];
    }
  }
}

}  // namespace published_kernels

#endif

}  // namespace peneira::sort_strategies
