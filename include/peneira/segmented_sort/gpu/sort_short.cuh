// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts packed tasks of which no segment is long, one a block at a time: lanes of a warp sort a segment in registers.
//
//   items -> shared memory; segments listed there by their sizes -> each group of lanes takes one: a word an item
//   -> sorted by a network within a lane and by bitonic merges between lanes -> back where the segment was -> out
#pragma once

#include "peneira/key_order.hpp"
#include "peneira/segmented_sort/gpu/short_in_lanes.cuh"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// Shared memory of a block that sorts short tasks, at most.
PENEIRA_HD constexpr std::size_t short_shared(std::size_t key_bytes, std::size_t value_bytes) {
  const std::size_t places = packed_size + packed_size / 16;  // and those that are skipped
  const std::size_t lists = short_first(short_kinds) * 3 + 64;
  const std::size_t sorting = places * (key_bytes <= 4 ? 4 : 8) + lists;
  const std::size_t moving = packed_size * value_bytes;
  return (sorting < moving ? moving : sorting) + (value_bytes == 0 ? 0 : places * sizeof(std::uint16_t)) + 64;
}

#if defined(__CUDACC__)

/// Items of a thread.
inline constexpr unsigned short_items = packed_size / tuning::short_threads;

/// Calls visit(i) for the items from number `Begin` to before `End` that a thread has of so many: i * threads + its own
/// number is the place of one.
template <unsigned Begin = 0, unsigned End = short_items, class Visit>
__device__ __forceinline__ void for_short_items(std::uint32_t size, Visit&& visit) {
  constexpr unsigned threads = tuning::short_threads;
  constexpr unsigned together = 4;
#pragma unroll
  for (unsigned first = Begin; first < End; first += together) {
    if ((first + together) * threads <= size) {
#pragma unroll
      for (unsigned i = first; i < first + together; ++i) visit(i);
    } else {
#pragma unroll
      for (unsigned i = first; i < first + together; ++i) {
        if (i * threads + threadIdx.x < size) visit(i);
      }
    }
  }
}

/// Calls put(i, item) for the items of an array, of which some are on their way at a time.
template <unsigned Begin = 0, class T, class Put>
__device__ __forceinline__ void copy_short(const T* from, std::uint32_t size, Put&& put) {
  constexpr unsigned together = sizeof(T) <= 4 ? short_items : sizeof(T) <= 8 ? short_items / 2 : short_items / 4;
  static_assert(together % 4 == 0);
  T items[together];
  for_short_items<Begin, Begin + together>(
      size, [&](unsigned i) { items[i - Begin] = from[i * tuning::short_threads + threadIdx.x]; });
  for_short_items<Begin, Begin + together>(size, [&](unsigned i) { put(i, items[i - Begin]); });
  if constexpr (Begin + together < short_items) copy_short<Begin + together>(from, size, put);
}

/// Brings the keys of a task, and lists its segments, or sorts them.
template <class U, class V, class Segments>
__device__ __forceinline__ void load_short(view<const U, const V> from, const key_order<U>& by,
                                           const Segments& segments, const packed_task& task,
                                           short_memory<U, V>& memory) {
  const short_bounds mine = short_bounds::of(segments, task, threadIdx.x);
  if (threadIdx.x < short_kinds) memory.sorted.lists.counts[threadIdx.x] = 0;
  if constexpr (short_memory<U, V>::with_values) {  // whose time comes later
    const auto* const bytes = reinterpret_cast<const unsigned char*>(from.values);
    for (unsigned at = threadIdx.x * 128; at < task.size * sizeof(V); at += tuning::short_threads * 128) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(bytes + at));
    }
    for_short_items(short_items * tuning::short_threads, [&](unsigned i) {
      memory.source_of_thread(i) = static_cast<std::uint16_t>(i * tuning::short_threads + threadIdx.x);
    });
  }
  if (by.plain()) {
    copy_short(from.keys, task.size, [&](unsigned i, const U& key) { memory.key_of_thread(i) = key; });
  } else {
    copy_short(from.keys, task.size, [&](unsigned i, const U& key) { memory.key_of_thread(i) = by(key); });
  }
  __syncthreads();
  memory.sorted.lists.template add<tuning::short_threads>(segments, task, mine, [&](const short_bounds& segment) {
    const short_part part{segment.begin, static_cast<int>(segment.size), 0, 1};
    if constexpr (short_memory<U, V>::by_key) {
      sort_short_keys<short_unlisted>(memory, part);
    } else {
      sort_short_few<short_unlisted>(memory, part);
    }
  });
  __syncthreads();
}

