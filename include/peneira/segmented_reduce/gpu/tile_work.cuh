// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the blocks that reduce tiles of short segments know, and the state in global memory that they share.
#pragma once

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/segmented_reduce/gpu/segment_cuts.cuh"

namespace peneira::detail {

/// Flags that all blocks read, in several copies, since a cache line that all ask for keeps them waiting.
struct alignas(128) tile_flags {
  std::uint64_t all;    ///< the stamp: all must be done again, since two tiles did not fit or an offset is wrong
  std::uint64_t open;   ///< the stamp: there are chunks to be taken of a large tile,
  std::uint64_t begin;  ///< whose items lie between these
  std::uint64_t end;
};

/// A segment of the large tile, too long for a lane, and the chunks that are its own.
struct long_segment {
  std::uint32_t at;    ///< within the tile
  std::uint32_t from;  ///< its first whole chunk,
  std::uint32_t to;    ///< and the one behind its last
};

/// What blocks publish to others and to the kernel behind theirs. Flags are set to the stamp of the call, so that
/// nothing of it need be zero before; that kernel clears them.
struct tile_state {
  static constexpr unsigned copies = tuning::segment_flag_copies;
  tile_flags flags[copies];
  std::uint64_t one;        ///< the stamp: one tile is large; its complement: and its segments have been reduced
  std::uint64_t tile;       ///< which that is
  std::uint32_t next;       ///< the piece of work on it that is taken next
  std::uint32_t ready;      ///< how many have been done
  std::uint32_t many_long;  ///< how many of its segments are long, and which these are
  long_segment longs[tuning::segment_most_long];
};

/// What the blocks of one call know.
template <class T, class Result, class Offset, class Op>
struct tile_work {
  const T* items;
  std::size_t n;
  const Offset* offsets;
  std::size_t count;
  Op op;
  Result* results;
  tile_state* state;
  std::uint64_t stamp;
  unsigned tiles;
  unsigned segments;    ///< of a tile
  unsigned room;        ///< items that it may have, in whole groups
  unsigned ends_units;  ///< 16 bytes of shared memory that its offsets take, in whole lines of 128
  unsigned finders;     ///< blocks that look for large tiles
  bool aligned;         ///< the offsets, to 16 bytes
  Result* parts;        ///< of the ends of long segments, and then of chunks
  unsigned chunk;       ///< items of a chunk; 0: there are none
  unsigned most_taken;  ///< pieces of work on such a tile that a block may take

  using position = position_of<Offset>;

  [[nodiscard]] __device__ position offset(std::size_t k) const {
    return reinterpret_cast<const position*>(offsets)[k];
  }
  [[nodiscard]] __device__ position border(std::size_t tile) const { return offset(::min(tile * segments, count)); }
  /// Whether a tile has room, wherever it begins within a group.
  [[nodiscard]] __device__ bool fits(position begin, position end) const {
    return begin <= end && end <= n && end - begin <= room - items_of_16_bytes(sizeof(T));
  }
  /// Whether a tile has so many items, or such offsets, that its block does not reduce it.
  [[nodiscard]] __device__ bool is_large(position begin, position end) const {
    return begin > end || end > n || (end - begin) * sizeof(T) > tuning::segment_tile_alone_bytes;
  }
  /// The copy of the flags that a block reads.
  [[nodiscard]] __device__ tile_flags& flags() const { return state->flags[blockIdx.x % tile_state::copies]; }
  /// Publishes that everything must be done again.
  __device__ void redo_all() const {
#pragma unroll 1
    for (tile_flags& s : state->flags) publish(s.all, stamp);
  }
  /// Whether a tile is the first large one.
  [[nodiscard]] __device__ bool claim() const {
    auto* const one = reinterpret_cast<unsigned long long*>(&state->one);
    const unsigned long long before = read(state->one);
    return before != stamp && before != ~stamp && atomicCAS(one, before, stamp) == before;
  }

  [[nodiscard]] __device__ static std::uint64_t read(const std::uint64_t& flag) {
    return *static_cast<const volatile std::uint64_t*>(&flag);
  }
  __device__ static void publish(std::uint64_t& flag, std::uint64_t value) {
    *static_cast<volatile std::uint64_t*>(&flag) = value;
  }
};

}  // namespace peneira::detail
