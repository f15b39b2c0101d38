// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The last step of an MSD radix sort: one block sorts a task, a run of items that fits shared memory.
//
//   keys -> about as many buckets as keys, by their highest bits left: one atomic addition a key gives its rank there
//        -> scan of the buckets -> placed bucket by bucket in shared memory
//        -> each key counts the smaller ones of its own bucket, one or two, and is written where it belongs
//
// Bits that no two neighbours share are never looked at. Where buckets of keys are crowded, those of equal keys are in
// order as they are, and in others each key counts the smaller ones; a task of pairs with a crowded bucket, and one for
// which counting takes too long, is left to sort_by_digits.
#pragma once

#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/runtime.cuh"
#include "peneira/sort/gpu/block_crowded_sort.cuh"
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
  static constexpr int blocks = 2;  ///< on a processor
};

#if defined(__CUDACC__)

/// Shared memory of a block that sorts tasks.
template <class Shape, class U, class V>
struct task_memory {
  static constexpr bool with_values = view<U, V>::has_values;
  static constexpr int pad = 32;  ///< more than what a thread sees of its neighbours' keys

  /// What is sorted: keys; those of pairs have their place in the input in their low bits, so that no two are equal, or
  /// where there is no room for that, beside them.
  static constexpr bool index_inside = with_values && sizeof(U) <= 4;
  static constexpr bool index_beside = with_values && sizeof(U) > 4;
  using word = std::conditional_t<index_inside, std::uint64_t, U>;
  static constexpr unsigned index_bits = index_inside ? 13 : 0;
  static constexpr unsigned most_bits = 8 * sizeof(word) - 1 - index_bits;  ///< of a key; a bit is to spare
  static_assert(!index_inside || Shape::size <= 1 << index_bits);

  struct buckets {
    std::uint32_t counts[Shape::buckets];
    word before[pad];  ///< below all keys
    word keys[Shape::size + pad];
    std::uint16_t indices[index_beside ? Shape::size : 1];
  };
  buckets by_bucket;
  alignas(16) unsigned char values[with_values ? Shape::size * sizeof(V) : 1];
};

/// Keys of a bucket from which on it is crowded; pairs of one up to which they look at their neighbours, and from which
/// on a task is left to sort_by_digits.
inline constexpr std::uint32_t crowded_bucket = 10;
inline constexpr std::uint32_t near_pair_bucket = 9;
inline constexpr std::uint32_t crowded_pair_bucket = 128;

/// Turns the counts of buckets into their first places. Returns the most keys of a bucket.
template <class Shape>
__device__ std::uint32_t scan_buckets(std::uint32_t* buckets) {
  constexpr unsigned warps = Shape::threads / 32;
  constexpr unsigned each = Shape::buckets / Shape::threads;
  static_assert(each % 4 == 0);
  __shared__ std::uint32_t sums[warps];
  __shared__ std::uint32_t peaks[warps];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  auto* const own = reinterpret_cast<uint4*>(buckets) + threadIdx.x * (each / 4);
  uint4 counts[each / 4];
  std::uint32_t sum = 0;
  std::uint32_t most = 0;
#pragma unroll
  for (unsigned q = 0; q < each / 4; ++q) {
    counts[q] = own[q];
    most = ::max(::max(most, counts[q].x), ::max(counts[q].y, ::max(counts[q].z, counts[q].w)));
    sum += counts[q].x + counts[q].y + counts[q].z + counts[q].w;
  }
  const std::uint32_t upto = inclusive_sum(sum);
  most = combine_lanes<max>(most);
  if (lane == 31) sums[warp] = upto;
  if (lane == 31) peaks[warp] = most;
  __syncthreads();
  std::uint32_t next = combine_lanes<plus>(lane < warp ? sums[lane] : 0) + upto - sum;
  most = combine_lanes<max>(lane < warps ? peaks[lane] : 0);
#pragma unroll
  for (unsigned q = 0; q < each / 4; ++q) {
    const uint4 here = counts[q];
    own[q] = make_uint4(next, next + here.x, next + here.x + here.y, next + here.x + here.y + here.z);
    next += here.x + here.y + here.z + here.w;
  }
  __syncthreads();
  return most;
}

/// Whether a word is less than another, where words have a bit to spare.
template <class Word>
__device__ std::uint32_t is_less(Word a, Word b) {
  if constexpr (sizeof(Word) <= 4) {
    return (std::uint32_t{a} - std::uint32_t{b}) >> 31U;
  } else {
    return a < b ? 1 : 0;
  }
}

