// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of the reduction by persistent blocks, in which neighbouring items go to different threads: tile by tile,
// or, of few items, in rows, where a thread has all of its loads in flight at once.
#pragma once

#include <algorithm>
#include <type_traits>

#include "peneira/gpu/exchange/stamped_slots.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/ops.hpp"
#include "peneira/tuning/gpu_reduce.hpp"

#if defined(__CUDACC__)

#include "peneira/gpu/primitives/combine.cuh"

namespace peneira::detail {

/// An array as blocks read it: aligned groups of 16 bytes where it has such; the other items, called loose, one by one.
template <class T>
struct item_groups {
  static constexpr unsigned group = items_of_16_bytes(sizeof(T));
  const T* items;
  std::size_t n;
  std::size_t head;    ///< items before the first group
  std::size_t groups;  ///< none where items never lie at a multiple of 16 bytes, or of what a wide item is loaded by
  std::size_t loose;

  item_groups(const T* all, std::size_t count) : items(all), n(count), head(0), groups(0), loose(count) {
    const auto address = reinterpret_cast<std::uintptr_t>(all);
    const std::size_t before = (16 - address % 16) % 16;
    const bool by_groups = group > 1 ? before % sizeof(T) == 0 : address % sizeof(group_word<T, 1>) == 0;
    if (!by_groups) return;
    if (group > 1) head = std::min(before / sizeof(T), n);
    groups = (n - head) / group;
    loose = n - groups * group;
  }
};

/// What a thread of one of several blocks combines of the groups, behind `mine`, `loads` of them at a time, which are
/// at most Together. Index counts them.
template <class Index, unsigned Threads, unsigned Together, bool Streamed, class T, class Result, class Op>
__device__ Result reduce_groups(const item_groups<T>& in, Result mine, const Op& op, unsigned block, unsigned blocks,
                                unsigned loads) {
  constexpr unsigned group = item_groups<T>::group;
  const auto groups = static_cast<Index>(in.groups);
  const unsigned tile = loads * Threads;
  for (Index begin = Index{block} * tile; begin < groups; begin += Index{blocks} * tile) {
    const unsigned left = groups - begin < tile ? static_cast<unsigned>(groups - begin) : tile;
    const std::size_t position = in.head + (std::size_t{begin} + threadIdx.x) * group;
    alignas(16) T some[Together][group] = {};  // or the compiler keeps what the turn before left there, and spills
#pragma unroll
    for (unsigned g = 0; g < Together; ++g) {
      if (g * Threads + threadIdx.x < left) {
        load_group<group, Streamed>(some[g], in.items + position + g * (Threads * group));
      }
    }
#pragma unroll
    for (unsigned g = 0; g < Together; ++g) {
      if (g * Threads + threadIdx.x >= left) break;
#pragma unroll
      for (unsigned j = 0; j < group; ++j) {
        mine = op(mine, lifted<Result>(op, some[g][j], position + g * (Threads * group) + j));
      }
    }
  }
  return mine;
}

/// The same of loose items, of which this thread has one of so many.
template <class T, class Result, class Op>
__device__ Result reduce_loose(const item_groups<T>& in, Result mine, const Op& op, std::size_t first,
                               std::size_t step) {
#pragma unroll 1
  for (std::size_t k = first; k < in.loose; k += step) {
    const std::size_t at = k < in.head ? k : k + (in.n - in.loose);
    mine = op(mine, lifted<Result>(op, in.items[at], at));
  }
  return mine;
}

/// Few items in rows: neighbouring threads have neighbouring groups, and one row of these follows the other. The
/// arguments of a kernel must be short, as its code: each cache line of them that is not there yet is waited for.
template <class T>
struct item_rows {
  static constexpr unsigned group = item_groups<T>::group;
  const T* grouped;  ///< the first group, or where there is none, the first item
  unsigned head;
  unsigned groups;
  unsigned loose;

  explicit item_rows(const item_groups<T>& in)
      : grouped(in.items + in.head),
        head(static_cast<unsigned>(in.head)),
        groups(static_cast<unsigned>(in.groups)),
        loose(static_cast<unsigned>(in.loose)) {}

  [[nodiscard]] __device__ unsigned position_of_group(unsigned k) const { return head + k * group; }
  [[nodiscard]] __device__ unsigned position_of_loose(unsigned k) const { return k < head ? k : k + groups * group; }
  [[nodiscard]] __device__ T item(unsigned position) const { return (grouped - head)[position]; }
};

/// Neighbours of a group, halves first.
template <class Result, unsigned First, unsigned Count, class T, std::size_t Group, class Op>
__device__ __forceinline__ Result combine_group(const T (&items)[Group], const Op& op, std::size_t position) {
  if constexpr (Count == 1) {
    return lifted<Result>(op, items[First], position + First);
  } else {
    constexpr unsigned half = Count / 2;
    return op(combine_group<Result, First, half>(items, op, position),
              combine_group<Result, First + half, half>(items, op, position));
  }
}

/// What a thread combines of the groups at `first` and every `step` from there, Loads at most and all of them in flight
/// at once. The first `Sure` of them are there. The compiler gives enough registers only to kernels whose bounds say
/// that one block on a processor is enough.
template <unsigned Loads, unsigned Sure, class Result, class T, class Op>
__device__ Result reduce_row_groups(const item_rows<T>& in, const Op& op, unsigned first, unsigned step) {
  constexpr unsigned group = item_rows<T>::group;
  const T* const from = in.grouped + std::size_t{first} * group;
  const auto there = [&](unsigned g) { return g + 1 <= Sure || first + g * step < in.groups; };
  alignas(16) T some[Loads][group];
#pragma unroll
  for (unsigned g = 0; g < Loads; ++g) {
    const T* const at = there(g) ? from + std::size_t{step} * (g * group) : in.grouped;
    if (Sure != 0 || there(g)) load_group_at_once<group>(some[g], at);
  }
  Result mine = op.template identity<Result>();
#pragma unroll
  for (unsigned g = 0; g < Loads; ++g) {
    if (Sure == 0 && !there(g)) break;
    const Result with = op(mine, combine_group<Result, 0, group>(some[g], op, in.position_of_group(first + g * step)));
    mine = there(g) ? with : mine;  // behind a branch the compiler would put the load
  }
  return mine;
}

/// The same of loose items, so many of them in flight at once.
template <unsigned Together, class T, class Result, class Op>
__device__ Result reduce_row_loose(const item_rows<T>& in, Result mine, const Op& op, unsigned first, unsigned step) {
#pragma unroll 1
  for (unsigned begin = first; begin < in.loose; begin += Together * step) {
    T some[Together];
#pragma unroll
    for (unsigned j = 0; j < Together; ++j) {
      if (begin + j * step < in.loose) some[j] = in.item(in.position_of_loose(begin + j * step));
    }
#pragma unroll
    for (unsigned j = 0; j < Together; ++j) {
      const unsigned k = begin + j * step;
      if (k < in.loose) mine = op(mine, lifted<Result>(op, some[j], in.position_of_loose(k)));
    }
  }
  return mine;
}

}  // namespace peneira::detail

