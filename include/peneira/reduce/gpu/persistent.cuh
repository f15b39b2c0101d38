// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a thread combines of an array whose neighbouring items go to different threads: tile by tile, or, of few items,
// in rows, all of its loads under way at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/ops.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// An array as blocks read it: groups of 16 bytes where it has such, the others, here called loose, one by one.
template <class T>
struct stripes {
  static constexpr unsigned group = items_of_16_bytes(sizeof(T));
  const T* items;
  std::size_t n;
  std::size_t head;    ///< items before the first group
  std::size_t groups;  ///< none where items never lie at a multiple of 16 bytes, or of what a wide item is loaded by
  std::size_t loose;

  stripes(const T* all, std::size_t count) : items(all), n(count), head(0), groups(0), loose(count) {
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
__device__ Result reduce_groups(const stripes<T>& in, Result mine, const Op& op, unsigned block, unsigned blocks,
                                unsigned loads) {
  constexpr unsigned group = stripes<T>::group;
  const auto groups = static_cast<Index>(in.groups);
  const unsigned tile = loads * Threads;
  for (Index begin = Index{block} * tile; begin < groups; begin += Index{blocks} * tile) {
    const unsigned left = groups - begin < tile ? static_cast<unsigned>(groups - begin) : tile;
    const std::size_t position = in.head + (std::size_t{begin} + threadIdx.x) * group;
    alignas(16) T some[Together][group];
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
__device__ Result reduce_loose(const stripes<T>& in, Result mine, const Op& op, std::size_t first, std::size_t step) {
#pragma unroll 1
  for (std::size_t k = first; k < in.loose; k += step) {
    const std::size_t at = k < in.head ? k : k + (in.n - in.loose);
    mine = op(mine, lifted<Result>(op, in.items[at], at));
  }
  return mine;
}

/// Few stripes as rows: neighbouring threads have neighbouring groups, and one row of these follows the other. What a
/// kernel is told must be short, as its code: each line that is not in a cache yet is waited for.
template <class T>
struct rows {
  static constexpr unsigned group = stripes<T>::group;
  const T* grouped;  ///< the first group, or where there is none, the first item
  unsigned head;
  unsigned groups;
  unsigned loose;

  explicit rows(const stripes<T>& in)
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

/// What a thread combines of the groups at `first` and every `step` from there, Loads at most and all of them under way
/// at once. The first `Sure` of them are there. The compiler gives enough registers only to kernels whose bounds say
/// that one block on a processor is enough.
template <unsigned Loads, unsigned Sure, class Result, class T, class Op>
__device__ Result reduce_row_groups(const rows<T>& in, const Op& op, unsigned first, unsigned step) {
  constexpr unsigned group = rows<T>::group;
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

/// The same of loose items, so many of them under way at once.
template <unsigned Together, class T, class Result, class Op>
__device__ Result reduce_row_loose(const rows<T>& in, Result mine, const Op& op, unsigned first, unsigned step) {
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

#endif
