// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts packed tasks, one a block at a time: the segments of a task all at once, in shared memory.
//
//   each segment has as many buckets as items, in the same places -> one atomic addition a key gives its rank in its
//   bucket -> scan of the buckets -> numbers lie bucket by bucket -> each key counts the smaller ones of its bucket,
//   one or two, and goes where it belongs
//
// A bucket is the part of a segment's places that a key has between the least and the greatest of the task. Threads
// keep their items from the first step to the last, so that values come along by themselves. Tasks of which a bucket
// has many keys are left to sort_crowded, which goes digit by digit and then by the segments.
#pragma once

#include <algorithm>
#include <type_traits>

#include "peneira/segmented_sort/gpu/packed_task.cuh"
#include "peneira/sort/gpu/block_bucket_sort.cuh"
#include "peneira/sort/gpu/block_radix_sort.cuh"

namespace peneira::detail {

/// Bytes of a number that is compared in shared memory: with the place of its pair, where that has room beside it.
PENEIRA_HD constexpr std::size_t packed_word_bytes(std::size_t key_bytes, std::size_t value_bytes) {
  return value_bytes != 0 && key_bytes <= 4 ? sizeof(std::uint64_t) : key_bytes;
}
/// Shared memory of a block that sorts packed tasks: as packed_memory has it.
PENEIRA_HD constexpr std::size_t packed_shared(std::size_t key_bytes, std::size_t value_bytes) {
  const std::size_t beside = value_bytes != 0 && key_bytes > 4 ? sizeof(std::uint16_t) : 0;
  const std::size_t sorting = sizeof(std::uint32_t) + packed_word_bytes(key_bytes, value_bytes) + beside;
  const std::size_t moving = key_bytes < value_bytes ? value_bytes : key_bytes;
  const std::size_t segments = packed_size * sizeof(std::uint16_t) + packed_size / 4;
  return packed_size * (sorting < moving ? moving : sorting) + segments + 256;
}
/// Shared memory of a block that sorts crowded ones, beside what it declares itself.
PENEIRA_HD constexpr std::size_t crowded_shared(std::size_t key_bytes, std::size_t value_bytes) {
  return digits_bytes(key_bytes, task_places(key_bytes, value_bytes, packed_size)) + packed_size * value_bytes;
}

#if defined(__CUDACC__)

/// Packed tasks to sort, and where those go that are crowded.
struct packed_list {
  const packed_task* tasks;  ///< from here backwards
  packed_numbers* numbers;
  std::uint32_t* crowded;
};

/// The buckets of a task, as scan_buckets has it.
struct packed_shape {
  static constexpr int threads = tuning::packed_threads;
  static constexpr int items = tuning::packed_items;
  static constexpr unsigned buckets = packed_size;
};

template <class U, class V>
struct packed_memory {
  static constexpr bool with_values = view<U, V>::has_values;
  static constexpr bool place_inside = with_values && sizeof(U) <= 4;
  static constexpr bool place_beside = with_values && sizeof(U) > 4;
  static constexpr unsigned place_bits = place_inside ? 16 : 0;
  using word = std::conditional_t<place_inside, std::uint64_t, U>;
  using number = std::conditional_t<sizeof(U) <= 4, std::uint32_t, unsigned long long>;

  struct buckets {
    std::uint32_t counts[packed_size + 4];  ///< and where the last one ends
    word words[packed_size];
    std::uint16_t places[place_beside ? packed_size : 1];
  };
  union {
    buckets by_bucket;
    U keys[packed_size];
    uint4 value_bytes[(packed_size * (with_values ? sizeof(V) : 1) + 15) / 16];
  };
  segment_places<tuning::packed_threads> segments;
  number least;
  number greatest;

  __device__ V* values() { return reinterpret_cast<V*>(value_bytes); }
};

/// What a thread has of a task: every so many items.
template <class U>
struct items_of_thread {
  static constexpr int count = tuning::packed_items;
  U keys[count];               ///< ordered numbers
  std::uint32_t codes[count];  ///< bucket and rank there; then the place

  /// Calls visit(i, place in the input) for the items that there are.
  template <class Visit>
  __device__ __forceinline__ static void for_each(std::uint32_t size, Visit&& visit) {
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const unsigned p = i * tuning::packed_threads + threadIdx.x;
      if (p < size) visit(i, p);
    }
  }
};

