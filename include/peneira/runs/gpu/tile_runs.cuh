// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of unique and run_lengths: heads of runs are ranked within a tile, put side by side in shared memory, and
// written behind those of the tiles before, a turn later.
#pragma once

#include <type_traits>

#include "peneira/gpu/exchange/tile_pipeline.cuh"
#include "peneira/gpu/primitives/run_heads.cuh"
#include "peneira/gpu/primitives/warp_rows.cuh"
#include "peneira/runs/gpu/tile_shape.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Runs that begin in some items, and where the last of them does; Index is std::uint32_t where all places fit, so that
/// both are published by one store.
template <class Index>
struct runs_so_far {
  Index count;
  Index head;  ///< 0 where there are none
};

/// The runs of items and of those behind them.
struct join_runs {
  static constexpr bool commutative = true;
  template <class Index>
  PENEIRA_HD runs_so_far<Index> operator()(const runs_so_far<Index>& a, const runs_so_far<Index>& b) const {
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

/// Of what blocks tell each other of a tile: its runs, and where lengths are wanted the last head, too.
template <class State>
inline constexpr bool with_lengths = !std::is_same_v<State, std::uint64_t>;
template <class State>
__device__ std::uint64_t runs_in(const State& state) {
  if constexpr (with_lengths<State>) {
    return state.count;
  } else {
    return state;
  }
}

/// Heads of the runs of a tile, side by side.
template <class State, class K>
struct tile_heads {
  static constexpr std::size_t tile = runs_shape<K>::tile;
  K values[tile];
  std::uint16_t places[with_lengths<State> ? tile : 1];  ///< in the tile
};

/// The runs of a warp whose lanes have these heads in their rows; `before` becomes those before this lane in a row.
template <class State, unsigned Rows, unsigned Group>
__device__ State rank_heads(const warp_rows<Rows, Group>& /*mine*/, const std::uint32_t (&heads)[Rows],
                            std::size_t warp_first, std::uint32_t (&before)[Rows]) {
  std::uint32_t counts[Rows][1];
  std::uint32_t last = 0;  // from the warp's first item on
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    counts[r][0] = static_cast<std::uint32_t>(__popc(heads[r]));
    if (heads[r] != 0) last = (r * 32 + threadIdx.x % 32) * Group + (31U - __clz(heads[r]));
  }
  const std::uint32_t all = scan_rows(counts, before, plus{});
  if constexpr (with_lengths<State>) {
    using index = decltype(State::head);
    return {all, all == 0 ? 0 : static_cast<index>(warp_first + combine_lanes<max>(last))};
  } else {
    return all;
  }
}

/// Puts the heads of this lane side by side with those of all others, from slot `first` of the warp on.
template <class State, unsigned Rows, unsigned Group, class K>
__device__ void stage_heads(const warp_rows<Rows, Group>& mine, const K (&loaded)[Rows][Group],
                            const std::uint32_t (&heads)[Rows], const std::uint32_t (&before)[Rows],
                            std::uint32_t first, std::size_t begin, tile_heads<State, K>& to) {
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    std::uint32_t slot = first + before[r];
#pragma unroll
    for (unsigned k = 0; k < Group; ++k) {
      if ((heads[r] >> k & 1U) == 0) continue;
      to.values[slot] = loaded[r][k];
      if constexpr (with_lengths<State>) to.places[slot] = static_cast<std::uint16_t>(mine.at(r, k) - begin);
      ++slot;
    }
  }
}

/// Writes the runs that begin in a tile, of which `here` are staged, and the lengths of those that end where they do.
template <class State, class K, class Length, class Count>
__device__ void write_runs(const tile_heads<State, K>& heads, const State& before_tile, std::uint32_t here,
                           std::size_t begin, const runs_out<K, Length, Count>& out) {
  const std::uint64_t before = runs_in(before_tile);
  for (std::uint32_t i = threadIdx.x; i < here; i += tuning::runs_threads) {
    const std::uint64_t run = before + i;
    if (run < out.room) out.values[run] = heads.values[i];
    if constexpr (with_lengths<State>) {
      if (run == 0 || run > out.room) continue;
      const std::uint64_t previous = i == 0 ? before_tile.head : begin + heads.places[i - 1];
      out.lengths[run - 1] = static_cast<Length>(begin + heads.places[i] - previous);
    }
  }
}

