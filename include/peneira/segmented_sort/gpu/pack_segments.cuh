// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists what is to be sorted: neighbouring segments become packed tasks, as many as one has room for; what is too large
// for one becomes a large task, or a segment of the first level of an MSD radix sort.
//
//   sizes    3 1 5 0 2 | 9 4 | ...      by blocks, each of which has some neighbouring segments
//   next     of each segment, the one that begins the next task, if it begins one: found by bisection of the sums
//   heads    0, next(0), next(next(0)), ...: twice as many in each round, by jumps that are twice as long
//
// Offsets are checked on the way: where any is wrong, the last block takes everything off the lists.
#pragma once

#include "peneira/segmented_sort/gpu/packed_task.cuh"
#include "peneira/sort/gpu/msd_records.cuh"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// Segments of a block at most.
inline constexpr std::uint32_t pack_most = tuning::pack_threads * tuning::pack_segments;
static_assert(pack_most <= 0xFFFF);  // jumps are of 16 bits

/// What is known of segments and where they are listed.
struct packing {
  std::uint64_t items;
  std::uint64_t count;  ///< of segments
  std::uint32_t each;   ///< of them that a block has
  packed_task* tasks;
  std::uint32_t room;  ///< for tasks
  packed_numbers* numbers;
  bool has_larger;           ///< whether there may be segments that are too large for a task
  sort_level level;          ///< then: where these go
  std::uint64_t large_room;  ///< for large tasks
  std::uint64_t level_room;  ///< for segments of the level
};

#if defined(__CUDACC__)

/// Lies in shared memory.
struct pack_memory {
  block_sums<tuning::pack_threads, std::uint32_t> scan;
  std::uint32_t sums[pack_most + 1];  ///< items of the segments before, where those of a large one are packed_size + 1
  std::uint16_t jumps[pack_most];
  bool heads[pack_most];
  std::uint32_t tasks;  ///< of the block; then where they go
};

/// Sums up the sizes of a block's segments. Segments that are wrong count as large ones, which are alone.
template <class Segments>
__device__ __forceinline__ void sum_sizes(const Segments& segments, const packing& to, std::uint64_t first,
                                          unsigned here, pack_memory& memory) {
  constexpr unsigned each = tuning::pack_segments;
  const unsigned mine = threadIdx.x * each;
  std::uint32_t sizes[each];
  bool wrong = false;
  std::uint64_t begin = mine < here ? segments.begin(first + mine) : 0;
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    sizes[i] = 0;
    if (mine + i >= here) continue;
    const std::uint64_t end = segments.end(first + mine + i);
    const bool right = begin <= end && end <= to.items;
    wrong = wrong || !right;
    sizes[i] = right && end - begin <= packed_size ? static_cast<std::uint32_t>(end - begin) : packed_size + 1;
    begin = end;
  }
  if (wrong) atomicOr(&to.numbers->wrong, 1U);
  std::uint32_t all = 0;
  memory.scan.before(sizes, sizes, all);
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    if (mine + i < here) memory.sums[mine + i] = sizes[i];
  }
  if (threadIdx.x == 0) memory.sums[here] = all;
  __syncthreads();
}