/// Brings the keys of a task, and finds the least and the greatest of them, and its segments.
template <class U, class V, class Segments>
__device__ __forceinline__ void load_packed(view<const U, const V> from, const key_order<U>& by,
                                            const Segments& segments, const packed_task& task,
                                            packed_memory<U, V>& memory, items_of_thread<U>& mine) {
  using number = typename packed_memory<U, V>::number;
  const std::uint32_t size = task.size;
  mine.for_each(size, [&](int i, unsigned p) { mine.keys[i] = from.keys[p]; });
  for (unsigned b = threadIdx.x; b < packed_size / 4; b += tuning::packed_threads) {
    reinterpret_cast<uint4*>(memory.by_bucket.counts)[b] = make_uint4(0, 0, 0, 0);
  }
  if (threadIdx.x == 0) {
    memory.by_bucket.counts[packed_size] = size;
    memory.least = ~number{0};
    memory.greatest = 0;
  }
  memory.segments.find(segments, task, memory.by_bucket.words);
  number least = ~number{0};
  number greatest = 0;
  mine.for_each(size, [&](int i, unsigned) {
    mine.keys[i] = by(mine.keys[i]);
    least = ::min(least, number{mine.keys[i]});
    greatest = ::max(greatest, number{mine.keys[i]});
  });
  __syncwarp();
  least = combine_warp(least, peneira::min{});
  greatest = combine_warp(greatest, peneira::max{});
  if (threadIdx.x % 32 == 0) {
    atomicMin(&memory.least, least);
    atomicMax(&memory.greatest, greatest);
  }
  __syncthreads();
}

/// Puts the keys of a task into buckets. Returns the most keys of a bucket.
template <class U, class V>
__device__ __forceinline__ std::uint32_t fill_buckets(std::uint32_t size, packed_memory<U, V>& memory,
                                                      items_of_thread<U>& mine) {
  using memory_type = packed_memory<U, V>;
  using number = typename memory_type::number;
  auto& shared = memory.by_bucket;
  const number least = memory.least;
  const number range = memory.greatest - least;
  constexpr unsigned width = 8 * sizeof(number);
  const unsigned unused = range == 0    ? width - 1
                          : width == 64 ? __clzll(static_cast<long long>(range))
                                        : __clz(static_cast<int>(range));
  mine.for_each(size, [&](int i, unsigned p) {
    const auto part = static_cast<std::uint32_t>((number{mine.keys[i]} - least) << unused >> (width - 32));
    const place_range segment = memory.segments.around(p, size);
    const std::uint32_t bucket = segment.begin + __umulhi(part, segment.end - segment.begin);
    mine.codes[i] = bucket << 16U | atomicAdd(&shared.counts[bucket], 1U);
  });
  __syncthreads();
  const std::uint32_t most = scan_buckets<packed_shape>(shared.counts);
  mine.for_each(size, [&](int i, unsigned p) {
    using word = typename memory_type::word;
    const std::uint32_t place = shared.counts[mine.codes[i] >> 16U] + (mine.codes[i] & 0xFFFFU);
    shared.words[place] =
        memory_type::place_inside ? word{mine.keys[i]} << memory_type::place_bits | p : word{mine.keys[i]};
    if constexpr (memory_type::place_beside) shared.places[place] = static_cast<std::uint16_t>(p);
  });
  __syncthreads();
  return most;
}

/// Finds where each key of a thread belongs: behind the smaller ones of its bucket, and equal ones that came before.
template <class U, class V>
__device__ __forceinline__ void find_packed_places(std::uint32_t size, const packed_memory<U, V>& memory,
                                                   items_of_thread<U>& mine) {
  using memory_type = packed_memory<U, V>;
  using word = typename memory_type::word;
  const auto& shared = memory.by_bucket;
  mine.for_each(size, [&](int i, unsigned p) {
    const std::uint32_t bucket = mine.codes[i] >> 16U;
    const std::uint32_t begin = shared.counts[bucket];
    const std::uint32_t end = shared.counts[bucket + 1];
    const std::uint32_t own = begin + (mine.codes[i] & 0xFFFFU);
    const word number =
        memory_type::place_inside ? word{mine.keys[i]} << memory_type::place_bits | p : word{mine.keys[i]};
    std::uint32_t place = begin;
    for (std::uint32_t other = begin; other < end; ++other) {
      const word there = shared.words[other];
      bool before = there < number;
      if constexpr (memory_type::place_beside) {
        before = before || (there == number && shared.places[other] < p);
      } else if constexpr (!memory_type::place_inside) {
        before = before || (there == number && other < own);
      }
      place += before ? 1 : 0;
    }
    mine.codes[i] = place;
  });
}

