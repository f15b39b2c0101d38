// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks of a sort that one block sorts digit by digit: those that are too large for buckets, or that crowd in a few.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/sort_records.cuh"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include <cub/block/block_radix_sort.cuh>

#include "peneira/device/group.cuh"
#include "peneira/device/runtime.cuh"
#endif

namespace peneira::detail {

/// Items of a thread in a large task.
PENEIRA_HD constexpr int large_task_items(std::size_t key_bytes, std::size_t value_bytes) {
  const std::size_t bytes = key_bytes < value_bytes ? value_bytes : key_bytes;
  return bytes <= 4 ? 24 : bytes <= 8 ? 16 : 10;
}

/// A large task, which is sorted digit by digit in any case.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct large_task_shape {
  static constexpr int threads = tuning::task_threads;
  static constexpr int items = large_task_items(KeyBytes, ValueBytes);
  static constexpr int size = threads * items;
};

#if defined(__CUDACC__)

/// Shared memory of a block that sorts digit by digit.
template <class Shape, class U, class V>
struct digits_memory {
  static constexpr bool with_values = view<U, V>::has_values;
  using index = std::conditional_t<with_values, std::uint16_t, cub::NullType>;
  using radix_sort = cub::BlockRadixSort<U, Shape::threads, Shape::items, index>;

  typename radix_sort::TempStorage scratch;
  alignas(16) unsigned char values[with_values ? Shape::size * sizeof(V) : 1];
};

/// Tasks to sort: all of a list, or the chosen ones.
struct task_list {
  const sort_task* tasks;
  const std::uint32_t* chosen;  ///< nullptr: all
  const std::uint32_t* count;
};

/// Sorts the tasks of a list digit by digit, all blocks together.
template <class Shape, class U, class V>
__device__ void sort_list_by_digits(const sort_arrays<U, V>& arrays, const key_order<U>& order, const task_list& list) {
  using memory_type = digits_memory<Shape, U, V>;
  auto& memory = *shared_memory<memory_type>();
  [[maybe_unused]] auto* const values = reinterpret_cast<V*>(memory.values);
  const std::uint32_t count = *list.count;
  for (std::uint32_t t = blockIdx.x; t < count; t += gridDim.x) {
    const sort_task task = list.tasks[list.chosen == nullptr ? t : list.chosen[t]];
    const auto size = static_cast<std::uint32_t>(task.size);
    const auto bits = static_cast<unsigned>(task.bits);
    const view<const U, const V> from = arrays.from(static_cast<sort_buffer>(task.where)).part(task.begin, size);
    const view<U, V> to = arrays.out.part(task.begin, size);
    const key_order<U> by = order.less(static_cast<U>(task.base));
    U keys[Shape::items];
    [[maybe_unused]] typename memory_type::index indices[Shape::items];
#pragma unroll
    for (int i = 0; i < Shape::items; ++i) {
      const unsigned p = threadIdx.x * Shape::items + i;
      keys[i] = p < size ? by(from.keys[p]) : static_cast<U>(~U{0});
      if constexpr (memory_type::with_values) indices[i] = static_cast<std::uint16_t>(p);
    }
    if constexpr (memory_type::with_values) {
      for (std::uint32_t p = threadIdx.x; p < size; p += Shape::threads) values[p] = from.values[p];
    }
    __syncthreads();
    typename memory_type::radix_sort sorting(memory.scratch);
    if constexpr (memory_type::with_values) {
      sorting.SortBlockedToStriped(keys, indices, 0, bits);
    } else {
      sorting.SortBlockedToStriped(keys, 0, bits);
    }
#pragma unroll
    for (int i = 0; i < Shape::items; ++i) {
      const unsigned p = i * Shape::threads + threadIdx.x;
      if (p < size) {
        to.keys[p] = by.back(keys[i]);
        if constexpr (memory_type::with_values) to.values[p] = values[indices[i]];
      }
    }
    __syncthreads();
  }
}

/// Sorts large tasks, and those that crowd in few buckets.
template <class Task, class Large, class U, class V>
__global__ void __launch_bounds__(Task::threads, 1)
    sort_by_digits(sort_arrays<U, V> arrays, key_order<U> order, task_list large, task_list crowded) {
  wait_for_kernels_before();
  let_next_kernel_start();
  sort_list_by_digits<Large>(arrays, order, large);
  sort_list_by_digits<Task>(arrays, order, crowded);
}

#endif

}  // namespace peneira::detail
