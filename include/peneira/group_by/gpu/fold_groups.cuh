// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel that folds groups of sorted items: a scan of tiles by pairs of how many groups begin, and what was
// gathered since the last of them did. Whoever finds where a group begins writes the one before it.
//
//   keys      3 3 3 | 7 7 9 | 9 9 9      heads   1 0 0   1 0 1   0 0 0
//   values    1 2 4 | 8 1 2 | 4 8 1      pairs   (1, 7)  (2, 2)  (0, 13)   -->  3: 7   7: 9   9: 15
#pragma once

#include "peneira/gpu/exchange/tile_prefixes.cuh"
#include "peneira/gpu/primitives/run_heads.cuh"
#include "peneira/gpu/primitives/warp_rows.cuh"
#include "peneira/group_by/gpu/fold_shape.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Some sorted items: how many groups begin among them, and what was gathered from the last of these on, or else of
/// all.
template <class State>
struct groups_so_far {
  static constexpr std::uint64_t some = std::uint64_t{1} << 63U;
  std::uint64_t heads;  ///< groups that begin here; and `some`, where there are items
  State last;

  [[nodiscard]] __device__ std::uint64_t begun() const { return heads & ~some; }
  [[nodiscard]] __device__ bool has_items() const { return (heads & some) != 0; }
};

/// Those of items and of the items behind them. Associative, where the folding's merge is, and never commutative.
template <class Folding>
struct join_groups {
  using value = groups_so_far<typename Folding::state>;
  Folding by;

  __device__ value operator()(const value& a, const value& b) const {
    value both = b;
    if (b.begun() == 0 && a.has_items()) {
      both.last = a.last;
      if (b.has_items()) by.merge(both.last, b.last);
    }
    both.heads = (a.begun() + b.begun()) | ((a.heads | b.heads) & value::some);
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

/// A lane's items of a tile.
template <class K, class Folding>
class fold_lane {
  using shape = fold_shape<K, Folding>;
  using state = typename Folding::state;
  using moved = typename Folding::moved;
  using join = join_groups<Folding>;

 public:
  using value = groups_so_far<state>;
  using rows = warp_rows<shape::rows, shape::group>;

  __device__ fold_lane(const view<const K, const moved>& items, std::size_t begin, const Folding& by)
      : mine_(begin + threadIdx.x / 32 * rows::items, items.size), by_(by) {
    const bool whole = begin + shape::tile <= items.size && aligned_for<K, shape::group>(items.keys);
    mine_.load(keys_, items.keys, whole);
    K ahead{};
    if (threadIdx.x % 32 == 0 && mine_.has(0) && mine_.at(0) != 0) ahead = items.keys[mine_.at(0) - 1];
    load_states(items, whole);
    find_heads(mine_, keys_, ahead, heads_);
  }
  /// What the items of the warp come to; keeps what those before this lane's do, row by row.
  __device__ value fold() {
    value totals[shape::rows][1];
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) {
      totals[r][0] = value{};
      if (!mine_.has(r)) continue;
      state gathered = states_[r][0];
#pragma unroll
      for (unsigned k = 1; k < shape::group; ++k) {
        if (mine_.has(r, k)) go_on(gathered, r, k);
      }
      totals[r][0] = {static_cast<std::uint64_t>(__popc(heads_[r])) | value::some, gathered};
    }
    return scan_rows(totals, before_, join{by_});
  }
  /// Writes keys of groups that begin here, and results of those that end there; `others` is what is before the warp.
  template <class Out>
  __device__ void write(const value& others, const Out& out) const {
#pragma unroll
    for (unsigned r = 0; r < shape::rows; ++r) {
      if (heads_[r] == 0) continue;
      const value upto = join{by_}(others, before_[r]);
      state gathered = upto.last;
      std::uint64_t group = upto.begun();
#pragma unroll
      for (unsigned k = 0; k < shape::group; ++k) {
        if (is_head(r, k)) {
          out.begin(group, keys_[r][k], mine_.at(r, k));
          if (group != 0 && group <= out.room) by_.write(static_cast<std::size_t>(group - 1), gathered);
          ++group;
        }
        if (mine_.has(r, k)) go_on(gathered, r, k);
      }
    }
  }

 private:
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
  /// What a group would gather of each item alone.
  __device__ void load_states([[maybe_unused]] const view<const K, const moved>& items, [[maybe_unused]] bool whole) {
    if constexpr (shape::has_values) {
      alignas(16) moved loaded[shape::rows][shape::group];
      mine_.load(loaded, items.values, whole && aligned_for<moved, shape::group>(items.values));
#pragma unroll
      for (unsigned r = 0; r < shape::rows; ++r) {
#pragma unroll
        for (unsigned k = 0; k < shape::group; ++k) {
          if (mine_.has(r, k)) states_[r][k] = by_.first(loaded[r][k]);
        }
      }
    }
  }

  rows mine_;
  const Folding& by_;
  alignas(16) K keys_[shape::rows][shape::group];
  state states_[shape::rows][shape::group];
  std::uint32_t heads_[shape::rows];
  value before_[shape::rows];
};

/// A tile of sorted items a block, or where there are fewer blocks one after the other. `words` are clear when the
/// kernel before has ended; of one tile nobody asks for them. *wanted says whether to do anything; nullptr: yes.
template <class K, class Folding, class Out>
__global__ void __launch_bounds__(tuning::fold_threads, fold_shape<K, Folding>::blocks)
    fold_groups(view<const K, const typename Folding::moved> items, Folding by, Out out, prefix_words words,
                std::uint32_t tiles, const std::uint32_t* wanted) {
  using lane = fold_lane<K, Folding>;
  __shared__ tile_room<typename lane::value, tuning::fold_threads> room;
  wait_for_kernels_before();
  if (wanted != nullptr && *wanted == 0) return;
#pragma unroll 1
  for (std::uint32_t tile = 0; (tile = room.take(words, tiles)) < tiles;) {
    const join_groups<Folding> join{by};
    lane mine(items, std::size_t{tile} * fold_shape<K, Folding>::tile, by);
    const auto place = room.find_place(mine.fold(), words, tile, tiles, join);
    mine.write(join(place.before_tile, place.before_warp), out);
    if (tile + 1 == tiles && threadIdx.x == 0) {
      const auto all = join(place.before_tile, place.of_tile);
      if (all.begun() != 0 && all.begun() <= out.room) by.write(static_cast<std::size_t>(all.begun() - 1), all.last);
      out.end(all.begun(), items.size);
    }
    if (gridDim.x >= tiles) return;
  }
}

/// Copies keys, as those that stand for their groups: a sort of them as they are would not keep their items' order.
template <class K>
__global__ void unify_keys(const K* keys, std::size_t n, K* to, const std::uint32_t* wanted) {
  if (wanted != nullptr && *wanted == 0) return;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    to[i] = group_key(keys[i]);
  }
}

}  // namespace peneira::detail

#endif
