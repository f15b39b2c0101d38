// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Lists what is to be sorted: neighbouring segments become packed tasks, as many as one has room for; what is too large
// for one becomes a large task, or a segment of the first level of an MSD radix sort.
//
//   sizes    3 1 5 0 2 | 9 4 | ...      by blocks, each of which has some neighbouring segments
//   windows  of a block without long segments: a task has those that begin in so many items
// Of others
//   next     of each segment, the one that begins the next task, if it begins one: found by bisection of the sums
//   heads    0, next(0), next(next(0)), ...: twice as many in each round, by jumps that are twice as long
//
// A task without long segments is a short one: those are listed from the front, others from the back.
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
  std::uint64_t count;    ///< of segments
  std::uint32_t each;     ///< of them that a block has
  packed_task* tasks;     ///< short ones from the front, others from the back
  std::uint32_t room;     ///< for tasks
  std::uint32_t windows;  ///< 2^32 / items among which the segments of a short task begin, rounded up
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
  std::uint16_t longs[pack_most + 1];  ///< long segments before
  bool heads[pack_most];
  std::uint32_t tasks;        ///< of the block
  std::uint32_t shorts;       ///< and short ones
  std::uint32_t first_task;   ///< where they go
  std::uint32_t first_short;  ///< and short ones
};

/// What is known of the sizes of a block's segments.
struct pack_sizes {
  bool long_ones;  ///< any, or any is wrong
  bool many_each;  ///< any may have more than one item
};

/// Which segments of a block are a thread's: `first`, and those behind it, every `step`.
struct own_segments {
  unsigned first;
  unsigned step;

  __device__ static own_segments neighbours() { return {threadIdx.x * tuning::pack_segments, 1}; }
  __device__ static own_segments apart() { return {threadIdx.x, tuning::pack_threads}; }
  __device__ unsigned operator()(unsigned i) const { return first + i * step; }
};

/// Looks at all segments of a block, and sums up their sizes where none is long.
template <class Segments>
__device__ __forceinline__ pack_sizes look_at_sizes(const Segments& segments, const packing& to, std::uint64_t first,
                                                    unsigned here, pack_memory& memory) {
  constexpr unsigned each = tuning::pack_segments;
  const own_segments own = own_segments::apart();
  const std::uint64_t origin = segments.begin(first);
  std::uint32_t begins[each];
  std::uint64_t bits_of_sizes = 0;
  bool long_ones = false;
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    begins[i] = 0;
    if (own(i) >= here) continue;
    const std::uint64_t begin = segments.begin(first + own(i));
    const std::uint64_t end = segments.end(first + own(i));
    begins[i] = static_cast<std::uint32_t>(begin - origin);
    bits_of_sizes |= end - begin;  // large ones, where it descends
    long_ones = long_ones || end - begin > short_segment;
    if (own(i) + 1 == here) {
      long_ones = long_ones || end > to.items || origin > end;  // which a negative begin is
      memory.sums[here] = static_cast<std::uint32_t>(end - origin);
    }
  }
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    if (own(i) < here) memory.sums[own(i)] = begins[i];
  }
  long_ones = __syncthreads_or(long_ones ? 1 : 0) != 0;
  return {long_ones, long_ones || __syncthreads_or(bits_of_sizes > 1 ? 1 : 0) != 0};
}

/// Finds out which segments of a block begin a task, and for each of a thread's that does where the next one begins,
/// where none is long.
__device__ __forceinline__ void find_windows(const packing& to, unsigned here, const pack_memory& memory,
                                             const own_segments& own, std::uint16_t (&next)[tuning::pack_segments],
                                             bool (&begins)[tuning::pack_segments]) {
  const auto window_of = [&](unsigned segment) { return __umulhi(memory.sums[segment], to.windows); };
#pragma unroll
  for (unsigned i = 0; i < tuning::pack_segments; ++i) {
    const unsigned segment = own(i);
    begins[i] = segment < here && (segment == 0 || window_of(segment) != window_of(segment - 1));
    if (!begins[i]) continue;
    const std::uint32_t window = window_of(segment);
    unsigned low = segment + 1;
    unsigned high = here;
    while (low < high) {
      const unsigned middle = (low + high) / 2;
      if (window_of(middle) == window) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    next[i] = static_cast<std::uint16_t>(low);
  }
}

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

/// Counts the long segments before each of a block's.
__device__ __forceinline__ void count_longs(unsigned here, pack_memory& memory) {
  constexpr unsigned each = tuning::pack_segments;
  const unsigned mine = threadIdx.x * each;
  std::uint32_t longs[each];
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    longs[i] = mine + i < here && memory.sums[mine + i + 1] - memory.sums[mine + i] > short_segment ? 1 : 0;
  }
  std::uint32_t all = 0;
  memory.scan.before(longs, longs, all);
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    if (mine + i < here) memory.longs[mine + i] = static_cast<std::uint16_t>(longs[i]);
  }
  if (threadIdx.x == 0) memory.longs[here] = static_cast<std::uint16_t>(all);
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

