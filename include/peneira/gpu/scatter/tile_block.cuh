// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a block needs to bring tiles into the order of their bins: shared memory, counters, and its threads' parts.
#pragma once

#include <type_traits>

#include "peneira/gpu/scatter/tile_rank.cuh"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Where the items of a bin in the tile go: its places, added to these addresses.
template <class K, class V>
struct alignas(view<K, V>::has_values ? 16 : 8) bin_target {
  K* keys;
  V* values;
};
template <class K>
struct alignas(8) bin_target<K, no_value> {
  K* keys;
};

/// Shared memory of a block, cut up.
template <class Shape, class K, class V>
struct tile_memory {
  K* keys;
  V* values = nullptr;
  std::uint32_t* counters;
  bin_target<K, V>* targets;
  std::uint32_t* begins;  ///< of the bins in the tile

  __device__ tile_memory(std::uint32_t rows, std::uint32_t bins, std::uint32_t chunks) {
    auto* at = shared_memory<unsigned char>();
    const auto take = [&at](std::size_t bytes) {
      unsigned char* const taken = at;
      at += round_to_16(bytes);
      return taken;
    };
    keys = reinterpret_cast<K*>(take(tile_column_bytes(sizeof(K), Shape::items, chunks)));
    if constexpr (view<K, V>::has_values) {
      values = reinterpret_cast<V*>(take(tile_column_bytes(sizeof(V), Shape::items, chunks)));
    }
    counters = reinterpret_cast<std::uint32_t*>(take(tile_counter_bytes(rows)));
    targets = reinterpret_cast<bin_target<K, V>*>(take(bins * sizeof(*targets)));
    begins = reinterpret_cast<std::uint32_t*>(take((bins + 1) * sizeof(*begins)));
  }
};

/// What a block needs to split tiles: its shared memory, its counters, and its threads' parts in them.
template <bool Stable, class Shape, class K, class V>
struct tile_block {
  using counters_type = std::conditional_t<Stable, tile_counters<Shape>, tile_tally<Shape>>;
  /// Whether places in the order of the bins are padded.
  static constexpr bool pads = Stable || Shape::padded;

  std::uint32_t bins;
  std::uint32_t counter_sets;
  std::uint32_t rows;
  tile_memory<Shape, K, V> shared;
  counter_set_place where;
  counters_type counters;
  std::uint32_t* sums;  ///< a word a warp

  __device__ tile_block(std::uint32_t bins_of_pass, std::uint32_t counter_sets_of_tile, std::uint32_t* sums_of_warps)
      : bins(bins_of_pass),
        counter_sets(counter_sets_of_tile),
        rows(Stable ? tile_rows(bins, counter_sets) : tile_tally_rows),
        shared(rows, bins,
               Stable ? counter_sets * 32
               : pads ? 1
                      : 0),
        where(counter_set_place::of_thread<Shape>(Stable ? counter_sets : 1)),
        counters(make_counters()),
        sums(sums_of_warps) {
    counters.clear();
  }

 private:
  __device__ counters_type make_counters() const {
    if constexpr (Stable) {
      return counters_type(shared.counters, rows, counter_sets, where.set);
    } else {
      return counters_type(shared.counters, bins, counter_sets);
    }
  }
};

}  // namespace peneira::detail
