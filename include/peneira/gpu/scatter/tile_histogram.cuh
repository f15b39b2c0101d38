// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Tile histograms: how many items of each bin lie before each tile, for a dynamic schedule that keeps the order.
//
//   a block counts a group of neighbouring pieces in shared memory
//     -> rows[piece][bin]: those of the group before the piece
//     -> columns[group][bin] -> scan_columns: those before the group
//
// Reads each item once. Groups go from the last to the first, so that the cache holds the beginning when the items are
// read again.
#pragma once

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// How items are cut up for a dynamic schedule: whole tiles, and where little is left beside rounds in which every
/// block has one, a small piece of that for each.
struct tile_pieces {
  std::uint32_t tile;
  std::uint32_t small;  ///< items of those that come after the whole ones
  std::uint32_t whole;
  std::uint32_t count;

  static constexpr tile_pieces of(std::size_t items, std::size_t tile, std::size_t blocks, std::size_t few) {
    constexpr std::size_t grain = 64;                             // at which pieces are aligned
    const auto cut = [&](std::size_t wholes, std::size_t size) {  // of the others
      const std::size_t left = items - wholes * tile;
      return tile_pieces{static_cast<std::uint32_t>(tile), static_cast<std::uint32_t>(size),
                         static_cast<std::uint32_t>(wholes),
                         static_cast<std::uint32_t>(wholes + (left == 0 ? 0 : (left + size - 1) / size))};
    };
    const std::size_t rounds = items / (tile * blocks);
    const std::size_t left = items - rounds * blocks * tile;
    const std::size_t each = (left + blocks * grain - 1) / (blocks * grain) * grain;
    return rounds == 0 || each > few ? cut(items / tile, tile) : cut(rounds * blocks, each);
  }
  /// Piece k, where there are no more than so many items.
  [[nodiscard]] PENEIRA_HD item_range at(std::uint32_t k, std::size_t items) const {
    const std::size_t begin =
        k < whole ? std::size_t{k} * tile : std::size_t{whole} * tile + std::size_t{k - whole} * small;
    const std::size_t end = begin + (k < whole ? tile : small);
    return {begin < items ? begin : items, end < items ? end : items};
  }
};

/// Pieces of a group, as a power of two: as many as leave counts of 16 bits.
constexpr unsigned row_shift_of(std::size_t tile) {
  unsigned shift = 0;
  while (tile << (shift + 1) <= 0x10000U) ++shift;
  return shift;
}

/// Groups of so many pieces.
PENEIRA_HD constexpr std::uint32_t groups_of(std::uint32_t pieces, unsigned shift) {
  return (pieces + (1U << shift) - 1) >> shift;
}

/// Where pieces begin within each bin.
struct piece_rows {
  tile_pieces pieces;
  std::uint16_t* rows;     ///< of each piece: within its group
  std::uint64_t* columns;  ///< of each group
  std::uint32_t* taken;    ///< pieces that blocks took, but for the first of each
  std::uint32_t bins;
  unsigned shift;  ///< a group has 1 << shift pieces

  [[nodiscard]] PENEIRA_HD std::uint32_t groups() const { return groups_of(pieces.count, shift); }
#if defined(__CUDACC__)
  /// Where the items of a bin in a piece begin, among all of the bin.
  [[nodiscard]] __device__ std::uint64_t first(std::uint32_t piece, std::uint32_t bin) const {
    return columns[std::size_t{piece >> shift} * bins + bin] + rows[std::size_t{piece} * bins + bin];
  }
#endif
};

#if defined(__CUDACC__)

