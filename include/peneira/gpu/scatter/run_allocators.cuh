// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the runs of a tile go in the output: behind those of the same block, behind those of all blocks, where they
// were counted to go, or as long as it lasts to where a sample told that there is room for them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/bins.hpp"
#include "peneira/gpu/primitives/shared_array.cuh"
#include "peneira/gpu/scatter/tile_histogram.cuh"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Where runs go: behind the slice's last ones of their bins. Thread t knows where the next of bin t goes.
struct room_in_slice {
  std::uint64_t next;

  /// By thread `bin`: the tile has so many items of the bin, from `begin` on. Returns where in the output they go.
  __device__ std::uint64_t take(std::uint32_t /*bin*/, unsigned /*begin*/, std::uint32_t count) {
    const std::uint64_t first = next;
    next += count;
    return first;
  }
  /// By one thread: how many items of the tile go anywhere.
  __device__ void kept(unsigned /*count*/) const {}
};

/// Runs that go behind those that were there first, of any block, so that tiles which are written at the same time are
/// written to neighbouring places. Blocks take tiles in turn. Thread t knows where bin t begins.
struct room_in_turn {
  std::uint64_t next;
  unsigned long long* cursors;  ///< of the bins; zero before

  __device__ std::uint64_t take(std::uint32_t bin, unsigned /*begin*/, std::uint32_t count) const {
    return count == 0 ? 0 : next + atomicAdd(&cursors[bin], std::uint64_t{count});
  }
  __device__ void kept(unsigned /*count*/) const {}
};

/// Runs that go where they were counted to go, of pieces that blocks take in turn, in the order of the pieces. Thread t
/// knows where bin t begins.
struct room_in_rows {
  std::uint64_t next;
  piece_rows counted;
  shared_array<std::uint32_t> upcoming;  ///< one: the piece after this one
  std::uint32_t piece;                   ///< that the block splits

  /// By one thread: takes the piece after this one. Those that are at work are then always neighbours, whichever blocks
  /// are ahead of others.
  __device__ void look_ahead() const { upcoming[0] = gridDim.x + atomicAdd(counted.taken, 1U); }

  __device__ std::uint64_t take(std::uint32_t bin, unsigned /*begin*/, std::uint32_t /*count*/) const {
    return next + counted.first(piece, bin);
  }
  __device__ void kept(unsigned /*count*/) const {}
};

/// Room that was guessed: tiles in turn, as long as it lasts. A run that does not fit goes to a spare array. The
/// cursors then tell how many items each bin has. Thread t knows where the room for bin t begins, and its size.
template <class K, class V>
struct guessed_room : room_in_turn {
  std::uint64_t size;
  unsigned long long* filled;   ///< of a bin for which it does not last, how far it does
  unsigned long long* strayed;  ///< items in the spare array
  view<K, V> spare;
  bool astray;  ///< the run that was asked for last is there

  __device__ std::uint64_t take(std::uint32_t bin, unsigned /*begin*/, std::uint32_t count) {
    astray = false;
    if (count == 0) return 0;
    const std::uint64_t before = atomicAdd(&cursors[bin], std::uint64_t{count});
    if (before + count <= size) return next + before;
    astray = true;
    if (before <= size) filled[bin] = before;
    // Once there is not enough of the spare array, what it holds does not matter, nor how much it would have held.
    if (*static_cast<const volatile unsigned long long*>(strayed) > spare.size) return 0;
    const std::uint64_t at = atomicAdd(strayed, std::uint64_t{count});
    return at + count <= spare.size ? at : 0;
  }
};

/// The same, and all bins are counted of which the room's are groups.
template <class K, class V>
struct counting_room : guessed_room<K, V> {
  shared_array<std::uint32_t> counts;

  template <class F>
  __device__ void saw(const F& f, const K& key) const {
    const std::uint32_t bin = bin_of(f.f, key);
    if (F::safe || bin < f.f.bins()) atomicAdd(&counts[bin], 1U);
  }
};

/// Room in groups of bins. Tiles are numbered through all groups, and taken in turn; the room is in the group of the
/// tile that was asked for last.
struct room_in_groups : room_in_turn {
  shared_array<const std::uint64_t> begins;  ///< of the groups in the input
  shared_array<const std::uint32_t> tiles;   ///< of the groups before each
  std::uint32_t bins;                        ///< of a group
  std::uint32_t group;

  __device__ std::uint64_t take(std::uint32_t bin, unsigned /*begin*/, std::uint32_t count) const {
    return count == 0 ? 0 : atomicAdd(&cursors[std::size_t{group} * bins + bin], std::uint64_t{count});
  }
  /// Where the tile with this number begins; numbers ascend.
  __device__ std::size_t find(std::size_t tile, std::size_t size) {
    while (tile >= tiles[group + 1]) ++group;
    return begins[group] + (tile - tiles[group]) * size;
  }
};

}  // namespace peneira::detail