/// Sorts the segments of a kind, of which a warp has some, from the number `first` on.
template <unsigned Items, class Memory>
__device__ __forceinline__ void sort_short_segments(Memory& memory, unsigned kind, std::uint32_t first,
                                                    [[maybe_unused]] bool& crowded) {
  const short_lists& lists = memory.sorted.lists;
  const unsigned lane_bits = short_lane_bits(kind);
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t s = first + (lane >> lane_bits);
  short_part part{0, 0, static_cast<int>((lane & ((1U << lane_bits) - 1)) * Items), 1U << lane_bits};
  if (s < lists.counts[kind]) {
    const std::uint32_t slot = short_lists::first_of(kind) + s;
    part.begin = lists.begins[slot];
    part.size = lists.lasts[slot] + 1;
  }
  if constexpr (Memory::by_key) {
    sort_short_keys<Items>(memory, part);
  } else {
    sort_short_items<Items>(memory, part, crowded);
  }
}

/// Sorts all that is listed, the longest first: warps take turns.
template <class Memory>
__device__ __forceinline__ void sort_listed(Memory& memory, bool& crowded) {
  constexpr unsigned warps = tuning::short_threads / 32;
  unsigned turn = threadIdx.x / 32;
#pragma unroll 1
  for (unsigned below = short_kinds; below > 0; --below) {
    const unsigned kind = below - 1;
    const unsigned together_bits = 5 - short_lane_bits(kind);
    const std::uint32_t turns = (memory.sorted.lists.counts[kind] + (1U << together_bits) - 1) >> together_bits;
#pragma unroll 1
    for (; turn < turns; turn += warps) {
      if (kind == 0) {
        sort_short_segments<8>(memory, kind, turn << together_bits, crowded);
      } else {
        sort_short_segments<16>(memory, kind, turn << together_bits, crowded);
      }
    }
    turn -= turns;
  }
}

/// Writes the items of a task, whose values follow their keys.
template <class U, class V>
__device__ __forceinline__ void write_short(view<const U, const V> from, view<U, V> to, const key_order<U>& by,
                                            short_memory<U, V>& memory) {
  const auto size = static_cast<std::uint32_t>(from.size);
  U* const keys = to.keys + threadIdx.x;
  if (by.plain()) {
    for_short_items(size,
                    [&](unsigned i) { keys[i * tuning::short_threads] = static_cast<U>(memory.key_of_thread(i)); });
  } else {
    for_short_items(
        size, [&](unsigned i) { keys[i * tuning::short_threads] = by.back(static_cast<U>(memory.key_of_thread(i))); });
  }
  __syncthreads();
  if constexpr (short_memory<U, V>::with_values) {
    V* const there = memory.values() + threadIdx.x;
    copy_short(from.values, size, [&](unsigned i, const V& value) { there[i * tuning::short_threads] = value; });
    __syncthreads();
    V* const values = to.values + threadIdx.x;
    for_short_items(
        size, [&](unsigned i) { values[i * tuning::short_threads] = memory.values()[memory.source_of_thread(i)]; });
    __syncthreads();
  }
}

/// Copies a task of which no segment has anything to sort.
template <class T>
__device__ __forceinline__ void copy_short_task(const T* from, T* to, std::uint32_t size) {
  if (from == to) return;
  to += threadIdx.x;
  copy_short(from, size, [&](unsigned i, const T& item) { to[i * tuning::short_threads] = item; });
}

template <class U, class V, class Segments>
__global__ void __launch_bounds__(tuning::short_threads,
                                  tuning::short_blocks(sizeof(U), view<U, V>::has_values ? sizeof(V) : 0))
    sort_short(view<const U, const V> in, view<U, V> out, key_order<U> by, Segments segments, const packed_task* tasks,
               const packed_numbers* numbers) {
  static_assert(sizeof(short_memory<U, V>) <= short_shared(sizeof(U), view<U, V>::has_values ? sizeof(V) : 0));
  auto& memory = *shared_memory<short_memory<U, V>>();
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint32_t count = numbers->shorts;
  bool crowded = false;  // of a warp
#pragma unroll 1
  for (std::uint32_t t = blockIdx.x; t < count; t += gridDim.x) {
    const packed_task task = tasks[t];
    const view<const U, const V> from = in.part(task.begin, task.size);
    const view<U, V> to = out.part(task.begin, task.size);
    if (task.segments == 0) {
      copy_short_task(from.keys, to.keys, task.size);
      if constexpr (short_memory<U, V>::with_values) copy_short_task(from.values, to.values, task.size);
      continue;
    }
    load_short(from, by, segments, task, memory);
    sort_listed(memory, crowded);
    __syncthreads();
    write_short(from, to, by, memory);
  }
}

#endif

}  // namespace peneira::detail
