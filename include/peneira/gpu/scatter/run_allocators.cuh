// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Run allocators: where in the output the runs of a tile go, one run a bin.
//
//   slice_allocator     behind the last runs of the same block
//   cursor_allocator    behind the runs of all blocks so far, by an atomic add to a global cursor a bin
//   counted_allocator   where a histogram of each tile says
//   region_allocator    as cursor_allocator, in regions of which only a sample is known, and else in a spare array
//   counting_region_allocator   the same, and counts each bin in passing
//   group_allocator     as cursor_allocator, of tiles that lie in groups
//
// Each says which tile schedule it goes with.
#pragma once

#include "peneira/bins.hpp"
#include "peneira/gpu/scatter/tile_histogram.cuh"
#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// An array in shared memory that a struct may hold beside pointers to global memory. A plain pointer may not: where
/// such a struct is copied as a whole and stays in memory, nvcc 13.0 sees only that a pointer to shared memory was
/// stored in it, and then reads through all pointers of it as if they were that.
template <class T>
class shared_array {
 public:
  __device__ explicit shared_array(T* first) : address_(static_cast<std::uint32_t>(__cvta_generic_to_shared(first))) {}

  __device__ T& operator[](std::size_t k) const { return static_cast<T*>(__cvta_shared_to_generic(address_))[k]; }

 private:
  std::uint32_t address_;
};

/// Runs behind the last ones of the block's slice. Thread t holds the cursor of bin t.
struct slice_allocator {
  static constexpr tile_schedule schedule = tile_schedule::slices;

  std::uint64_t next;

  /// By thread `bin`: the tile has `count` items of the bin, from `begin` on. Returns where in the output they go.
  __device__ std::uint64_t allocate(std::uint32_t /*bin*/, unsigned /*begin*/, std::uint32_t count) {
    const std::uint64_t first = next;
    next += count;
    return first;
  }
  /// By one thread: how many items of the tile go anywhere.
  __device__ void kept(unsigned /*count*/) const {}
};

/// Runs behind those that were allocated before, by any block, so that tiles which are written at the same time are
/// written to neighbouring places. Thread t knows where bin t begins.
struct cursor_allocator {
  static constexpr tile_schedule schedule = tile_schedule::round_robin;

  std::uint64_t next;
  unsigned long long* cursors;  ///< of the bins; zero before

  __device__ std::uint64_t allocate(std::uint32_t bin, unsigned /*begin*/, std::uint32_t count) const {
    return count == 0 ? 0 : next + atomicAdd(&cursors[bin], std::uint64_t{count});
  }
  __device__ void kept(unsigned /*count*/) const {}
};

/// Runs where the tile histogram says, which keeps the order of the pieces. Thread t knows where bin t begins. Also the
/// dynamic schedule: blocks take pieces from an atomic counter, the first that of the block's number.
struct counted_allocator {
  static constexpr tile_schedule schedule = tile_schedule::dynamic;

  std::uint64_t next;
  piece_rows counted;
  shared_array<std::uint32_t> upcoming;  ///< one: the piece after this one
  std::uint32_t piece;                   ///< that the block splits

  /// By one thread: takes the piece after this one. Those that are at work are then always neighbours, whichever blocks
  /// are ahead of others.
  __device__ void take_next() const { upcoming[0] = gridDim.x + atomicAdd(counted.taken, 1U); }

  __device__ std::uint64_t allocate(std::uint32_t bin, unsigned /*begin*/, std::uint32_t /*count*/) const {
    return next + counted.first(piece, bin);
  }
  __device__ void kept(unsigned /*count*/) const {}
};

/// Runs in regions whose sizes come from a sample. A run that does not fit its bin's region goes to a spare array. The
/// cursors then say how many items each bin has. Thread t knows where the region of bin t begins, and its size.
template <class K, class V>
struct region_allocator : cursor_allocator {
  std::uint64_t size;
  unsigned long long* filled;   ///< of a bin whose region is too small: how far it is filled
  unsigned long long* strayed;  ///< items in the spare array
  view<K, V> spare;
  bool astray;  ///< whether the last run is there

  __device__ std::uint64_t allocate(std::uint32_t bin, unsigned /*begin*/, std::uint32_t count) {
    astray = false;
    if (count == 0) return 0;
    const std::uint64_t before = atomicAdd(&cursors[bin], std::uint64_t{count});
    if (before + count <= size) return next + before;
    astray = true;
    if (before <= size) filled[bin] = before;
    // Once the spare array is full, what it holds does not matter, nor how much it would have held.
    if (*static_cast<const volatile unsigned long long*>(strayed) > spare.size) return 0;
    const std::uint64_t at = atomicAdd(strayed, std::uint64_t{count});
    return at + count <= spare.size ? at : 0;
  }
};

/// The same for regions of groups of bins, with a histogram of all bins in shared memory.
template <class K, class V>
struct counting_region_allocator : region_allocator<K, V> {
  shared_array<std::uint32_t> counts;

  template <class F>
  __device__ void saw(const F& f, const K& key) const {
    const std::uint32_t bin = bin_of(f.f, key);
    if (F::safe || bin < f.f.bins()) atomicAdd(&counts[bin], 1U);
  }
};

/// Runs of the bins of one group after another, by global cursors. Tiles are numbered through all groups; runs are in
/// the group of the tile that was found last.
struct group_allocator : cursor_allocator {
  shared_array<const std::uint64_t> begins;  ///< of the groups in the input
  shared_array<const std::uint32_t> tiles;   ///< of the groups before each
  std::uint32_t bins;                        ///< of a group
  std::uint32_t group;

  __device__ std::uint64_t allocate(std::uint32_t bin, unsigned /*begin*/, std::uint32_t count) const {
    return count == 0 ? 0 : atomicAdd(&cursors[std::size_t{group} * bins + bin], std::uint64_t{count});
  }
  /// Where the tile with this number begins; numbers ascend.
  __device__ std::size_t find(std::size_t tile, std::size_t size) {
    while (tile >= tiles[group + 1]) ++group;
    return begins[group] + (tile - tiles[group]) * size;
  }
};

}  // namespace peneira::detail