/// Where the neighbouring words of a thread belong, of those in the order of their buckets: only in its own bucket can
/// a word before it be larger, or one behind it smaller, and buckets have at most Near + 1.
template <int Near, int Items, class Word>
__device__ void find_places(const Word* at, Word (&words)[Items], unsigned first, std::uint32_t (&places)[Items]) {
  Word seen[Items + 2 * Near];
#pragma unroll
  for (int i = 0; i < Items + 2 * Near; ++i) seen[i] = at[i - Near];
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    words[i] = seen[i + Near];
    places[i] = first + i;
  }
#pragma unroll
  for (int i = 0; i < Items; ++i) {
#pragma unroll
    for (int away = 1; away <= Near; ++away) {
      const std::uint32_t behind = is_less(seen[i + Near + away], words[i]);
      places[i] += behind;
      if (i + away < Items) places[i + away] -= behind;
      if (i - away < 0) places[i] -= is_less(words[i], seen[i + Near - away]);
    }
  }
}

/// Where a word of a task belongs, of those in the order of their buckets: by its neighbours, where no bucket has more
/// than `most`. `index`: the place of a pair in the input, if that is beside its word.
template <class Memory>
__device__ std::uint32_t place_among_neighbours(const Memory& memory, unsigned at, typename Memory::word found,
                                                [[maybe_unused]] unsigned index, std::uint32_t size,
                                                std::uint32_t most) {
  const auto& shared = memory.by_bucket;
  std::uint32_t place = at;
  for (std::uint32_t away = 1; away < most; ++away) {
    const auto left = shared.keys[static_cast<int>(at - away)];  // or of the words before them
    const auto right = shared.keys[at + away];
    if (left > found) --place;
    if (right < found) ++place;
    if constexpr (Memory::index_beside) {  // of equal keys, the first of the input first
      if (left == found && at >= away && shared.indices[at - away] > index) --place;
      if (right == found && at + away < size && shared.indices[at + away] < index) ++place;
    }
  }
  return place;
}
/// The same by all words of its bucket: fewer, where some buckets have far more than others.
template <class Memory>
__device__ std::uint32_t place_in_bucket(const Memory& memory, typename Memory::word found,
                                         [[maybe_unused]] unsigned index, std::uint32_t size, unsigned shift) {
  const auto& shared = memory.by_bucket;
  const auto bucket = static_cast<std::uint32_t>(found >> Memory::index_bits >> shift);
  constexpr std::uint32_t buckets = sizeof(shared.counts) / sizeof(shared.counts[0]);
  const std::uint32_t end = bucket + 1 < buckets ? shared.counts[bucket + 1] : size;
  const std::uint32_t begin = shared.counts[bucket];
  std::uint32_t place = begin;
  for (std::uint32_t other = begin; other < end; ++other) {
    if (shared.keys[other] < found) ++place;
    if constexpr (Memory::index_beside) {
      if (shared.keys[other] == found && shared.indices[other] < index) ++place;
    }
  }
  return place;
}

