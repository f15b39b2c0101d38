// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Items of a warp in rows, of which each lane has a group of neighbours in every row: loads and stores are of 16 bytes
// and lie side by side, and a scan needs no shared memory.
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"

#if defined(__CUDACC__)

namespace peneira::detail {

/// The rows of a warp: Rows groups of Group neighbouring items a lane, from `first` on.
template <unsigned Rows, unsigned Group>
struct warp_rows {
  static constexpr unsigned items = Rows * 32 * Group;
  std::size_t first;

  [[nodiscard]] __device__ std::size_t at(unsigned row) const {
    return first + (row * 32 + threadIdx.x % 32) * std::size_t{Group};
  }
  /// Loads the groups of this lane: by words if the rows are whole and aligned, and otherwise what is below n.
  template <class T>
  __device__ void load(T (&to)[Rows][Group], const T* from, std::size_t n, bool whole) const {
    if (whole) {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) copy_group<Group>(to[r], from + at(r));
    } else {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
#pragma unroll
        for (unsigned k = 0; k < Group; ++k) {
          if (at(r) + k < n) to[r][k] = from[at(r) + k];
        }
      }
    }
  }
  /// Stores them, likewise.
  template <class T>
  __device__ void store(T* to, const T (&from)[Rows][Group], std::size_t n, bool whole) const {
    if (whole) {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) copy_group<Group>(to + at(r), from[r]);
    } else {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
#pragma unroll
        for (unsigned k = 0; k < Group; ++k) {
          if (at(r) + k < n) to[at(r) + k] = from[r][k];
        }
      }
    }
  }
};

/// What lanes up to this one hold, combined in their order.
template <class T, class Op>
__device__ T inclusive_lanes(T value, const Op& op) {
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const T below = shuffled<direction::up>(value, step);
    if (threadIdx.x % 32 >= step) value = op(below, value);
  }
  return value;
}

/// Scans the groups of all rows of a warp, each lane its own; `before` becomes what the warp holds before each of them.
/// Returns what it holds in all.
template <unsigned Rows, unsigned Group, class T, class Op>
__device__ T scan_rows(T (&groups)[Rows][Group], T (&before)[Rows], const Op& op) {
  T upto[Rows];
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
#pragma unroll
    for (unsigned k = 1; k < Group; ++k) groups[r][k] = op(groups[r][k - 1], groups[r][k]);
    upto[r] = inclusive_lanes(groups[r][Group - 1], op);
  }
  T rows = op.template identity<T>();
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    const T lanes = shuffled<direction::up>(upto[r], 1);
    before[r] = threadIdx.x % 32 == 0 ? rows : op(rows, lanes);
    rows = op(rows, shuffled<direction::to_all>(upto[r], 31));
  }
  return rows;
}

}  // namespace peneira::detail

#endif