/// Writes the items of a task to their places, neighbours by neighbouring threads.
template <class U, class V>
__device__ __forceinline__ void write_packed(view<const U, const V> from, view<U, V> to, const key_order<U>& by,
                                             packed_memory<U, V>& memory, items_of_thread<U>& mine) {
  constexpr bool with_values = view<U, V>::has_values;
  const auto size = static_cast<std::uint32_t>(from.size);
  [[maybe_unused]] V values[with_values ? items_of_thread<U>::count : 1];
  if constexpr (with_values) mine.for_each(size, [&](int i, unsigned p) { values[i] = from.values[p]; });
  __syncthreads();
  mine.for_each(size, [&](int i, unsigned) { memory.keys[mine.codes[i]] = by.back(mine.keys[i]); });
  __syncthreads();
  mine.for_each(size, [&](int, unsigned p) { to.keys[p] = memory.keys[p]; });
  __syncthreads();
  if constexpr (with_values) {
    mine.for_each(size, [&](int i, unsigned) { memory.values()[mine.codes[i]] = values[i]; });
    __syncthreads();
    mine.for_each(size, [&](int, unsigned p) { to.values[p] = memory.values()[p]; });
    __syncthreads();
  }
}

template <class U, class V, class Segments>
__global__ void __launch_bounds__(tuning::packed_threads,
                                  tuning::packed_blocks(sizeof(U), view<U, V>::has_values ? sizeof(V) : 0))
    sort_packed(view<const U, const V> in, view<U, V> out, key_order<U> by, Segments segments, packed_list list) {
  static_assert(sizeof(packed_memory<U, V>) <= packed_shared(sizeof(U), view<U, V>::has_values ? sizeof(V) : 0));
  auto& memory = *shared_memory<packed_memory<U, V>>();
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint32_t count = list.numbers->tasks;
  for (std::uint32_t t = blockIdx.x; t < count; t += gridDim.x) {
    const packed_task task = *(list.tasks - t);
    const view<const U, const V> from = in.part(task.begin, task.size);
    items_of_thread<U> mine;
    load_packed(from, by, segments, task, memory, mine);
    const bool equal = memory.least == memory.greatest;
    if (!equal && fill_buckets(task.size, memory, mine) > tuning::packed_crowd) {
      if (threadIdx.x == 0) list.crowded[atomicAdd(&list.numbers->crowded, 1U)] = t;
      __syncthreads();
      continue;
    }
    if (equal) {
      mine.for_each(task.size, [&](int i, unsigned p) { mine.codes[i] = p; });
    } else {
      find_packed_places(task.size, memory, mine);
    }
    write_packed(from, out.part(task.begin, task.size), by, memory, mine);
  }
}

/// The segment of an item of a packed task, for a sort by digits: of what is behind the last item, the last one.
struct packed_segment {
  static constexpr bool is_one = false;
  const segment_heads<tuning::task_threads>& heads;
  std::uint32_t count;
  std::uint32_t last;  ///< item

  __device__ std::uint32_t operator()(std::uint32_t number) const { return heads(::min(number, last)); }
};

template <class Shape, class U, class V, class Segments>
__global__ void __launch_bounds__(Shape::threads, 1)
    sort_crowded(view<const U, const V> in, view<U, V> out, key_order<U> by, Segments segments, packed_list list) {
  __shared__ segment_heads<Shape::threads> heads;
  static_assert(Shape::places(packed_size) <= Shape::threads * Shape::items);
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::size_t value_bytes = digits_bytes(sizeof(U), Shape::places(packed_size));
  const std::uint32_t count = list.numbers->crowded;
  for (std::uint32_t t = blockIdx.x; t < count; t += gridDim.x) {
    const packed_task task = *(list.tasks - list.crowded[t]);
    heads.find(segments, task, shared_memory<unsigned char>());
    sort_items_by_digits<Shape, U, V>(in.part(task.begin, task.size), out.part(task.begin, task.size), by, value_bytes,
                                      packed_segment{heads, heads.count, task.size - 1});
  }
}

#endif

}  // namespace peneira::detail
