// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of unique and run_lengths: heads of runs are ranked within a tile, put side by side in shared memory, and
// written behind those of the tiles before.
#pragma once

#include <type_traits>

#include "peneira/gpu/exchange/tile_prefixes.cuh"
#include "peneira/gpu/primitives/warp_rows.cuh"
#include "peneira/group_keys.hpp"
#include "peneira/runs/gpu/tile_shape.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Runs that begin in some items, and where the last of them does.
struct runs_so_far {
  std::uint64_t count;
  std::uint64_t head;  ///< 0 where there are none
};

/// The runs of items and of those behind them.
struct join_runs {
  static constexpr bool commutative = true;
  PENEIRA_HD runs_so_far operator()(const runs_so_far& a, const runs_so_far& b) const {
    return {a.count + b.count, a.head < b.head ? b.head : a.head};
  }
  PENEIRA_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
  template <class T>
  PENEIRA_HD static T identity() {
    return T{};
  }
};

/// What a call writes: values and lengths of the first `room` runs, and how many there are in all.
template <class K, class Length, class Count>
struct runs_out {
  K* values;
  Length* lengths;
  Count* count;
  std::size_t room;
};

/// Heads of the runs of a tile, side by side.
template <class K, bool Lengths>
struct tile_heads {
  static constexpr std::size_t tile = runs_shape<K>::tile;
  K values[tile];
  std::uint16_t places[Lengths ? tile : 1];  ///< in the tile
};

/// What blocks tell each other of a tile: its runs, and where lengths are wanted the last head.
template <bool Lengths>
using runs_state = std::conditional_t<Lengths, runs_so_far, std::uint64_t>;
template <bool Lengths>
__device__ std::uint64_t runs_in(const runs_state<Lengths>& state) {
  if constexpr (Lengths) {
    return state.count;
  } else {
    return state;
  }
}

/// Which of this lane's items in a row are heads, a bit each.
template <unsigned Rows, unsigned Group, class K>
__device__ void find_heads(const warp_rows<Rows, Group>& mine, const K (&loaded)[Rows][Group], const K* items,
                           std::uint32_t (&heads)[Rows]) {
  K before[Rows];
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    before[r] = shuffled<direction::up>(loaded[r][Group - 1], 1);
    if (threadIdx.x % 32 == 0 && mine.at(r) != 0 && mine.has(r)) before[r] = items[mine.at(r) - 1];
  }
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    heads[r] = 0;
#pragma unroll
    for (unsigned k = 0; k < Group; ++k) {
      const bool is_first = k == 0 && r == 0 && mine.at(0) == 0;
      const bool is_same = same_group(k == 0 ? before[r] : loaded[r][k == 0 ? 0 : k - 1], loaded[r][k]);
      if (mine.has(r, k) && (is_first || !is_same)) heads[r] |= 1U << k;
    }
  }
}

/// The runs of a warp whose lanes have these heads in their rows; `before` becomes those before this lane in a row.
template <bool Lengths, unsigned Rows, unsigned Group>
__device__ runs_state<Lengths> rank_heads(const warp_rows<Rows, Group>& /*mine*/, const std::uint32_t (&heads)[Rows],
                                          std::size_t warp_first, std::uint32_t (&before)[Rows]) {
  std::uint32_t counts[Rows][1];
  std::uint32_t last = 0;  // from the warp's first item on
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    counts[r][0] = static_cast<std::uint32_t>(__popc(heads[r]));
    if (heads[r] != 0) last = (r * 32 + threadIdx.x % 32) * Group + (31U - __clz(heads[r]));
  }
  const std::uint32_t all = scan_rows(counts, before, plus{});
  if constexpr (Lengths) {
    return {all, all == 0 ? 0 : warp_first + combine_lanes<max>(last)};
  } else {
    return all;
  }
}

/// Puts the heads of this lane side by side with those of all others, from slot `first` of the warp on.
template <bool Lengths, unsigned Rows, unsigned Group, class K>
__device__ void stage_heads(const warp_rows<Rows, Group>& mine, const K (&loaded)[Rows][Group],
                            const std::uint32_t (&heads)[Rows], const std::uint32_t (&before)[Rows],
                            std::uint32_t first, std::size_t begin, tile_heads<K, Lengths>& to) {
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    std::uint32_t slot = first + before[r];
#pragma unroll
    for (unsigned k = 0; k < Group; ++k) {
      if ((heads[r] >> k & 1U) == 0) continue;
      to.values[slot] = loaded[r][k];
      if constexpr (Lengths) to.places[slot] = static_cast<std::uint16_t>(mine.at(r, k) - begin);
      ++slot;
    }
  }
}

/// Writes the runs that begin in a tile, and the lengths of those that end where they do.
template <bool Lengths, class K, class Length, class Count>
__device__ void write_runs(const tile_heads<K, Lengths>& heads, const warp_place<runs_state<Lengths>>& place,
                           std::size_t begin, const runs_out<K, Length, Count>& out) {
  const std::uint64_t before = runs_in<Lengths>(place.before_tile);
  const auto here = static_cast<std::uint32_t>(runs_in<Lengths>(place.of_tile));
  for (std::uint32_t i = threadIdx.x; i < here; i += tuning::runs_threads) {
    const std::uint64_t run = before + i;
    if (run < out.room) out.values[run] = heads.values[i];
    if constexpr (Lengths) {
      if (run == 0 || run > out.room) continue;
      const std::uint64_t previous = i == 0 ? place.before_tile.head : begin + heads.places[i - 1];
      out.lengths[run - 1] = static_cast<Length>(begin + heads.places[i] - previous);
    }
  }
}

template <bool Lengths, class K, class Length, class Count>
__global__ void __launch_bounds__(tuning::runs_threads, tuning::runs_blocks(Lengths))
    find_runs(const K* items, std::size_t n, runs_out<K, Length, Count> out, prefix_words words, std::uint32_t tiles) {
  using shape = runs_shape<K>;
  using rows = warp_rows<shape::rows, shape::group>;
  auto& staged = *shared_memory<tile_heads<K, Lengths>>();
  __shared__ tile_room<runs_state<Lengths>, tuning::runs_threads> room;
  wait_for_kernels_before();
  const std::uint32_t tile = room.take(words, tiles);
  const std::size_t begin = std::size_t{tile} * shape::tile;
  const rows mine(begin + threadIdx.x / 32 * rows::items, n);

  alignas(16) K loaded[shape::rows][shape::group];
  mine.load(loaded, items, aligned_for<K, shape::group>(items) && begin + shape::tile <= n);
  std::uint32_t heads[shape::rows];
  find_heads(mine, loaded, items, heads);
  std::uint32_t before[shape::rows];
  const auto of_warp = rank_heads<Lengths>(mine, heads, begin + threadIdx.x / 32 * rows::items, before);
  const auto place = room.find_place(of_warp, words, tile, tiles, join_runs{});
  const auto first = static_cast<std::uint32_t>(runs_in<Lengths>(place.before_warp));
  stage_heads<Lengths>(mine, loaded, heads, before, first, begin, staged);
  __syncthreads();
  write_runs<Lengths>(staged, place, begin, out);

  if (tile + 1 != tiles || threadIdx.x != 0) return;
  const auto all = join_runs{}(place.before_tile, place.of_tile);
  *out.count = static_cast<Count>(runs_in<Lengths>(all));
  if constexpr (Lengths) {
    if (all.count != 0 && all.count <= out.room) out.lengths[all.count - 1] = static_cast<Length>(n - all.head);
  }
}

}  // namespace peneira::detail

#endif
