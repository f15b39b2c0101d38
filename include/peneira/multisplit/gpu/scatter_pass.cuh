// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of one pass of a multisplit by tiles, under each tile schedule.
#pragma once

#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/runtime.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/gpu/scatter/tile_scatter.cuh"
#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/multisplit/gpu/two_digit_histogram.cuh"
#include "peneira/view.hpp"

namespace peneira::detail {

/// What the blocks of one pass know.
struct scatter_pass {
  std::uint32_t bins;            ///< of this pass
  std::uint32_t counter_sets;    ///< of a tile
  std::uint32_t unit;            ///< items that stay together when blocks share them out
  const std::uint64_t* kept;     ///< how many items there are; nullptr: all of the input
  const std::uint64_t* columns;  ///< where each block begins within each bin; nullptr: there is one tile only
  std::uint32_t row;             ///< columns of a block, at least as many as bins
  const std::uint64_t* totals;   ///< the size of each bin
  unsigned long long* cursors;   ///< for a round robin schedule: of the bins
  piece_rows counted;            ///< for a dynamic schedule
  paired_counts paired;          ///< for a pass that was counted together with the one before
  std::uint64_t* starts;  ///< where each bin begins, and at its end how many items were kept; nullptr: nobody asks
};

/// Publishes where bins begin.
template <class Offset>
struct bin_begins {
  std::uint64_t* starts;  ///< nullptr: nobody asks
  Offset* offsets;        ///< likewise

  __device__ void publish(std::uint32_t bin, std::uint64_t at) const {
    if (starts != nullptr) starts[bin] = at;
    if (offsets != nullptr) offsets[bin] = static_cast<Offset>(at);
  }
};

/// Runs of a slice; or where there is one tile only and nothing was counted, of that tile, which then publishes where
/// each bin begins.
template <class Offset>
struct pass_allocator : slice_allocator {
  bool alone;
  std::uint32_t bins;
  bin_begins<Offset> begins;

  __device__ std::uint64_t allocate(std::uint32_t bin, unsigned begin, std::uint32_t count) {
    if (alone) begins.publish(bin, next = begin);
    return slice_allocator::allocate(bin, begin, count);
  }
  __device__ void kept(unsigned count) const {
    if (alone) begins.publish(bins, count);
  }
};

/// One pass: slices with a histogram a slice, round robin with global cursors, or dynamic with a histogram a tile.
template <bool Stable, tile_schedule Schedule, class Shape, class K, class V, class F, class Offset>
__global__ void __launch_bounds__(Shape::threads, Shape::large ? 1 : 2)
    scatter_tiles(view<const K, const V> in, view<K, V> out, F f, scatter_pass pass, Offset* offsets) {
  __shared__ std::uint32_t sums[Shape::threads / 32];
  __shared__ std::uint32_t upcoming;
  const tile_block<Stable, Shape, K, V> block(pass.bins, pass.counter_sets, sums);
  __shared__ block_sums<Shape::threads> scan;
  static_assert(sizeof(scan) + sizeof(sums) + sizeof(upcoming) <= tile_static_bytes);

  if (pass.kept != nullptr) wait_for_kernels_before();  // the items of the first pass are there before
  const std::size_t items = items_of_pass(in.size, pass.kept);
  constexpr bool by_slices = Schedule == tile_schedule::slices;
  const item_range mine = by_slices ? slice_in_units(items, blockIdx.x, gridDim.x, pass.unit) : item_range{0, items};
  const bin_begins<Offset> begins{pass.starts, offsets};
  auto runs = [&] {
    if constexpr (Schedule == tile_schedule::dynamic) {
      return counted_allocator{0, pass.counted, shared_array{&upcoming}, blockIdx.x};
    } else if constexpr (!by_slices) {
      return cursor_allocator{0, pass.cursors};
    } else {
      return pass_allocator<Offset>{{}, pass.columns == nullptr, pass.bins, begins};
    }
  }();
  split_slice(block, in, out, f, mine, runs, [&] {
    wait_for_kernels_before();
    let_next_kernel_start();
    if (pass.columns == nullptr) return;
    const std::uint32_t bin = threadIdx.x;
    const bool real = bin < pass.bins;
    if constexpr (Shape::large && by_slices && F::one_of_several) {
      if (pass.paired.starts != nullptr) {
        const std::uint64_t* const begins_before = pass.kept - pass.bins;  // starts of the pass before
        runs.next =
            first_of_slice<Shape::threads>(pass.paired, begins_before, in.keys, f, mine.begin, block.shared.begins);
        if (blockIdx.x == 0 && bin <= pass.bins) begins.publish(bin, pass.paired.starts[bin << pass.paired.shift]);
        return;
      }
    }
    const std::uint64_t before = real && by_slices ? pass.columns[std::size_t{blockIdx.x} * pass.row + bin] : 0;
    std::uint64_t all = 0;
    runs.next = scan.before(real ? pass.totals[bin] : 0, all);
    if (blockIdx.x == 0 && real) begins.publish(bin, runs.next);
    if (blockIdx.x == 0 && bin == 0) begins.publish(pass.bins, all);
    if constexpr (by_slices) runs.next += before;
  });
}

}  // namespace peneira::detail