/// The segment that would begin the next task after one that begins with this.
__device__ __forceinline__ unsigned next_task(const pack_memory& memory, unsigned segment, unsigned here) {
  const std::uint32_t most = memory.sums[segment] + packed_size;
  unsigned low = segment + 1;
  unsigned high = here;
  while (low < high) {
    const unsigned middle = (low + high + 1) / 2;
    if (memory.sums[middle] <= most) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// Finds out which segments of a block begin a task, and for each of a thread's where the next one would begin.
__device__ __forceinline__ void find_heads(unsigned here, pack_memory& memory,
                                           std::uint16_t (&next)[tuning::pack_segments]) {
  constexpr unsigned each = tuning::pack_segments;
  const unsigned mine = threadIdx.x * each;
  const bool together = memory.sums[here] <= packed_size;
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    if (mine + i >= here) continue;
    next[i] = static_cast<std::uint16_t>(together ? here : next_task(memory, mine + i, here));
    memory.jumps[mine + i] = next[i];
    memory.heads[mine + i] = mine + i == 0;
  }
  __syncthreads();
  // Two neighbouring tasks have more items than one has room for, or one of them is a large segment.
  const unsigned tasks = together ? 1 : 3 * (memory.sums[here] / packed_size) + 2;
#pragma unroll 1
  for (unsigned found = 1; found < tasks; found *= 2) {
    unsigned jumps[each];
    unsigned further[each];
    bool heads[each];
#pragma unroll
    for (unsigned i = 0; i < each; ++i) {
      if (mine + i >= here) continue;
      jumps[i] = memory.jumps[mine + i];
      further[i] = jumps[i] < here ? memory.jumps[jumps[i]] : here;
      heads[i] = memory.heads[mine + i];
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < each; ++i) {
      if (mine + i >= here) continue;
      if (heads[i] && jumps[i] < here) memory.heads[jumps[i]] = true;
      memory.jumps[mine + i] = static_cast<std::uint16_t>(further[i]);
    }
    __syncthreads();
  }
}

/// Lists a segment that is too large for a packed task.
template <class Segments>
__device__ void append_large(const Segments& segments, const packing& to, std::uint64_t segment) {
  const std::uint64_t begin = segments.begin(segment);
  const std::uint64_t end = segments.end(segment);
  if (begin > end || end > to.items || !to.has_larger) return;
  const std::uint64_t size = end - begin;
  const sort_level& level = to.level;
  if (size <= level.large_task_items) {
    const std::uint32_t slot = atomicAdd(level.large_task_count, 1U);
    if (slot >= to.large_room) return;  // offsets that are wrong somewhere else
    level.large_tasks[slot] = {0, begin, size, level.key_bits, static_cast<std::uint64_t>(sort_buffer::in)};
  } else {
    const segment_count before{atomicAdd(&level.count->packed, segment_count::one(size).packed)};
    if (before.segments() >= to.level_room) return;
    level.segments[before.segments()] = {before.items(), begin, size, 0, level.key_bits, sort_buffer::in, 0};
  }
}

/// Lists the tasks that the segments of a thread begin.
template <class Segments>
__device__ __forceinline__ void append_tasks(const Segments& segments, const packing& to, std::uint64_t first,
                                             unsigned here, pack_memory& memory,
                                             const std::uint16_t (&next)[tuning::pack_segments]) {
  constexpr unsigned each = tuning::pack_segments;
  const unsigned mine = threadIdx.x * each;
  const auto size_of = [&](unsigned i) -> std::uint32_t {  // of the task that a segment begins; 0: it begins none
    if (mine + i >= here || !memory.heads[mine + i]) return 0;
    return memory.sums[next[i]] - memory.sums[mine + i];
  };
  unsigned count = 0;
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    const std::uint32_t size = size_of(i);
    if (size > packed_size) append_large(segments, to, first + mine + i);
    if (size != 0 && size <= packed_size) ++count;
  }
  std::uint32_t slot = count == 0 ? 0 : atomicAdd(&memory.tasks, count);
  __syncthreads();
  if (threadIdx.x == 0) memory.tasks = atomicAdd(&to.numbers->tasks, memory.tasks);
  __syncthreads();
  slot += memory.tasks;
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    const std::uint32_t size = size_of(i);
    if (size == 0 || size > packed_size || slot >= to.room) continue;
    const std::uint64_t segment = first + mine + i;
    to.tasks[slot++] = {segment, segments.begin(segment), next[i] - (mine + i), size};
  }
}

/// The last block takes everything off the lists where offsets are wrong.
__device__ inline void drop_wrong(const packing& to) {
  __syncthreads();
  if (threadIdx.x != 0) return;
  __threadfence();
  if (atomicAdd(&to.numbers->packers, 1U) != gridDim.x - 1) return;
  __threadfence();
  if (atomicOr(&to.numbers->wrong, 0U) == 0) return;
  to.numbers->tasks = 0;
  if (!to.has_larger) return;
  *to.level.large_task_count = 0;
  to.level.count->packed = 0;
}

template <class Segments>
__global__ void __launch_bounds__(tuning::pack_threads) pack_segments(Segments segments, packing to) {
  __shared__ pack_memory memory;
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint64_t first = std::uint64_t{blockIdx.x} * to.each;
  const auto here = static_cast<unsigned>(::min(std::uint64_t{to.each}, to.count - first));
  if (threadIdx.x == 0) memory.tasks = 0;
  std::uint16_t next[tuning::pack_segments];
  sum_sizes(segments, to, first, here, memory);
  find_heads(here, memory, next);
  append_tasks(segments, to, first, here, memory, next);
  drop_wrong(to);
}

#endif

}  // namespace peneira::detail
