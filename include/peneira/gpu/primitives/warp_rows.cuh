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

/// The rows of a warp: Rows groups of Group neighbouring items a lane, of n items in all. Places are counted from this
/// lane's first item on, by numbers that the compiler knows.
template <unsigned Rows, unsigned Group>
class warp_rows {
 public:
  static constexpr unsigned items = Rows * 32 * Group;

  /// Those of a warp that begins at an item.
  __device__ warp_rows(std::size_t warp_first, std::size_t n) : first_(warp_first + threadIdx.x % 32 * Group) {
    const std::size_t left = n > first_ ? n - first_ : 0;
    left_ = left < items ? static_cast<unsigned>(left) : items;
  }
  /// The item at place k of a row, and whether it is there.
  [[nodiscard]] __device__ std::size_t at(unsigned row, unsigned k = 0) const {
    return first_ + (row * 32 * Group + k);
  }
  [[nodiscard]] __device__ bool has(unsigned row, unsigned k = 0) const { return row * 32 * Group + k < left_; }

  /// Loads the groups of this lane: by words if the rows are whole and aligned, and otherwise what is there.
  template <class T>
  __device__ void load(T (&to)[Rows][Group], const T* from, bool whole) const {
    from += first_;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (whole) {
        copy_group<Group>(to[r], from + r * 32 * Group);
      } else {
#pragma unroll
        for (unsigned k = 0; k < Group; ++k) {
          if (has(r, k)) to[r][k] = from[r * 32 * Group + k];
        }
      }
    }
  }
  /// Stores them, likewise.
  template <class T>
  __device__ void store(T* to, const T (&from)[Rows][Group], bool whole) const {
    to += first_;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (whole) {
        copy_group<Group>(to + r * 32 * Group, from[r]);
      } else {
#pragma unroll
        for (unsigned k = 0; k < Group; ++k) {
          if (has(r, k)) to[r * 32 * Group + k] = from[r][k];
        }
      }
    }
  }

 private:
  std::size_t first_;
  unsigned left_;  ///< items from there on, up to the last row's end
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