template <class Shape, class U, class V>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    sort_tasks(sort_arrays<U, V> arrays, key_order<U> order, const sort_task* tasks, const std::uint32_t* task_count,
               std::uint32_t* crowded, std::uint32_t* crowded_count) {
  constexpr bool with_values = view<U, V>::has_values;
  constexpr int items = Shape::items;
  constexpr unsigned threads = Shape::threads;
  using memory_type = task_memory<Shape, U, V>;
  auto& memory = *shared_memory<memory_type>();
  auto& shared = memory.by_bucket;
  auto* const values = reinterpret_cast<V*>(memory.values);
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint32_t count = *task_count;
  for (std::uint32_t t = blockIdx.x; t < count; t += gridDim.x) {
    const sort_task task = tasks[t];
    const auto size = static_cast<std::uint32_t>(task.size);
    const auto bits = static_cast<unsigned>(task.bits);
    const view<const U, const V> from = arrays.from(static_cast<sort_buffer>(task.where)).part(task.begin, size);
    const view<U, V> to = arrays.out.part(task.begin, size);
    if (bits == 0) {
      for (std::uint32_t p = threadIdx.x; p < size && from.keys != to.keys; p += threads) {
        to.keys[p] = from.keys[p];
        if constexpr (with_values) to.values[p] = from.values[p];
      }
      continue;
    }
    const key_order<U> by = order.less(static_cast<U>(task.base));

    // Into buckets.
    U keys[items];
    std::uint32_t codes[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
      const unsigned p = i * threads + threadIdx.x;
      if (p < size) {
        keys[i] = from.keys[p];
        if constexpr (with_values) values[p] = from.values[p];
      }
    }
    for (unsigned b = threadIdx.x; b < Shape::buckets / 4; b += threads) {
      reinterpret_cast<uint4*>(shared.counts)[b] = make_uint4(0, 0, 0, 0);
    }
    if (threadIdx.x < memory_type::pad) {
      shared.before[threadIdx.x] = 0;
      shared.keys[size + threadIdx.x] = static_cast<typename memory_type::word>(
          static_cast<typename memory_type::word>(~typename memory_type::word{0}) >> 1U);
    }
    __syncthreads();
    const unsigned shift = bits > Shape::bucket_bits ? bits - Shape::bucket_bits : 0;
#pragma unroll
    for (int i = 0; i < items; ++i) {
      if (i * threads + threadIdx.x < size) {
        keys[i] = by(keys[i]);
        const auto bucket = static_cast<std::uint32_t>(keys[i] >> shift);
        codes[i] = bucket << 16U | atomicAdd(&shared.counts[bucket], 1U);
      }
    }
    __syncthreads();
    const std::uint32_t most = scan_buckets<Shape>(shared.counts);
    const bool exact = !with_values && shift == 0;  // a bucket is a key
    constexpr int near = 4;
    constexpr int far = 8;
    constexpr std::uint32_t crowd = with_values ? crowded_pair_bucket : crowded_bucket;
    static_assert(near_pair_bucket <= memory_type::pad && crowded_bucket <= far + 2);
    const bool roomy = most < crowd && bits <= memory_type::most_bits;
    if (exact || roomy || !with_values) {
      using word = typename memory_type::word;
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const unsigned p = i * threads + threadIdx.x;
        if (p < size) {
          const std::uint32_t place = shared.counts[codes[i] >> 16U] + (codes[i] & 0xFFFFU);
          shared.keys[place] = memory_type::index_inside ? word{keys[i]} << memory_type::index_bits | p : word{keys[i]};
          if constexpr (memory_type::index_beside) shared.indices[place] = static_cast<std::uint16_t>(p);
        }
      }
      __syncthreads();
      bool in_order = exact;
      if constexpr (!with_values) {
        in_order = exact || (!roomy && count_in_buckets<Shape>(shared, size, shift));
        if (!in_order && !roomy) {
          if (threadIdx.x == 0) crowded[atomicAdd(crowded_count, 1U)] = t;
          __syncthreads();
          continue;
        }
      }
      const bool in_registers = sizeof(word) <= 4 && most <= far + 1;  // there are too few for wider ones, or for more
      if (in_registers && !in_order) {
        const unsigned first = threadIdx.x * items;
        const unsigned here = first < size ? ::min(size - first, static_cast<unsigned>(items)) : 0;
        word words[items];
        std::uint32_t places[items];
        if (here != 0 && most <= near + 1) find_places<near>(shared.keys + first, words, first, places);
        if (here != 0 && most > near + 1) find_places<far>(shared.keys + first, words, first, places);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) {
          if (i < static_cast<int>(here)) shared.keys[places[i]] = words[i];
        }
        __syncthreads();
      }
      const auto write = [&](std::uint32_t place, word found, [[maybe_unused]] unsigned index) {
        to.keys[place] = by.back(static_cast<U>(found >> memory_type::index_bits));
        if constexpr (memory_type::index_inside) index = found & ((1U << memory_type::index_bits) - 1);
        if constexpr (with_values) to.values[place] = values[index];
      };
      if (in_registers || in_order) {
#pragma unroll 4
        for (unsigned p = threadIdx.x; p < size; p += threads) write(p, shared.keys[p], 0);
      } else {
        for (unsigned p = threadIdx.x; p < size; p += threads) {
          const word found = shared.keys[p];
          const unsigned index = memory_type::index_beside ? shared.indices[p] : 0;
          const bool near_all = most <= near_pair_bucket;
          write(near_all ? place_among_neighbours(memory, p, found, index, size, most)
                         : place_in_bucket(memory, found, index, size, shift),
                found, index);
        }
      }
    } else if (threadIdx.x == 0) {
      crowded[atomicAdd(crowded_count, 1U)] = t;
    }
    __syncthreads();
  }
}

#endif

}  // namespace peneira::detail
