// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel that scans tiles. A warp has rows of neighbouring items, of which a lane has a group in each: groups are
// scanned by the lanes, rows by shuffles, and tiles by their prefixes.
#pragma once

#include <type_traits>

#include "peneira/gpu/exchange/tile_prefixes.cuh"
#include "peneira/gpu/primitives/warp_rows.cuh"
#include "peneira/ops.hpp"
#include "peneira/scan/gpu/heads.cuh"
#include "peneira/scan/gpu/tile_shape.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// An item as what is combined; `heads` are those of its group, a bit each.
template <class Value, class Result, class Op, class T>
__device__ Value scanned(const Op& op, const T& item, std::size_t at, std::uint32_t is_head) {
  if constexpr (std::is_same_v<Value, Result>) {
    return lifted<Result>(op, item, at);
  } else {
    return {lifted<Result>(op.op, item, at), is_head};
  }
}

/// What comes out of a scan of values.
template <class Result, class Value>
__device__ Result result_of(const Value& value) {
  if constexpr (std::is_same_v<Value, Result>) {
    return value;
  } else {
    return value.value;
  }
}

/// Loads the items of this lane as values, and the heads among them, a bit each.
template <class Result, unsigned Rows, unsigned Group, class T, class Heads, class By, class Value>
__device__ void load_values(const warp_rows<Rows, Group>& mine, const T* items, bool whole, const Heads& heads,
                            const By& by, Value (&groups)[Rows][Group], std::uint32_t (&begins)[Rows]) {
  alignas(16) T loaded[Rows][Group];
  mine.load(loaded, items, whole);
  if constexpr (Heads::segmented) {
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) begins[r] = mine.has(r) ? heads.template among<Group>(mine.at(r)) : 0;
  }
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
#pragma unroll
    for (unsigned k = 0; k < Group; ++k) {
      groups[r][k] = mine.has(r, k) ? scanned<Value, Result>(by, loaded[r][k], mine.at(r, k), begins[r] >> k & 1U)
                                    : by.template identity<Value>();
    }
  }
}

/// Stores results: of items that are in a segment.
template <unsigned Rows, unsigned Group, class Result, class Heads>
__device__ void store_results(const warp_rows<Rows, Group>& mine, const Result (&out)[Rows][Group], bool whole,
                              const Heads& heads, Result* results) {
  if constexpr (Heads::segmented) {
    if (!whole || !heads.writes(mine.at(0)) || !heads.writes(mine.at(Rows - 1, Group - 1))) {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
#pragma unroll
        for (unsigned k = 0; k < Group; ++k) {
          if (mine.has(r, k) && heads.writes(mine.at(r, k))) results[mine.at(r, k)] = out[r][k];
        }
      }
      return;
    }
  }
  mine.store(results, out, whole);
}

/// A scan of a tile a block. `words` are clear when the kernel before has ended; of one tile nobody asks for them. `by`
/// is the operator on values of Heads.
template <bool Inclusive, class Heads, class T, class Result, class By>
__global__ void __launch_bounds__(tuning::scan_threads,
                                  tuning::scan_blocks(sizeof(typename Heads::template value<Result>)))
    scan_items_of_tile(const T* items, std::size_t n, Heads heads, Result* results, By by, prefix_words words,
                       std::uint32_t tiles) {
  using shape = scan_shape<T, Result, Heads::segmented>;
  using rows = warp_rows<shape::rows, shape::group>;
  using value = typename Heads::template value<Result>;
  __shared__ tile_room<value, tuning::scan_threads> room;
  wait_for_kernels_before();
  const std::uint32_t tile = room.take(words, tiles);
  const std::size_t begin = std::size_t{tile} * shape::tile;
  const rows mine(begin + threadIdx.x / 32 * rows::items, n);
  const bool in_words = aligned_for<T, shape::group>(items) && aligned_for<Result, shape::group>(results);
  const bool whole = in_words && begin + shape::tile <= n;

  value groups[shape::rows][shape::group];
  std::uint32_t begins[shape::rows] = {};
  load_values<Result>(mine, items, whole, heads, by, groups, begins);
  value before[shape::rows];
  const value of_warp = scan_rows(groups, before, by);
  const auto place = room.find_place(of_warp, words, tile, tiles, by);
  const value others = by(place.before_tile, place.before_warp);
  alignas(16) Result out[shape::rows][shape::group];
#pragma unroll
  for (unsigned r = 0; r < shape::rows; ++r) {
    const value all = by(others, before[r]);
#pragma unroll
    for (unsigned k = 0; k < shape::group; ++k) {
      if constexpr (Inclusive) {
        out[r][k] = result_of<Result>(by(all, groups[r][k]));
      } else {
        const value upto = k == 0 ? all : by(all, groups[r][k == 0 ? 0 : k - 1]);
        const bool begins_here = Heads::segmented && (begins[r] >> k & 1U) != 0;
        out[r][k] = result_of<Result>(begins_here ? by.template identity<value>() : upto);
      }
    }
  }
  store_results(mine, out, whole, heads, results);
}

}  // namespace peneira::detail

#endif