namespace peneira::reduce_strategies {

/// Tiles. The first block collects the values of the others, and has time for the few loose items beside groups.
template <bool Streamed, class T, class Result, class Op>
__global__ void __launch_bounds__(tuning::reduce_tiled.threads, tuning::reduce_tiled.blocks)
    reduce_tiles(detail::item_groups<T> in, Op op, unsigned loads, detail::stamped_slots<Result> slots,
                 Result* result) {
  constexpr unsigned threads = tuning::reduce_tiled.threads;
  __shared__ detail::warp_values<Result, threads> room;
  const unsigned workers = gridDim.x - 1;
  Result mine = op.template identity<Result>();
  if (blockIdx.x == 0) {
    if (in.groups != 0) mine = detail::reduce_loose(in, mine, op, threadIdx.x, threads);
    for (unsigned b = threadIdx.x; b < workers; b += threads) mine = op(mine, slots.collect(b));
    mine = detail::combine_block<threads>(mine, op, room);
    if (threadIdx.x == 0) *result = mine;
    return;
  }
  const unsigned block = blockIdx.x - 1;
  if (in.groups == 0) {
    mine = detail::reduce_loose(in, mine, op, block * threads + threadIdx.x, std::size_t{workers} * threads);
  } else {
    using index = std::conditional_t<Streamed, unsigned, std::size_t>;
    constexpr unsigned most = tuning::reduce_tiled.groups;
    mine = detail::reduce_groups<index, threads, most, Streamed>(in, mine, op, block, workers, loads);
  }
  mine = detail::combine_block<threads>(mine, op, room);
  if (threadIdx.x == 0) slots.publish(block, mine);
}

/// Rows. Threads have Loads groups each, or none where all items are loose. The first block collects, as above.
template <unsigned Loads, class T, class Result, class Op>
__global__ void __launch_bounds__(tuning::reduce_row_threads, 1)
    reduce_rows(detail::item_rows<T> in, detail::stamped_slots<Result> slots, Result* result, Op op) {
  constexpr unsigned threads = tuning::reduce_row_threads;
  __shared__ alignas(16) detail::warp_values<Result, threads> room;
  const unsigned workers = gridDim.x - 1;
  Result mine = op.template identity<Result>();
  if (blockIdx.x == 0) {
    if constexpr (Loads != 0) mine = detail::reduce_row_loose<1>(in, mine, op, threadIdx.x, threads);
    mine = op(mine, slots.collect_by_warp(threadIdx.x, threadIdx.x < workers, op.template identity<Result>()));
    mine = detail::combine_block<threads>(mine, op, room);
    if (threadIdx.x == 0) *result = mine;
    return;
  }
  const unsigned first = (blockIdx.x - 1) * threads + threadIdx.x;
  if constexpr (Loads == 0) {
    mine = detail::reduce_row_loose<8>(in, mine, op, first, workers * threads);
  } else {
    mine = detail::reduce_row_groups<Loads, Loads - 1, Result>(in, op, first, workers * threads);
  }
  mine = detail::combine_block<threads>(mine, op, room);
  if (threadIdx.x == 0) slots.publish(blockIdx.x - 1, mine);
}

/// One block for all.
template <unsigned Threads, class T, class Result, class Op>
__global__ void __launch_bounds__(Threads, 1) reduce_tile(detail::item_rows<T> in, Result* result, Op op) {
  __shared__ alignas(16) detail::warp_values<Result, Threads> room;
  // The first loose item comes together with the groups, which are mostly all that there is beside it.
  const bool has_loose = threadIdx.x < in.loose;
  const unsigned loose = in.position_of_loose(has_loose ? threadIdx.x : 0);
  T first{};
  if (has_loose) first = in.item(loose);
  Result mine = detail::reduce_row_groups<tuning::reduce_groups_alone, 0, Result>(in, op, threadIdx.x, Threads);
  if (has_loose) mine = op(mine, detail::lifted<Result>(op, first, loose));
  mine = detail::reduce_row_loose<1>(in, mine, op, threadIdx.x + Threads, Threads);
  mine = detail::combine_block<Threads>(mine, op, room);
  if (threadIdx.x == 0) *result = mine;
}

}  // namespace peneira::reduce_strategies

#endif
