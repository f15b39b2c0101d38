// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A packed task: neighbouring segments that one block sorts together, and which of them an item is of.
//
//   items       a a a b c c c c c d d      of segments a to d, one of which may be empty
//   heads       1 0 0 1 1 0 0 0 0 1 0      a bit an item; how many come before each word of them is counted
//   starts      0 3 4 9 11                 of the segments that have items
#pragma once

#include "peneira/config.hpp"
#include "peneira/tuning/gpu_calls.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/segments.hpp"
#endif

namespace peneira::detail {

/// Items of a packed task at most.
inline constexpr std::uint32_t packed_size = tuning::packed_threads * tuning::packed_items;
static_assert(packed_size <= 1U << 15U && packed_size % 1024 == 0);
/// Items of a segment at most that lanes of a warp sort; a packed task of no longer ones is a short task.
inline constexpr std::uint32_t short_segment = 256;

struct packed_task {
  std::uint64_t first;     ///< segment
  std::uint64_t begin;     ///< its first item
  std::uint32_t segments;  ///< 0: none has more than one item
  std::uint32_t size;      ///< items of all of them
};

/// What the kernels of a segmented sort tell one another; zero before.
struct packed_numbers {
  std::uint32_t tasks;    ///< packed ones, but for short ones
  std::uint32_t shorts;   ///< short ones
  std::uint32_t crowded;  ///< of them, those that are sorted digit by digit
  std::uint32_t wrong;    ///< whether there are offsets that descend or run past the items
  std::uint32_t packers;  ///< blocks that are done
};

#if defined(__CUDACC__)

/// Places of a task from `begin` to before `end`.
struct place_range {
  std::uint32_t begin;
  std::uint32_t end;
};

/// The segments of a task as bits: where each that has items begins. Lies in shared memory.
template <unsigned Threads>
struct segment_heads {
  static constexpr unsigned words = packed_size / 32;
  std::uint32_t heads[words];
  std::uint32_t before[words];  ///< heads of the words before
  std::uint32_t count;          ///< of segments that have items

  /// All threads call, and have met before. `marks` is room for packed_size bytes, which is free again afterwards.
  template <class Segments>
  __device__ void find(const Segments& segments, const packed_task& task, void* marks) {
    for (unsigned w = threadIdx.x; w < packed_size / 4; w += Threads) static_cast<std::uint32_t*>(marks)[w] = 0;
    __syncthreads();
    auto* const mark_at = static_cast<unsigned char*>(marks);
    for (std::uint32_t s = threadIdx.x; s < task.segments; s += Threads) {
      const std::uint64_t begin = segments.begin(task.first + s) - task.begin;
      const std::uint64_t end = segments.end(task.first + s) - task.begin;
      if (begin < end && begin < task.size) mark_at[begin] = 1;
    }
    __syncthreads();
    for (unsigned w = threadIdx.x / 32; w < words; w += Threads / 32) {
      const unsigned bits = __ballot_sync(all_lanes, mark_at[w * 32 + threadIdx.x % 32] != 0);
      if (threadIdx.x % 32 == 0) heads[w] = bits;
    }
    __syncthreads();
    if (threadIdx.x < 32) count_before();
    __syncthreads();
  }

  /// Which of them the item at a place is of.
  __device__ std::uint32_t operator()(std::uint32_t place) const {
    return before[place / 32] + __popc(heads[place / 32] & (2U << place % 32) - 1) - 1;  // of 31 all: 2 << 31 is 0
  }
  [[nodiscard]] __device__ bool begins_at(std::uint32_t place) const {
    return (heads[place / 32] >> place % 32 & 1U) != 0;
  }

 private:
  /// By one warp, of which each lane has neighbouring words.
  __device__ void count_before() {
    constexpr unsigned each = words / 32;
    std::uint32_t own = 0;
    for (unsigned w = 0; w < each; ++w) own += __popc(heads[threadIdx.x * each + w]);
    const std::uint32_t upto = inclusive_sum(own);
    std::uint32_t next = upto - own;
    for (unsigned w = 0; w < each; ++w) {
      before[threadIdx.x * each + w] = next;
      next += __popc(heads[threadIdx.x * each + w]);
    }
    if (threadIdx.x == 31) count = upto;
  }
};

/// The same, and where each segment begins and ends.
template <unsigned Threads>
struct segment_places {
  segment_heads<Threads> heads;
  std::uint16_t starts[packed_size + 2];
  bool one;  ///< segment

  template <class Segments>
  __device__ void find(const Segments& segments, const packed_task& task, void* marks) {
    if (threadIdx.x == 0) one = task.segments == 1;
    if (task.segments == 1) return __syncthreads();
    heads.find(segments, task, marks);
    for (std::uint32_t p = threadIdx.x; p < task.size; p += Threads) {
      if (heads.begins_at(p)) starts[heads(p)] = static_cast<std::uint16_t>(p);
    }
    if (threadIdx.x == 0) starts[heads.count] = static_cast<std::uint16_t>(task.size);
    __syncthreads();
  }

  /// The places of the segment that a place is of, in a task of so many items.
  [[nodiscard]] __device__ place_range around(std::uint32_t place, std::uint32_t size) const {
    if (one) return {0, size};
    const std::uint32_t s = heads(place);
    return {starts[s], starts[s + 1]};
  }
};

#endif

}  // namespace peneira::detail
