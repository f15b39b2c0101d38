// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An LSD radix sort by one block: of tasks of an MSD radix sort that are too large for buckets, or that crowd in a few.
#pragma once

#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/block_rank.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// Items of a thread in a large task.
PENEIRA_HD constexpr int large_task_items(std::size_t key_bytes, std::size_t value_bytes) {
  const std::size_t bytes = key_bytes < value_bytes ? value_bytes : key_bytes;
  return bytes <= 4 ? 24 : bytes <= 8 ? 16 : 10;
}

/// Items that a thread has more at a time, in tasks of all sizes up to that.
PENEIRA_HD constexpr int task_step(std::size_t key_bytes, std::size_t value_bytes) {
  return large_task_items(key_bytes, value_bytes) % 3 == 0 ? 3 : 2;
}
/// Places that all threads have for a task of so many items.
PENEIRA_HD constexpr std::size_t task_places(std::size_t key_bytes, std::size_t value_bytes, std::size_t items) {
  const auto slice = static_cast<std::size_t>(tuning::task_threads * task_step(key_bytes, value_bytes));
  return (items + slice - 1) / slice * slice;
}

/// The same as the kernel sees it.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct large_task_shape {
  static constexpr int threads = tuning::task_threads;
  static constexpr int items = large_task_items(KeyBytes, ValueBytes);
  static constexpr int step = task_step(KeyBytes, ValueBytes);

  PENEIRA_HD static constexpr std::size_t places(std::size_t task) { return task_places(KeyBytes, ValueBytes, task); }
};

/// Shared memory of a block that sorts tasks of at most so many places, but for values: keys, or the numbers of items
/// by turns, in whose place they are ranked before.
PENEIRA_HD constexpr std::size_t digits_bytes(std::size_t key_bytes, std::size_t places) {
  constexpr std::size_t ranking = 17 * 1024;
  const std::size_t keys = places * (key_bytes < sizeof(std::uint16_t) ? sizeof(std::uint16_t) : key_bytes);
  return keys < ranking ? ranking : keys;
}

#if defined(__CUDACC__)

/// Tasks to sort: all of a list, or where some are chosen, those.
struct task_list {
  const sort_task* tasks;
  const std::uint32_t* chosen;
  const std::uint32_t* count;
};

/// Some bits of a number.
struct task_digit {
  unsigned shift;
  std::uint32_t mask;

  template <class U>
  __device__ std::uint32_t operator()(U number) const {
    return static_cast<std::uint32_t>(number >> shift) & mask;
  }
};

/// The lowest digit of those bits in which keys differ. Takes it from them.
__device__ inline task_digit next_digit(std::uint64_t& differing, unsigned digit_bits) {
  const auto shift = static_cast<unsigned>(__ffsll(static_cast<long long>(differing)) - 1);
  const auto mask = static_cast<std::uint32_t>(differing >> shift) & ((1U << digit_bits) - 1);
  differing &= ~(std::uint64_t{mask} << shift);
  return {shift, mask};
}

/// Items that are of one segment, as most are that are sorted by digits.
struct one_segment {
  static constexpr bool is_one = true;
};