/// A thread's part of the work on a tile, as tile_pipeline wants it.
template <class State, class K, class Length, class Count>
class runs_work {
 public:
  __device__ runs_work(const K* items, std::size_t n, const runs_out<K, Length, Count>& out, std::uint32_t tiles)
      : items_(items), n_(n), out_(out), tiles_(tiles), mine_(0, 0) {}

  __device__ void load(std::uint32_t tile) {
    begin_ = std::size_t{tile} * shape::tile;
    mine_ = rows(warp_first(), n_);
    mine_.load(loaded_, items_, aligned_for<K, shape::group>(items_) && begin_ + shape::tile <= n_);
    if (threadIdx.x % 32 == 0 && mine_.has(0) && mine_.at(0) != 0) ahead_ = items_[mine_.at(0) - 1];
  }
  __device__ State rank() {
    find_heads(mine_, loaded_, ahead_, heads_);
    return rank_heads<State>(mine_, heads_, warp_first(), before_);
  }
  __device__ void stage(unsigned half, const State& before_warp, const State& /*of_tile*/) {
    const auto first = static_cast<std::uint32_t>(runs_in(before_warp));
    stage_heads(mine_, loaded_, heads_, before_, first, begin_, staged(half));
  }
  __device__ void know(const State& /*all*/) const {}
  __device__ void write(unsigned half, std::uint32_t tile, const State& before_tile, const State& of_tile) {
    const auto here = static_cast<std::uint32_t>(runs_in(of_tile));
    write_runs(staged(half), before_tile, here, std::size_t{tile} * shape::tile, out_);
    if (tile + 1 == tiles_ && threadIdx.x == 0) write_end(join_runs{}(before_tile, of_tile));
  }

 private:
  using shape = runs_shape<K>;
  using rows = warp_rows<shape::rows, shape::group>;

  __device__ static tile_heads<State, K>& staged(unsigned half) { return shared_memory<tile_heads<State, K>>()[half]; }
  [[nodiscard]] __device__ std::size_t warp_first() const { return begin_ + threadIdx.x / 32 * rows::items; }
  /// How many runs there are in all, and how long the last one is.
  __device__ void write_end(const State& all) const {
    *out_.count = static_cast<Count>(runs_in(all));
    if constexpr (with_lengths<State>) {
      if (all.count != 0 && all.count <= out_.room) out_.lengths[all.count - 1] = static_cast<Length>(n_ - all.head);
    }
  }

  const K* items_;
  std::size_t n_;
  runs_out<K, Length, Count> out_;
  std::uint32_t tiles_;
  std::size_t begin_ = 0;
  rows mine_;
  alignas(16) K loaded_[shape::rows][shape::group];
  K ahead_;
  std::uint32_t heads_[shape::rows];
  std::uint32_t before_[shape::rows];
};

template <class State, class K, class Length, class Count>
__global__ void __launch_bounds__(tuning::runs_threads, tuning::runs_blocks)
    find_runs(const K* items, std::size_t n, runs_out<K, Length, Count> out, prefix_words words, std::uint32_t tiles) {
  __shared__ tile_pipeline<State, tuning::runs_threads> pipeline;
  runs_work<State, K, Length, Count> mine(items, n, out, tiles);
  pipeline.run(words, tiles, join_runs{}, mine);
}

/// The same by one cluster.
template <class State, class K, class Length, class Count>
__global__ void __launch_bounds__(tuning::runs_threads, tuning::runs_blocks)
    find_runs_in_cluster(const K* items, std::size_t n, runs_out<K, Length, Count> out, std::uint32_t tiles) {
  __shared__ tile_pipeline<State, tuning::runs_threads> pipeline;
  runs_work<State, K, Length, Count> mine(items, n, out, tiles);
  pipeline.run_in_cluster(tiles, join_runs{}, mine);
}

}  // namespace peneira::detail

#endif
