// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of a slice that a block scatters: whole tiles, and the few items that may be left beside them.
#pragma once

#include "peneira/gpu/scatter/ballot_scatter.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/gpu/scatter/tile_block.cuh"
#include "peneira/view.hpp"

namespace peneira::detail {

/// The whole tiles of a slice, and what is left of it beside them; or beside those of larger tiles.
enum class slice_part { all, whole, rest, beside };

/// The whole tiles of a slice that begins anywhere; none where its items are not aligned.
template <class Shape, class K, class V>
__device__ item_range whole_tiles_in(const view<const K, const V>& in, item_range mine) {
  const bool aligned =
      aligned_for<K, Shape::group>(in.keys) && (!view<K, V>::has_values || aligned_for<V, Shape::group>(in.values));
  return aligned ? whole_tiles_of(mine, Shape::size, Shape::group) : item_range{mine.begin, mine.begin};
}

/// A few items that are left of a slice, as a function of its own to which everything goes by value: registers spill
/// otherwise.
template <bool Stable, class Shape, class K, class V, class F, class Allocator>
__device__ __noinline__ Allocator split_few_rest(const tile_block<Stable, Shape, K, V> block,
                                                 const view<const K, const V> in, const view<K, V> out, const F f,
                                                 const tile_part part, Allocator runs) {
  split_few<few_items / tuning::tile_threads>(shared_memory<unsigned char>(), block.sums, block.bins, in, out, f, part,
                                              runs);
  __syncthreads();
  return runs;
}

/// For a block whose allocator is ready before it begins.
struct allocator_is_ready {
  __device__ void operator()() const {}
};

}  // namespace peneira::detail
