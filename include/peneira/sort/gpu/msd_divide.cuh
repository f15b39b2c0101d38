// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The middle of an MSD level: once its segments are counted, where each bin of each begins, and what is to be done
// with it.
#pragma once

#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"

namespace peneira::detail {

/// Appends tasks that copy `size` equal items from where they are to where they belong, one thread's part of them.
__device__ inline void append_copies(const sort_level& level, std::uint64_t begin, std::uint64_t size,
                                     sort_buffer where, unsigned thread, unsigned threads, std::uint32_t at) {
  const std::uint32_t copies = level.copies_of(size);
  for (std::uint32_t c = thread; c < copies; c += threads) {
    const std::uint64_t done = std::uint64_t{c} * level.copy_items;
    const std::uint64_t here = size - done < level.copy_items ? size - done : level.copy_items;
    level.tasks[at + c] = {0, begin + done, here, 0, static_cast<std::uint64_t>(where)};
  }
}

/// Appends a segment to the next level.
__device__ inline void append_segment(const sort_level& level, std::uint64_t begin, std::uint64_t size,
                                      std::uint32_t bits, sort_buffer where) {
  const segment_count before{atomicAdd(&level.count[1].packed, segment_count::one(size).packed)};
  level.next_segments[before.segments()] = {before.items(), begin, size, 0, bits, where, 0};
}

/// Shared memory of a block that divides segments.
template <unsigned Threads>
struct divide_memory {
  block_sums<Threads> sums;
  std::uint64_t starts[Threads];
  std::uint64_t halves[Threads];
  std::uint32_t heads[Threads / 32];  ///< a bit a digit: a task or something larger begins there
  std::uint32_t slots;
};

/// Divides the segments of a level, one a block at a time.
template <unsigned Threads>
__device__ void divide_level(const sort_level& level, divide_memory<Threads>& memory) {
  auto& [sums, starts, halves, heads, slots] = memory;
  const segment_count all = level.all();
  const std::uint32_t bins = level.bins();
  const unsigned digit = threadIdx.x;
  for (std::uint64_t s = blockIdx.x; s < all.segments(); s += gridDim.x) {
    const sort_segment segment = level.segments[s];
    const std::uint64_t size = digit < bins ? level.sums.get(s * bins + digit) : 0;
    const std::uint64_t differ = level.differing[s];
    std::uint64_t in_all = 0;
    const std::uint64_t start = sums.before(size, in_all);
    const bool one_digit = __syncthreads_or(size == segment.size ? 1 : 0) != 0;
    if (level.first && level.upwards != nullptr) {  // the one level was to leave tasks alone, and moves no single digit
      const bool fails = size > level.task_items || (one_digit && differ != 0);
      if (__syncthreads_or(fails ? 1 : 0) != 0) {
        if (digit == 0) *level.upwards = 1;
        return;
      }
    }

    if (one_digit) {
      const auto bits = static_cast<std::uint32_t>(64 - __clzll(static_cast<long long>(differ)));
      const bool copies = bits == 0 && segment.where != sort_buffer::out;
      if (digit == 0) {
        level.segments[s].stays = 1;
        if (bits != 0) append_segment(level, segment.begin, segment.size, bits, segment.where);
        if (copies) slots = atomicAdd(level.task_count, level.copies_of(segment.size));
      }
      __syncthreads();
      if (copies) append_copies(level, segment.begin, segment.size, segment.where, digit, Threads, slots);
      __syncthreads();
      continue;
    }
    if (digit < bins) level.sums.set(s * bins + digit, segment.begin + start);

    // What is left to do for each digit's items. Small neighbours go together: they begin in the same half task.
    const unsigned shift = level.shift_of(segment.bits);
    const sort_buffer target = level.target_of(segment.where);
    const bool done = shift == 0 && target == sort_buffer::out;
    const std::uint32_t half = level.task_items / 2;
    const bool small = size <= half;
    halves[digit] = small ? start / half : ~std::uint64_t{0};
    starts[digit] = start;
    if (digit == 0) slots = 0;
    __syncthreads();
    const bool head = digit == 0 || !small || halves[digit - 1] != halves[digit];
    const unsigned ballot = __ballot_sync(all_lanes, head);
    if (digit % 32 == 0) heads[digit / 32] = ballot;
    __syncthreads();
    sort_task task{};
    bool is_task = false;
    if (head && digit < bins && !done) {
      unsigned last = digit + 1;  // one behind the last digit of the task
      while (small && last < bins && (heads[last / 32] >> (last % 32) & 1U) == 0) ++last;
      const std::uint64_t together = (last < bins ? starts[last] : segment.size) - start;
      const std::uint64_t begin = segment.begin + start;
      const unsigned above = shift + level.digit_bits;
      const std::uint64_t base = (above >= 64 ? 0 : segment.first >> above << above) | std::uint64_t{digit} << shift;
      const std::uint64_t range = std::uint64_t{last - digit - 1} << shift | ((std::uint64_t{1} << shift) - 1);
      const auto bits = static_cast<std::uint64_t>(64 - __clzll(static_cast<long long>(range)));
      task = {base, begin, together, bits, static_cast<std::uint64_t>(target)};
      if (!small && shift == 0) {  // all equal
        append_copies(level, begin, size, target, 0, 1, atomicAdd(level.task_count, level.copies_of(size)));
      } else if (together > level.large_task_items) {
        append_segment(level, begin, size, shift, target);
      } else if (together > level.task_items) {
        level.large_tasks[atomicAdd(level.large_task_count, 1U)] = task;
      } else {
        is_task = together != 0;
      }
    }
    std::uint32_t slot = 0;
    if (is_task) slot = atomicAdd(&slots, 1U);
    __syncthreads();
    if (digit == 0) slots = atomicAdd(level.task_count, slots);
    __syncthreads();
    if (is_task) level.tasks[slots + slot] = task;
    __syncthreads();
  }
}

/// A thread a digit.
template <unsigned Threads>
__global__ void __launch_bounds__(Threads) divide_segments(sort_level level) {
  __shared__ divide_memory<Threads> memory;
  wait_for_kernels_before();
  let_next_kernel_start();
  divide_level(level, memory);
}

}  // namespace peneira::detail

#endif
