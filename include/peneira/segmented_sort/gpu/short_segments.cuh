// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The segments of a short task, listed by kinds: how many lanes of a warp sort one, and by how many places each.
//
//   items of a segment   5..8  9..16  17..32  33..64  65..128  129..256      what has less is not listed
//   lanes                  1     1       2       4        8        16
//   places of each         8    16      16      16       16        16
#pragma once

#include "peneira/segmented_sort/gpu/packed_task.cuh"

namespace peneira::detail {

/// Kinds of short segments, and items of one that is not listed at most.
inline constexpr unsigned short_kinds = 6;
inline constexpr std::uint32_t short_unlisted = 4;
static_assert(short_segment == short_unlisted << short_kinds && short_segment <= 256);

/// Room for segments of a kind: as many as a task can have.
PENEIRA_HD constexpr std::uint32_t short_room(unsigned kind) {
  return packed_size / ((short_unlisted << kind) + 1);
}
/// Where those of a kind lie in a list of all.
PENEIRA_HD constexpr std::uint32_t short_first(unsigned kind) {
  std::uint32_t first = 0;
  for (unsigned k = 0; k < kind; ++k) first += short_room(k);
  return first;
}
/// Lanes of a warp that sort a segment of a kind: 2 to the power of this.
PENEIRA_HD constexpr unsigned short_lane_bits(unsigned kind) {
  return kind < 2 ? 0 : kind - 1;
}

#if defined(__CUDACC__)

/// A place in shared memory where one word in 128 bytes is skipped, or lanes that have 16 neighbours each would meet at
/// a bank. `Bytes` of an item; narrow ones skip a whole word.
template <unsigned Bytes>
PENEIRA_HD constexpr std::uint32_t spread(std::uint32_t place) {
  return place + place / (128 / Bytes) * (Bytes < 4 ? 4 / Bytes : 1);
}

/// A segment of a task.
struct short_bounds {
  std::uint32_t begin;
  std::uint32_t size;

  /// Without items behind the last segment.
  template <class Segments>
  __device__ __forceinline__ static short_bounds of(const Segments& segments, const packed_task& task,
                                                    std::uint32_t s) {
    if (s >= task.segments) return {0, 0};
    const std::uint64_t first = segments.begin(task.first + s);
    return {static_cast<std::uint32_t>(first - task.begin),
            static_cast<std::uint32_t>(segments.end(task.first + s) - first)};
  }
};

/// Segments with something to sort. Lies in shared memory.
struct short_lists {
  std::uint32_t counts[short_kinds];
  std::uint16_t begins[short_first(short_kinds)];
  std::uint8_t lasts[short_first(short_kinds)];  ///< items but one

  /// Lists those of a task; of up to `short_unlisted` items, sorts them: sort(bounds), which all lanes of a warp call.
  /// `mine` is the one that a thread has the number of. All threads of the block call; `counts` are zero before.
  template <unsigned Threads, class Segments, class Sort>
  __device__ __forceinline__ void add(const Segments& segments, const packed_task& task, short_bounds mine,
                                      const Sort& sort) {
    const unsigned lane = threadIdx.x % 32;
#pragma unroll 1
    for (std::uint32_t base = threadIdx.x - lane; base < task.segments; base += Threads) {
      const short_bounds next = short_bounds::of(segments, task, base + lane + Threads);
      const bool listed = mine.size > short_unlisted;
      if (__any_sync(all_lanes, mine.size > 1 && !listed) != 0) sort(short_bounds{mine.begin, listed ? 0 : mine.size});
      const unsigned kind = listed ? 29 - __clz(static_cast<int>(mine.size - 1)) : short_kinds;
      unsigned left = __ballot_sync(all_lanes, listed);
      while (left != 0) {  // as often as there are kinds
        const unsigned same = append(__ffs(static_cast<int>(left)) - 1, kind, mine);
        left &= ~same;
      }
      mine = next;
    }
  }

  /// Where the segments of a kind lie.
  __device__ static std::uint32_t first_of(unsigned kind) {
    std::uint32_t first = 0;
#pragma unroll
    for (unsigned k = 0; k + 1 < short_kinds; ++k) first += k < kind ? short_room(k) : 0;
    return first;
  }

 private:
  /// Lists all segments of a warp that are of the kind of one. Returns which.
  __device__ __forceinline__ unsigned append(int one, unsigned kind, const short_bounds& mine) {
    const auto lane = static_cast<int>(threadIdx.x % 32);
    const unsigned chosen = __shfl_sync(all_lanes, kind, one);
    const unsigned same = __ballot_sync(all_lanes, kind == chosen);
    std::uint32_t slot = 0;
    if (lane == one) slot = first_of(chosen) + atomicAdd(&counts[chosen], static_cast<unsigned>(__popc(same)));
    slot = __shfl_sync(all_lanes, slot, one) + __popc(same & ((1U << lane) - 1));
    if (kind == chosen) {
      begins[slot] = static_cast<std::uint16_t>(mine.begin);
      lasts[slot] = static_cast<std::uint8_t>(mine.size - 1);
    }
    return same;
  }
};

#endif

}  // namespace peneira::detail