/// The histograms of the pieces of groups, which blocks take round robin. Each thread has a bin at most.
template <unsigned Threads, class K, class F>
__global__ void __launch_bounds__(Threads, tuning::count_threads / Threads)
    count_rows(const K* keys, std::size_t items_of_call, const std::uint64_t* kept, F f, piece_rows to) {
  static_assert(Threads >= tuning::tile_bins);
  constexpr int in_word = items_of_16_bytes(sizeof(K));
  constexpr unsigned ahead = 4;  // words of 16 bytes of a thread that are on their way while others are counted
  constexpr unsigned batch = ahead * Threads;
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::size_t items = items_of_pass(items_of_call, kept);
  const std::uint32_t bins = to.bins;
  const std::uint32_t in_group = 1U << to.shift;
  const std::uint32_t groups = to.groups();
  if (blockIdx.x >= groups) return;
  if (blockIdx.x == 0 && threadIdx.x == 0) *to.taken = 0;
  if (items == 0) {  // as where a word on the device calls a pass off: nobody looks at rows
    for (std::uint32_t g = blockIdx.x; g < groups; g += gridDim.x) {
      if (threadIdx.x < bins) to.columns[std::size_t{g} * bins + threadIdx.x] = 0;
    }
    return;
  }
  const std::uint32_t all = ((groups - 1 - blockIdx.x) / gridDim.x + 1) << to.shift;  // pieces of this block
  auto* const counts = shared_memory<std::uint32_t>();                                // of a piece and of the next
  for (std::uint32_t b = threadIdx.x; b < 2 * bins; b += Threads) counts[b] = 0;

  const auto number_of = [&](std::uint32_t k) {
    const std::uint32_t from_last = blockIdx.x + (k >> to.shift) * gridDim.x;
    return ((groups - 1 - from_last) << to.shift) + (k & (in_group - 1));
  };
  const auto begin_of = [&](std::uint32_t piece) { return keys + std::size_t{piece} * to.pieces.tile; };
  const bool aligned = aligned_for<K, in_word>(keys);
  const auto is_whole = [&](std::uint32_t piece) {
    return aligned && piece < to.pieces.whole && (std::size_t{piece} + 1) * to.pieces.tile <= items;
  };
  const unsigned words = to.pieces.tile / in_word;
  alignas(16) K next[ahead][in_word];
  const auto load = [&](const K* from, unsigned left) {
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      const unsigned at = k * Threads + threadIdx.x;
      copy_group<in_word>(next[k], at < left ? from + at * in_word : from);
    }
  };
  const auto visit = [&](std::uint32_t* own, const K& key) {
    const std::uint32_t bin = f(key);
    if (F::safe || bin < bins) atomicAdd(&own[bin], 1U);
  };

  __syncthreads();
  std::uint32_t piece = number_of(0);
  if (is_whole(piece)) load(begin_of(piece), words);
  std::uint32_t before = 0;  // thread t: of bin t, in the group
#pragma unroll 1
  for (std::uint32_t k = 0; k < all; ++k) {
    auto* const own = counts + (k % 2) * bins;
    const std::uint32_t after = k + 1 < all ? number_of(k + 1) : 0;
    const bool more = k + 1 < all && is_whole(after);
    if (is_whole(piece)) {
      const K* from = begin_of(piece);
#pragma unroll 1
      for (unsigned done = 0; done < words; done += batch) {
        alignas(16) K now[ahead][in_word];
#pragma unroll
        for (unsigned j = 0; j < ahead; ++j) copy_group<in_word>(now[j], next[j]);
        from += batch * in_word;
        const bool last = done + batch >= words;
        if (!last || more) load(last ? begin_of(after) : from, last ? words : words - done - batch);
#pragma unroll
        for (unsigned j = 0; j < ahead; ++j) {
          if (done + j * Threads + threadIdx.x >= words) continue;
#pragma unroll
          for (int g = 0; g < in_word; ++g) visit(own, now[j][g]);
        }
      }
    } else {
      if (more) load(begin_of(after), words);
      const item_range range = to.pieces.at(piece, items);
#pragma unroll 4
      for (std::size_t at = range.begin + threadIdx.x; at < range.end; at += Threads) visit(own, keys[at]);
    }
    __syncthreads();
    if (threadIdx.x < bins) {
      if (piece < to.pieces.count)
        to.rows[std::size_t{piece} * bins + threadIdx.x] = static_cast<std::uint16_t>(before);
      before += own[threadIdx.x];
      own[threadIdx.x] = 0;
      if (((k + 1) & (in_group - 1)) == 0) {
        to.columns[std::size_t{piece >> to.shift} * bins + threadIdx.x] = before;
        before = 0;
      }
    }
    piece = after;
  }
}

#endif

}  // namespace peneira::detail
