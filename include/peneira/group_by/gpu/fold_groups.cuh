// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel that folds groups of sorted items: a scan of tiles by pairs of how many groups begin, and what was
// gathered since the last of them did. Where a group begins, the one before it ends: both are staged in shared memory,
// and written side by side a turn later.
//
//   keys      3 3 3 | 7 7 9 | 9 9 9      heads   1 0 0   1 0 1   0 0 0
//   values    1 2 4 | 8 1 2 | 4 8 1      pairs   (1, 7)  (2, 2)  (0, 13)   -->  3: 7   7: 9   9: 15
#pragma once

#include "peneira/gpu/exchange/tile_pipeline.cuh"
#include "peneira/gpu/primitives/run_heads.cuh"
#include "peneira/gpu/primitives/warp_rows.cuh"
#include "peneira/group_by/gpu/fold_shape.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Some sorted items: how many groups begin among them, and what was gathered from the last of these on, or else of
/// all. Heads is std::uint32_t within a tile.
template <class State, class Heads = std::uint64_t>
struct groups_so_far {
  static constexpr Heads some = Heads{1} << (8 * sizeof(Heads) - 1);
  Heads heads;  ///< groups that begin here; and `some`, where there are items
  [[no_unique_address]] State last;

  [[nodiscard]] __device__ Heads begun() const { return heads & ~some; }
  [[nodiscard]] __device__ bool has_items() const { return (heads & some) != 0; }
  [[nodiscard]] __device__ groups_so_far<State> wide() const {
    return {has_items() ? begun() | groups_so_far<State>::some : 0, last};
  }
};

/// Those of items and of the items behind them. Associative, where the folding's merge is, and never commutative.
template <class Folding>
struct join_groups {
  Folding by;

  template <class Heads>
  using value = groups_so_far<typename Folding::state, Heads>;

  template <class Heads>
  __device__ value<Heads> operator()(const value<Heads>& a, const value<Heads>& b) const {
    value<Heads> both = b;
    if (b.begun() == 0 && a.has_items()) {
      both.last = a.last;
      if (b.has_items()) by.merge(both.last, b.last);
    }
    both.heads = (a.begun() + b.begun()) | ((a.heads | b.heads) & value<Heads>::some);
    return both;
  }
  template <class T>
  __device__ T identity() const {
    return T{};
  }
};

/// Where keys of the first `room` groups go, and the number of all.
template <class K, class Count>
struct groups_out {
  K* unique_keys;
  Count* count;
  std::size_t room;

  /// A group begins at an item.
  __device__ void begin(std::uint64_t group, const K& key, std::size_t /*item*/) const {
    if (group < room) unique_keys[group] = key;
  }
  __device__ void end(std::uint64_t groups, std::size_t /*items*/) const { *count = static_cast<Count>(groups); }
};
/// The same, and where each begins, of which there is room for one more.
template <class K, class Offset, class Count>
struct group_offsets_out : groups_out<K, Count> {
  Offset* offsets;

  __device__ void begin(std::uint64_t group, const K& key, std::size_t item) const {
    groups_out<K, Count>::begin(group, key, item);
    if (group <= this->room) offsets[group] = static_cast<Offset>(item);
  }
  __device__ void end(std::uint64_t groups, std::size_t items) const {
    groups_out<K, Count>::end(groups, items);
    if (groups <= this->room) offsets[groups] = static_cast<Offset>(items);
  }
};

/// Heads of the groups that begin in a tile, side by side: where they are in it, and what is gathered from the head
/// before up to each, or from the tile's first item on.
template <class State, std::size_t Tile>
struct staged_groups {
  State upto[std::is_empty_v<State> ? 1 : Tile];
  std::uint16_t places[Tile];

  __device__ void put(std::size_t slot, std::size_t place, const State& gathered) {
    places[slot] = static_cast<std::uint16_t>(place);
    if constexpr (!std::is_empty_v<State>) upto[slot] = gathered;
  }
  /// What the group gathers that ends at a head; `before_tile` is what is before all of them.
  template <class Folding>
  __device__ State ended_at(std::uint32_t slot, const State& before_tile, const Folding& by) const {
    if constexpr (std::is_empty_v<State>) {
      return before_tile;
    } else {
      if (slot != 0) return upto[slot];
      State all = before_tile;
      if (places[0] != 0) by.merge(all, upto[0]);
      return all;
    }
  }
};

/// A thread's part of the work on a tile, as tile_pipeline wants it.
template <class K, class Folding, class Out>
class fold_work {
  using shape = fold_shape<K, Folding>;
  using state = typename Folding::state;
  using moved = typename Folding::moved;
  using join = join_groups<Folding>;
  using rows = warp_rows<shape::rows, shape::group>;
  using stage_of_tile = staged_groups<state, shape::tile>;
  using near = groups_so_far<state, std::uint32_t>;  ///< within a tile

 public:
  using value = groups_so_far<state>;

  __device__ fold_work(const view<const K, const moved>& items, const Folding& by, const Out& out, std::uint32_t tiles)
      : items_(items), by_(by), out_(out), tiles_(tiles), mine_(0, 0) {}

