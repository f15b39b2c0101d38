// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks that take one tile after the other, and seldom wait: a tile is written a turn after its own value was
// published, when those before it are known, and meanwhile the next is on its way.
//
//   turn i:  tile i      rank; publish its value; put it in order in shared memory
//            tile i + 1  begin to load
//            tile i - 1  find what the tiles before it combine to; write
//
// A block waits for tiles that were taken before the one that it writes, and each of them was published by a block that
// did not wait for a later one: so the first tile that is not written can always be. Where every block has a tile of
// its own, tiles are numbered as blocks, of which the lower ones start first.
//
// Two other ways to go through tiles, which tell the work what all of them combine to before it writes:
//
//   run_at_once     two tiles a block at most, staged before any is written; all blocks run at the same time
//   run_in_cluster  a tile a block, of one cluster, which exchange values through their shared memories: one launch
#pragma once

#include <bit>

#include "peneira/gpu/exchange/tile_prefixes.cuh"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/block_cluster.cuh"
#endif

namespace peneira::detail {

/// Blocks of a pipeline on a processor, of `most` that its registers allow and as many as its shared memory does.
inline std::size_t pipeline_blocks(std::size_t tiles, std::size_t most, std::size_t shared, const device& machine) {
  const std::size_t fit = machine.shared_per_sm / (shared + 1024);
  return std::min(tiles, static_cast<std::size_t>(machine.sms) * std::clamp<std::size_t>(fit, 1, most));
}

/// Tiles that run_in_cluster takes at most, and the blocks of a cluster for so many.
inline constexpr std::size_t cluster_tiles = 16;
inline std::uint32_t cluster_blocks(std::size_t tiles) {
  return static_cast<std::uint32_t>(std::bit_ceil(tiles));
}
inline bool fits_cluster(std::size_t tiles, const device& machine) {
  return tiles > 1 && tiles <= cluster_tiles && machine.arch >= 90;
}

#if defined(__CUDACC__)

/// Shared memory of a block of this many threads, whose tiles have values of T.
template <class T, unsigned Threads>
class tile_pipeline {
 public:
  /// Takes tiles until there are no more. `work` is this thread's part of the work on a tile, called in this order:
  ///   load(tile)                             begins to load
  ///   rank(), a T                            what the items of the warp combine to
  ///   stage(half, before_warp, of_tile)      puts them into one half of the staged items; that tile is loaded no more
  ///   write(half, tile, before_tile, of_tile)
  /// What it loads was there before the words were cleared. Waits for the kernels before.
  template <class Op, class Work>
  __device__ void run(const prefix_words& words, std::uint32_t tiles, const Op& op, Work& work) {
    const unsigned warp = threadIdx.x / 32;
    const tile_prefixes<T, Op> prefixes(words, tiles, op);
    const bool several = tiles > gridDim.x;  // of a block
    const T none = op.template identity<T>();
    std::uint32_t last = tiles;  // the tile of the turn before, if it is one
    T of_last = none;
    if (several) wait_for_kernels_before();
    std::uint32_t tile = several ? take_first(words) : blockIdx.x;
    if (tile < tiles) work.load(tile);
    if (!several) wait_for_kernels_before();  // which clear the words
    for (unsigned half = 0;; half ^= 1U) {
      const bool here = tile < tiles;
      if (here) begin_turn(words, several, work, tiles);
      __syncthreads();
      const std::uint32_t next = next_;
      T of_tile = none;
      if (here) {
        const T before_warp = sum_warps(warp, op, of_tile);
        if (threadIdx.x == 0 && tiles != 1) prefixes.publish(tile, of_tile);
        work.stage(half, before_warp, of_tile);
        if (next < tiles) work.load(next);
      }
      if (last < tiles && warp == 0) {
        const T others = tiles == 1 ? none : prefixes.find(last, of_last);
        if (threadIdx.x == 0) *before_.get() = others;
      }
      __syncthreads();
      if (last < tiles) work.write(half ^ 1U, last, *before_.get(), of_last);
      if (!here) return;
      last = tile;
      of_last = of_tile;
      tile = next;
    }
  }

