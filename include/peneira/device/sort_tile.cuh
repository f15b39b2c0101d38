// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The last step of a sort from the highest bits down: one block sorts a task, a run of items that fits shared memory.
//
//   keys -> about as many buckets as keys, by their highest bits left: one atomic addition a key gives its rank there
//        -> scan of the buckets -> placed bucket by bucket in shared memory
//        -> each key counts the smaller ones of its own bucket, one or two, and is written where it belongs
//
// Bits that no two neighbours share are never looked at. A task with a crowded bucket is sorted digit by digit instead.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/sort_level.cuh"

#if defined(__CUDACC__)
#include <cub/block/block_radix_sort.cuh>
#endif

namespace peneira::detail {

/// A task as the plan and the kernel see it.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct task_shape {
  static constexpr int threads = tuning::task_threads;
  static constexpr int items = ValueBytes == 0 ? tuning::task_items : tuning::task_pairs;
  static constexpr int size = threads * items;
  static constexpr unsigned bucket_bits = ValueBytes == 0 ? tuning::task_bucket_bits : tuning::task_pair_bucket_bits;
  static constexpr unsigned buckets = 1U << bucket_bits;
};

#if defined(__CUDACC__)

/// Shared memory of a block that sorts tasks.
template <class Shape, class U, class V>
struct task_memory {
  static constexpr bool with_values = view<U, V>::has_values;
  using index = std::conditional_t<with_values, std::uint16_t, cub::NullType>;
  using radix_sort = cub::BlockRadixSort<U, Shape::threads, Shape::items, index>;
  static_assert(Shape::size <= 1 << 16);

  struct buckets {
    std::uint32_t counts[Shape::buckets + 4];
    U keys[Shape::size];
    std::uint16_t indices[with_values ? Shape::size : 1];
  };
  union {
    buckets by_bucket;
    typename radix_sort::TempStorage by_digit;
  };
  alignas(16) unsigned char values[with_values ? Shape::size * sizeof(V) : 1];
};