  __device__ void load(std::uint32_t tile) {
    begin_ = std::size_t{tile} * shape::tile;
    mine_ = rows(begin_ + threadIdx.x / 32 * rows::items, items_.size);
    const bool whole = begin_ + shape::tile <= items_.size;
    mine_.load(keys_, items_.keys, whole && aligned_for<K, shape::group>(items_.keys));
    if (threadIdx.x % 32 == 0 && mine_.has(0) && mine_.at(0) != 0) ahead_ = items_.keys[mine_.at(0) - 1];
    if constexpr (shape::has_values) {
      mine_.load(moved_, items_.values, whole && aligned_for<moved, shape::group>(items_.values));
    }
  }
  __device__ value rank() {
    find_heads(mine_, keys_, ahead_, heads_);
    near totals[shape::rows][1];
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) totals[r][0] = fold_row(r);
    return scan_rows(totals, before_, join{by_}).wide();
  }
  __device__ void stage(unsigned half, const value& before_warp, const value& /*of_tile*/) {
    const near before = narrow(before_warp);
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) {
      if (heads_[r] == 0) continue;
      const near upto = join{by_}(before, before_[r]);
      state gathered = upto.last;
      std::uint32_t slot = upto.begun();
#pragma unroll
      for (unsigned k = 0; k < shape::group; ++k) {
        if (is_head(r, k)) staged(half).put(slot++, mine_.at(r, k) - begin_, gathered);
        if (mine_.has(r, k)) go_on(gathered, r, k);
      }
    }
  }
  /// Writes keys of groups that begin in the tile, and results of those that end where they do.
  __device__ void write(unsigned half, std::uint32_t tile, const value& before_tile, const value& of_tile) {
    const stage_of_tile& heads = staged(half);
    const std::size_t begin = std::size_t{tile} * shape::tile;
    for (std::uint32_t i = threadIdx.x; i < of_tile.begun(); i += shape::threads) {
      const std::uint64_t group = before_tile.begun() + i;
      const std::size_t head = begin + heads.places[i];
      out_.begin(group, items_.keys[head], head);
      write_result(group, heads.ended_at(i, before_tile.last, by_));
    }
    if (tile + 1 != tiles_ || threadIdx.x != 0) return;
    const value all = join{by_}(before_tile, of_tile);
    write_result(all.begun(), all.last);
    out_.end(all.begun(), items_.size);
  }

 private:
  __device__ static near narrow(const value& of_tile) {
    const auto begun = static_cast<std::uint32_t>(of_tile.begun());
    return {of_tile.has_items() ? begun | near::some : 0, of_tile.last};
  }
  __device__ static stage_of_tile& staged(unsigned half) {
    return shared_memory<stage_of_tile>()[half];
  }

  /// Writes the result of the last of some groups, if there is one and room for it.
  __device__ void write_result(std::uint64_t groups, const state& gathered) const {
    if (groups != 0 && groups <= out_.room) by_.write(static_cast<std::size_t>(groups - 1), gathered);
  }
  [[nodiscard]] __device__ bool is_head(unsigned r, unsigned k) const {
    return (heads_[r] >> k & 1U) != 0;
  }
  /// What is gathered with the next item.
  __device__ void go_on(state& gathered, unsigned r, unsigned k) const {
    if (is_head(r, k)) {
      gathered = states_[r][k];
    } else {
      by_.merge(gathered, states_[r][k]);
    }
  }
  /// What this lane's items of a row come to; keeps what a group would gather of each item alone.
  __device__ near fold_row(unsigned r) {
    if (!mine_.has(r)) return {};
    if constexpr (shape::has_values) {
#pragma unroll
      for (unsigned k = 0; k < shape::group; ++k) {
        if (mine_.has(r, k)) states_[r][k] = by_.first(moved_[r][k]);
      }
    }
    state gathered = states_[r][0];
#pragma unroll
    for (unsigned k = 1; k < shape::group; ++k) {
      if (mine_.has(r, k)) go_on(gathered, r, k);
    }
    return {static_cast<std::uint32_t>(__popc(heads_[r])) | near::some, gathered};
  }

  view<const K, const moved> items_;
  const Folding& by_;
  const Out& out_;
  std::uint32_t tiles_;
  std::size_t begin_ = 0;
  rows mine_;
  alignas(16) K keys_[shape::rows][shape::group];
  alignas(16) moved moved_[shape::rows][shape::group];
  K ahead_;
  state states_[shape::rows][shape::group];
  std::uint32_t heads_[shape::rows];
  near before_[shape::rows];
};

/// Folds the groups of sorted items. `words` are clear when the kernel before has ended; of one tile nobody asks for
/// them.
template <class K, class Folding, class Out>
__global__ void __launch_bounds__(fold_shape<K, Folding>::threads, fold_shape<K, Folding>::blocks)
    fold_groups(view<const K, const typename Folding::moved> items, Folding by, Out out, prefix_words words,
                std::uint32_t tiles) {
  using work = fold_work<K, Folding, Out>;
  __shared__ tile_pipeline<typename work::value, fold_shape<K, Folding>::threads> pipeline;
  wait_for_kernels_before();
  work mine(items, by, out, tiles);
  pipeline.run(words, tiles, join_groups<Folding>{by}, mine);
}

/// Copies keys, as those that stand for their groups: a sort of them as they are would not keep their items' order.
template <class K>
__global__ void unify_keys(const K* keys, std::size_t n, K* to) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    to[i] = group_key(keys[i]);
  }
}

}  // namespace peneira::detail

#endif