/// The same where some are long, and for each of a thread's where the next task would begin.
__device__ __forceinline__ void find_heads(unsigned here, pack_memory& memory,
                                           std::uint16_t (&next)[tuning::pack_segments],
                                           bool (&begins)[tuning::pack_segments]) {
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
#pragma unroll
  for (unsigned i = 0; i < each; ++i) begins[i] = mine + i < here && memory.heads[mine + i];
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
                                             const pack_sizes& sizes, const own_segments& own, pack_memory& memory,
                                             const std::uint16_t (&next)[tuning::pack_segments],
                                             const bool (&heads)[tuning::pack_segments]) {
  constexpr unsigned each = tuning::pack_segments;
  const auto size_of = [&](unsigned i) -> std::uint32_t {  // of the task that a segment begins; 0: it begins none
    return heads[i] ? memory.sums[next[i]] - memory.sums[own(i)] : 0;
  };
  const auto is_short = [&](unsigned i) { return !sizes.long_ones || memory.longs[next[i]] == memory.longs[own(i)]; };
  bool begin_any = false;
#pragma unroll
  for (unsigned i = 0; i < each; ++i) begin_any = begin_any || heads[i];
  begin_any = __any_sync(all_lanes, begin_any) != 0;  // which few warps do where segments are short
  std::uint32_t count = 0;
  std::uint32_t shorts = 0;
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    if (!begin_any) break;
    const std::uint32_t size = size_of(i);
    if (size > packed_size) append_large(segments, to, first + own(i));
    if (size != 0 && size <= packed_size) ++(is_short(i) ? shorts : count);
  }
  std::uint32_t slot = count == 0 ? 0 : atomicAdd(&memory.tasks, count);
  std::uint32_t short_slot = shorts == 0 ? 0 : atomicAdd(&memory.shorts, shorts);
  __syncthreads();
  if (threadIdx.x == 0) memory.first_task = memory.tasks == 0 ? 0 : atomicAdd(&to.numbers->tasks, memory.tasks);
  if (threadIdx.x == 32) memory.first_short = memory.shorts == 0 ? 0 : atomicAdd(&to.numbers->shorts, memory.shorts);
  __syncthreads();
  slot += memory.first_task;
  short_slot += memory.first_short;
  if (!begin_any) return;
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    const std::uint32_t size = size_of(i);
    if (size == 0 || size > packed_size) continue;
    const std::uint64_t segment = first + own(i);
    const std::uint32_t at = is_short(i) ? short_slot++ : to.room - 1 - slot++;
    if (at >= to.room) continue;  // offsets that are wrong somewhere else
    to.tasks[at] = {segment, segments.begin(segment), sizes.many_each ? next[i] - own(i) : 0, size};
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
  to.numbers->shorts = 0;
  if (!to.has_larger) return;
  *to.level.large_task_count = 0;
  to.level.count->packed = 0;
}

template <class Segments>
__global__ void __launch_bounds__(tuning::pack_threads, tuning::pack_blocks)
    pack_segments(Segments segments, packing to) {
  __shared__ pack_memory memory;
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint64_t first = std::uint64_t{blockIdx.x} * to.each;
  const auto here = static_cast<unsigned>(::min(std::uint64_t{to.each}, to.count - first));
  if (threadIdx.x == 0) memory.tasks = 0;
  if (threadIdx.x == 0) memory.shorts = 0;
  std::uint16_t next[tuning::pack_segments];
  bool heads[tuning::pack_segments];
  const pack_sizes sizes = look_at_sizes(segments, to, first, here, memory);
  if (sizes.long_ones) {
    sum_sizes(segments, to, first, here, memory);
    find_heads(here, memory, next, heads);
    count_longs(here, memory);
    append_tasks(segments, to, first, sizes, own_segments::neighbours(), memory, next, heads);
  } else {
    find_windows(to, here, memory, own_segments::apart(), next, heads);
    append_tasks(segments, to, first, sizes, own_segments::apart(), memory, next, heads);
  }
  drop_wrong(to);
}

#endif

}  // namespace peneira::detail