/// Sorts items by the bits in which their keys differ, digit by digit, and then by their segments, where there are
/// several: segments(number of an item) says its own, of `segments.count`. Values lie from `value_bytes` on in shared
/// memory.
template <class Shape, class U, class V, class Segments = one_segment>
__device__ void sort_items_by_digits(view<const U, const V> from, view<U, V> to, const key_order<U>& by,
                                     std::size_t value_bytes, [[maybe_unused]] const Segments& segments = {}) {
  constexpr bool with_values = view<U, V>::has_values;
  constexpr bool with_numbers = with_values || !Segments::is_one;
  constexpr int items = Shape::items;
  constexpr int step = Shape::step;
  auto* const memory = shared_memory<unsigned char>();
  auto& ranking = *reinterpret_cast<block_ranks<Shape::threads>*>(memory);
  auto* const keys_there = reinterpret_cast<U*>(memory);
  [[maybe_unused]] auto* const numbers_there = reinterpret_cast<std::uint16_t*>(memory);
  [[maybe_unused]] auto* const values = reinterpret_cast<V*>(memory + value_bytes);
  const auto size = static_cast<std::uint32_t>(from.size);
  const auto count = static_cast<int>(Shape::places(size) / Shape::threads);
  const unsigned mine = threadIdx.x / 32 * 32 * count + threadIdx.x % 32;  // every 32nd item of a warp's
  U keys[items];
  [[maybe_unused]] std::uint32_t numbers[with_numbers ? items : 1];
  for_items<items, step>(count, [&](int i) {  // behind the last one, keys that come last
    const unsigned p = mine + i * 32;
    keys[i] = p < size ? from.keys[p] : by.back(static_cast<U>(~U{0}));
    if constexpr (with_numbers) numbers[i] = p;
  });
  for_items<items, step>(count, [&](int i) { keys[i] = by(keys[i]); });
  if constexpr (with_values) {
    for (std::uint32_t p = threadIdx.x; p < size; p += Shape::threads) values[p] = from.values[p];
    __syncthreads();
  }
  const U first = by(from.keys[0]);
  U of_thread = 0;
  for_items<items, step>(count, [&](int i) {
    if (mine + i * 32 < size) of_thread |= keys[i] ^ first;
  });
  std::uint64_t differing = bits_of_all(of_thread);
  const auto move = [&](const std::uint32_t(&ranks)[items]) {
    __syncthreads();
    for_items<items, step>(count, [&](int i) { keys_there[ranks[i]] = keys[i]; });
    __syncthreads();
    for_items<items, step>(count, [&](int i) { keys[i] = keys_there[mine + i * 32]; });
    __syncthreads();
    if constexpr (with_numbers) {
      for_items<items, step>(count, [&](int i) { numbers_there[ranks[i]] = static_cast<std::uint16_t>(numbers[i]); });
      __syncthreads();
      for_items<items, step>(count, [&](int i) { numbers[i] = numbers_there[mine + i * 32]; });
      __syncthreads();
    }
  };
  [[maybe_unused]] const bool moves = differing != 0;
#pragma unroll 1
  while (differing != 0) {
    const task_digit digit = next_digit(differing, ranking.bits);
    std::uint32_t ranks[items];
    ranking.template find<step>(keys, ranks, count, digit, [](std::uint32_t) {});
    move(ranks);
  }
  if constexpr (!Segments::is_one) {
#pragma unroll 1
    for (unsigned shift = 0; moves && (segments.count - 1) >> shift != 0; shift += ranking.bits) {
      const auto digit = [&](std::uint32_t number) { return segments(number) >> shift & (ranking.bins - 1); };
      std::uint32_t ranks[items];
      ranking.template find<step>(numbers, ranks, count, digit, [](std::uint32_t) {});
      move(ranks);
    }
  }
  for_items<items, step>(count, [&](int i) {
    const unsigned p = mine + i * 32;
    if (p < size) {
      to.keys[p] = by.back(keys[i]);
      if constexpr (with_values) to.values[p] = values[numbers[i]];
    }
  });
  __syncthreads();
}

/// Sorts large tasks, of at most `most` items, and those that crowd in few buckets. One kernel, since it is a large
/// one.
template <class Shape, class U, class V>
__global__ void __launch_bounds__(Shape::threads, 1)
    sort_by_digits(sort_arrays<U, V> arrays, key_order<U> order, task_list large, task_list crowded,
                   std::uint32_t most) {
  static_assert(sizeof(block_ranks<Shape::threads>) <= digits_bytes(sizeof(U), 0));
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::size_t value_bytes = digits_bytes(sizeof(U), Shape::places(most));
  const std::uint32_t of_large = *large.count;
  const std::uint32_t of_both = of_large + *crowded.count;
  for (std::uint32_t t = blockIdx.x; t < of_both; t += gridDim.x) {
    const sort_task task = t < of_large ? large.tasks[t] : crowded.tasks[crowded.chosen[t - of_large]];
    const view<const U, const V> from = arrays.from(static_cast<sort_buffer>(task.where));
    sort_items_by_digits<Shape, U, V>(from.part(task.begin, task.size), arrays.out.part(task.begin, task.size),
                                      order.less(static_cast<U>(task.base)), value_bytes);
  }
}

#endif

}  // namespace peneira::detail