template <class Shape, class U, class V>
__global__ void __launch_bounds__(Shape::threads, view<U, V>::has_values ? 1 : 2)
    sort_tasks(sort_arrays<U, V> arrays, key_order<U> by, const sort_task* tasks, const std::uint32_t* task_count) {
  constexpr bool with_values = view<U, V>::has_values;
  constexpr int items = Shape::items;
  constexpr unsigned threads = Shape::threads;
  constexpr unsigned per_thread = Shape::buckets / threads;  // buckets
  static_assert(per_thread % 4 == 0);
  using memory_type = task_memory<Shape, U, V>;
  auto& memory = *shared_memory<memory_type>();
  auto* const values = reinterpret_cast<V*>(memory.values);
  __shared__ std::uint32_t sums[threads / 32];
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint32_t count = *task_count;
  for (std::uint32_t t = blockIdx.x; t < count; t += gridDim.x) {
    const sort_task task = tasks[t];
    const view<const U, const V> from = arrays.from(static_cast<sort_buffer>(task.where)).part(task.begin, task.size);
    const view<U, V> to = arrays.out.part(task.begin, task.size);
    if (task.bits == 0) {
      if (from.keys == to.keys) continue;
      for (std::uint32_t p = threadIdx.x; p < task.size; p += threads) {
        to.keys[p] = from.keys[p];
        if constexpr (with_values) to.values[p] = from.values[p];
      }
      continue;
    }
    const auto base = static_cast<U>(task.base);
    auto& shared = memory.by_bucket;

    // Into buckets.
    for (unsigned b = threadIdx.x; b < Shape::buckets / 4; b += threads) {
      reinterpret_cast<uint4*>(shared.counts)[b] = make_uint4(0, 0, 0, 0);
    }
    U keys[items];
    std::uint32_t codes[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const unsigned p = i * threads + threadIdx.x;
      if (p < task.size) {
        keys[i] = from.keys[p];
        if constexpr (with_values) values[p] = from.values[p];
      }
    }
    __syncthreads();
    const unsigned shift = task.bits > Shape::bucket_bits ? task.bits - Shape::bucket_bits : 0;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (i * threads + threadIdx.x < task.size) {
        keys[i] = static_cast<U>(by(keys[i]) - base);
        const auto bucket = static_cast<std::uint32_t>(keys[i] >> shift);
        codes[i] = bucket << 16U | atomicAdd(&shared.counts[bucket], 1U);
      }
    }
    __syncthreads();

    // Where each bucket begins.
    std::uint32_t counts[per_thread];
    std::uint32_t sum = 0;
    std::uint32_t most = 0;
    auto* const own = reinterpret_cast<uint4*>(shared.counts) + threadIdx.x * (per_thread / 4);
#pragma unroll
    for (unsigned q = 0; q < per_thread / 4; ++q) reinterpret_cast<uint4*>(counts)[q] = own[q];
#pragma unroll
    for (unsigned q = 0; q < per_thread; ++q) {
      most = ::max(most, counts[q]);
      const std::uint32_t here = counts[q];
      counts[q] = sum;
      sum += here;
    }
    std::uint32_t upto = sum;
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) {
      const std::uint32_t left = __shfl_up_sync(all_lanes, upto, step);
      if (threadIdx.x % 32 >= step) upto += left;
    }
    if (threadIdx.x % 32 == 31) sums[threadIdx.x / 32] = upto;
    const bool exact = !with_values && shift == 0;  // a bucket is a key
    const bool crowded = __syncthreads_or(!exact && most > tuning::task_crowd ? 1 : 0) != 0;
    if (!crowded) {
      const unsigned lane = threadIdx.x % 32;
      const std::uint32_t others = lane < threads / 32 && lane < threadIdx.x / 32 ? sums[lane] : 0;
      const std::uint32_t before = __reduce_add_sync(all_lanes, others) + upto - sum;
#pragma unroll
      for (unsigned q = 0; q < per_thread; ++q) counts[q] += before;
#pragma unroll
      for (unsigned q = 0; q < per_thread / 4; ++q) own[q] = reinterpret_cast<uint4*>(counts)[q];
      if (threadIdx.x == 0) shared.counts[Shape::buckets] = task.size;
      __syncthreads();
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const unsigned p = i * threads + threadIdx.x;
        if (p < task.size) {
          const std::uint32_t place = shared.counts[codes[i] >> 16U] + (codes[i] & 0xFFFFU);
          shared.keys[place] = keys[i];
          if constexpr (with_values) shared.indices[place] = static_cast<std::uint16_t>(p);
        }
      }
      __syncthreads();
      // Each key to its place in its bucket.
      for (unsigned p = threadIdx.x; p < task.size; p += threads) {
        const U key = shared.keys[p];
        std::uint32_t place = p;
        [[maybe_unused]] unsigned index = 0;
        if constexpr (with_values) index = shared.indices[p];
        if (!exact) {
          const auto bucket = static_cast<std::uint32_t>(key >> shift);
          const std::uint32_t begin = shared.counts[bucket];
          const std::uint32_t end = shared.counts[bucket + 1];
          place = begin;
          for (std::uint32_t q = begin; q < end; ++q) {
            const U other = shared.keys[q];
            if constexpr (with_values) {
              place += other < key || (other == key && shared.indices[q] < index) ? 1 : 0;
            } else {
              place += other < key || (other == key && q < p) ? 1 : 0;
            }
          }
        }
        to.keys[place] = by.back(static_cast<U>(key + base));
        if constexpr (with_values) to.values[place] = values[index];
      }
    } else {
      __syncthreads();
      [[maybe_unused]] typename memory_type::index indices[items];
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const unsigned p = threadIdx.x * items + i;
        keys[i] = p < task.size ? static_cast<U>(by(from.keys[p]) - base) : static_cast<U>(~U{0});
        if constexpr (with_values) indices[i] = static_cast<std::uint16_t>(p);
      }
      __syncthreads();
      if constexpr (with_values) {
        typename memory_type::radix_sort(memory.by_digit).SortBlockedToStriped(keys, indices, 0, task.bits);
      } else {
        typename memory_type::radix_sort(memory.by_digit).SortBlockedToStriped(keys, 0, task.bits);
      }
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const unsigned p = i * threads + threadIdx.x;
        if (p < task.size) {
          to.keys[p] = by.back(static_cast<U>(keys[i] + base));
          if constexpr (with_values) to.values[p] = values[indices[i]];
        }
      }
    }
    __syncthreads();
  }
}

#endif

}  // namespace peneira::detail
