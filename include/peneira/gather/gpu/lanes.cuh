// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of gather and scatter: lanes that are neighbours have positions that are, and move all columns by them.
#pragma once

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/tuning/gpu_calls.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// A column that is read and one that is written.
template <class T>
struct moved_column {
  const T* from;
  T* to;

  /// Moves items between places, where they are there: all are loaded before the first is stored, so that their
  /// latencies are one.
  template <unsigned Count>
  __device__ void move(const std::size_t (&source)[Count], const std::size_t (&target)[Count],
                       const bool (&is_there)[Count]) const {
    using word = word_of<alignof(T) < 16 ? alignof(T) : 16>;
    constexpr unsigned words = sizeof(T) / sizeof(word);
#pragma unroll
    for (unsigned w = 0; w < words; ++w) {
      word loaded[Count];
#pragma unroll
      for (unsigned k = 0; k < Count; ++k) {
        if (is_there[k]) loaded[k] = reinterpret_cast<const word*>(from + source[k])[w];
      }
#pragma unroll
      for (unsigned k = 0; k < Count; ++k) {
        if (is_there[k]) reinterpret_cast<word*>(to + target[k])[w] = loaded[k];
      }
    }
  }
};

/// Moves item positions[i] to i, or item i to positions[i], in every column; positions that are not below `limit` are
/// left out.
template <bool Gather, class Position, class... T>
__global__ void __launch_bounds__(tuning::gather_threads)
    move_items(const Position* positions, std::size_t count, std::size_t limit, moved_column<T>... columns) {
  constexpr unsigned together = tuning::gather_together;
  constexpr std::size_t tile = std::size_t{tuning::gather_threads} * together;
  for (std::size_t begin = blockIdx.x * tile; begin < count; begin += gridDim.x * tile) {
    std::size_t here[together];
    std::size_t there[together];
    bool is_there[together];
#pragma unroll
    for (unsigned k = 0; k < together; ++k) {
      here[k] = begin + k * tuning::gather_threads + threadIdx.x;
      there[k] = here[k] < count ? static_cast<std::size_t>(positions[here[k]]) : limit;
    }
#pragma unroll
    for (unsigned k = 0; k < together; ++k) is_there[k] = there[k] < limit;
    if constexpr (Gather) {
      (columns.move(there, here, is_there), ...);
    } else {
      (columns.move(here, there, is_there), ...);
    }
  }
}

}  // namespace peneira::detail

#endif