  /// The same for no more than two tiles a block, whose blocks all run at the same time: work.know(all) is called
  /// before any write, with what all tiles combine to.
  template <class Op, class Work>
  __device__ void run_at_once(const prefix_words& words, std::uint32_t tiles, const Op& op, Work& work) {
    const unsigned warp = threadIdx.x / 32;
    const tile_prefixes<T, Op> prefixes(words, tiles, op);
    T of_tiles[2];
    work.load(blockIdx.x);
    wait_for_kernels_before();
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const std::uint32_t tile = blockIdx.x + half * gridDim.x;
      if (tile >= tiles) break;
      begin_turn(words, false, work, tiles);
      __syncthreads();
      const T before_warp = sum_warps(warp, op, of_tiles[half]);
      if (threadIdx.x == 0) prefixes.publish(tile, of_tiles[half]);
      work.stage(half, before_warp, of_tiles[half]);
      if (half == 0 && tile + gridDim.x < tiles) work.load(tile + gridDim.x);
      __syncthreads();
    }
    if (warp == 0) {
#pragma unroll
      for (unsigned half = 0; half < 2; ++half) {
        const std::uint32_t tile = blockIdx.x + half * gridDim.x;
        if (tile >= tiles) break;
        const T others = prefixes.find(tile, of_tiles[half]);
        if (threadIdx.x == 0) before_.get()[half] = others;
        if (threadIdx.x == 0 && tile + 1 == tiles) prefixes.publish_all(op(others, of_tiles[half]));
      }
      const T all = prefixes.find_all();
      if (threadIdx.x == 0) before_.get()[2] = all;
    }
    __syncthreads();
    work.know(before_.get()[2]);
#pragma unroll
    for (unsigned half = 0; half < 2; ++half) {
      const std::uint32_t tile = blockIdx.x + half * gridDim.x;
      if (tile < tiles) work.write(half, tile, before_.get()[half], of_tiles[half]);
    }
  }

  /// The same for a tile a block, where all blocks are one cluster: without words.
  template <class Op, class Work>
  __device__ void run_in_cluster(std::uint32_t tiles, const Op& op, Work& work) {
    constexpr block_cluster cluster;
    const std::uint32_t tile = blockIdx.x;
    cluster.arrive();
    T of_tile = op.template identity<T>();
    T before_warp = of_tile;
    if (tile < tiles) {
      work.load(tile);
      begin_turn({}, false, work, tiles);
      __syncthreads();
      before_warp = sum_warps(threadIdx.x / 32, op, of_tile);
    }
    cluster.wait();  // others have begun: they have a shared memory
    if (threadIdx.x < cluster.blocks()) *cluster.in_block(of_tiles_.get() + tile, threadIdx.x) = of_tile;
    cluster.arrive();
    if (tile < tiles) work.stage(0, before_warp, of_tile);
    cluster.wait();
    if (tile >= tiles) return;
    __syncthreads();  // for what was staged after the arrival
    T before = op.template identity<T>();
    T all = before;
    for (std::uint32_t t = 0; t < tiles; ++t) {
      if (t == tile) before = all;
      all = op(all, of_tiles_.get()[t]);
    }
    work.know(all);
    work.write(0, tile, before, of_tile);
  }

 private:
  /// The first tile of a block.
  __device__ std::uint32_t take_first(const prefix_words& words) {
    if (threadIdx.x == 0) next_ = atomicAdd(words.taken, 1U);
    __syncthreads();
    const std::uint32_t tile = next_;
    __syncthreads();
    return tile;
  }
  /// Ranks the loaded items, and takes the next tile.
  template <class Work>
  __device__ void begin_turn(const prefix_words& words, bool several, Work& work, std::uint32_t tiles) {
    std::uint32_t ticket = tiles;
    if (threadIdx.x == 0 && several) ticket = atomicAdd(words.taken, 1U);
    const T of_warp = work.rank();
    if (threadIdx.x % 32 == 0) of_warps_.get()[threadIdx.x / 32] = of_warp;
    if (threadIdx.x == 0) next_ = ticket;
  }
  /// What the warps before this one combine to, and in `of_tile` all of them.
  template <class Op>
  __device__ T sum_warps(unsigned warp, const Op& op, T& of_tile) {
    of_tile = op.template identity<T>();
    T before_warp = of_tile;
#pragma unroll
    for (unsigned w = 0; w < Threads / 32; ++w) {
      if (w == warp) before_warp = of_tile;
      of_tile = op(of_tile, of_warps_.get()[w]);
    }
    return before_warp;
  }

  warp_values<T, Threads> of_warps_;
  warp_values<T, 3 * 32> before_;  ///< and what all combine to
  warp_values<T, 32 * cluster_tiles> of_tiles_;
  std::uint32_t next_;
};

#endif

}  // namespace peneira::detail
