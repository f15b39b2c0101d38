// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels that fold items by tables in shared memory, where groups are few enough: no sort, one look at each item.
//
//   a block    a set of the keys it has met, and their numbers
//   a warp     its own stretch of the items, and a state for each group; while groups are very few, one a lane
//   a tile     some rows of each warp: keys -> numbers; keys that are new go in; states -> merged with items
//   the end    states of warps are merged in their order, then those of blocks, by whoever has the group
//
// Nothing depends on who comes first: a warp's items are merged in their order, or by lanes where the order does not
// matter, and when lanes no longer have room is known from the items alone. As soon as a block has too many groups, or
// all together have, a flag stops everybody.
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/group_by/gpu/fold_groups.cuh"
#include "peneira/group_by/gpu/group_set.cuh"
#include "peneira/group_by/gpu/table_shape.hpp"
#include "peneira/group_by/gpu/table_words.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"

namespace peneira::detail {

/// The bits of a group's key, as sets keep them.
template <class K>
using set_bits = std::conditional_t<sizeof(K) == 8, std::uint64_t, std::uint32_t>;

/// What blocks share: the groups of each part of the items.
template <class U, class State>
struct table_results {
  group_set<U, std::uint32_t> set;  ///< of the first part; those of others are behind it
  State* rows;                      ///< of what block b has of part p, row b + p: a state a group, by its number
  std::uint32_t* too_many;          ///< not 0: groups do not fit
};

/// Parts of the items, of which no two have a group in common, and that blocks share out evenly.
struct table_parts {
  const std::uint64_t* begins;  ///< and the end of the last; nullptr: one part, of all items
  std::uint32_t count;
  std::size_t share;            ///< neighbouring items of a block
  const std::uint32_t* wanted;  ///< 0: nobody asks for them; nullptr: somebody does

  [[nodiscard]] __device__ std::size_t begin(std::uint32_t part, std::size_t items) const {
    if (begins == nullptr) return part == 0 ? 0 : items;
    return begins[part];
  }
  /// The part that an item lies in.
  [[nodiscard]] __device__ std::uint32_t of(std::size_t item) const {
    std::uint32_t low = 0;
    std::uint32_t high = begins == nullptr ? 1 : count;
    while (low + 1 < high) {
      const std::uint32_t middle = (low + high) / 2;
      (begins[middle] <= item ? low : high) = middle;
    }
    return low;
  }
};

/// Some neighbouring items, and what is gathered of each: its value or its position, which may have moved with it.
template <class K, class Folding>
struct table_items {
  using moved = typename Folding::moved;
  view<const K, const moved> items;

  __device__ moved value(std::size_t at) const {
    if constexpr (Folding::by_position) {
      return items.values == nullptr ? static_cast<moved>(at) : items.values[at];
    } else if constexpr (view<K, moved>::has_values) {
      return items.values[at];
    } else {
      return {};
    }
  }
};

/// For rows of numbers, the lanes that hold the same one as this.
template <unsigned Rows>
__device__ void find_peers(const std::uint32_t (&numbers)[Rows], std::uint32_t (&peers)[Rows],
                           [[maybe_unused]] std::uint32_t none, [[maybe_unused]] std::uint32_t count) {
#ifdef PEERS_BALLOT
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    const std::uint32_t there = __ballot_sync(all_lanes, numbers[r] != none);
    peers[r] = numbers[r] != none ? there : ~there;
  }
#pragma unroll 1
  for (std::uint32_t bit = 1; bit < count; bit *= 2) {
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      const bool mine = (numbers[r] & bit) != 0;
      const std::uint32_t set = __ballot_sync(all_lanes, mine);
      peers[r] &= mine ? set : ~set;
    }
  }
#else
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) peers[r] = __match_any_sync(all_lanes, numbers[r]);
#endif
}

/// Of states of lanes, in the first of each set of peers, what theirs come to, in their order. A tree whose shape
/// depends on the peers alone.
template <class Folding>
__device__ void merge_peers(const Folding& by, typename Folding::state& mine, std::uint32_t peers) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t below = (1U << lane) - 1;
  std::uint32_t behind = peers & ~below & ~(1U << lane);
  unsigned rank = __popc(peers & below);
  while (__any_sync(all_lanes, behind != 0)) {
    const int next = __ffs(static_cast<int>(behind));
    const auto other = shuffled<direction::to_all>(mine, static_cast<unsigned>(next - 1));
    if (next != 0) by.merge(mine, other);
    behind &= __ballot_sync(all_lanes, rank % 2 == 0);
    rank /= 2;
  }
}

/// The states of a warp's groups: one a lane where there are few, or else one of all lanes.
template <class Folding>
class warp_states {
 public:
  using state = typename Folding::state;

  __device__ warp_states(void* memory, const Folding& by, std::uint32_t groups)
      : states_(static_cast<state*>(memory)), by_(by), groups_(groups), by_lanes_(Folding::commutative) {
    for (std::uint32_t s = threadIdx.x % 32; s < groups; s += 32) states_[s] = by_.nothing();
    __syncwarp();
  }
  /// Makes room for so many groups, where lanes have states of their own.
  __device__ void make_room(std::uint32_t count) {
    if (by_lanes_ && count * table_copies > groups_) join_lanes();
  }
  /// One state for each group from now on.
  __device__ void join_lanes() {
    if (!by_lanes_) return;  // as of operators that want their items in order
    by_lanes_ = false;
    __syncwarp();
    const unsigned lane = threadIdx.x % 32;
    const auto of_lanes = static_cast<std::uint32_t>(groups_ / table_copies);
    state kept[most_by_lanes / 32];
#pragma unroll
    for (unsigned k = 0; k < most_by_lanes / 32; ++k) {
      kept[k] = by_.nothing();
      if (32 * k + lane >= of_lanes) continue;
      for (unsigned other = 0; other < 32; ++other) {  // each begins elsewhere, or all would meet at a bank
        by_.merge(kept[k], states_[(32 * k + lane) * table_copies + (lane + other) % 32]);
      }
    }
    __syncwarp();
    for (std::uint32_t s = lane; s < groups_; s += 32) states_[s] = by_.nothing();
    __syncwarp();
#pragma unroll
    for (unsigned k = 0; k < most_by_lanes / 32; ++k) {
      if (32 * k + lane < of_lanes) states_[32 * k + lane] = kept[k];
    }
    __syncwarp();
  }
  /// Merges rows of items, of so many groups so far; those whose number is `none` are nobody's.
  template <unsigned Rows, class First>
  __device__ void add(const std::uint32_t (&numbers)[Rows], std::uint32_t none, std::uint32_t count,
                      const First& first) {
    if (by_lanes_) {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
        if (numbers[r] != none) by_.merge(states_[numbers[r] * table_copies + threadIdx.x % 32], first(r));
      }
      return;
    }
    std::uint32_t peers[Rows];
    find_peers(numbers, peers, none, count);
    const std::uint32_t below = (1U << threadIdx.x % 32) - 1;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      state mine = numbers[r] != none ? first(r) : by_.nothing();
      if (__any_sync(all_lanes, (peers[r] & below) != 0)) merge_peers(by_, mine, peers[r]);
      if ((peers[r] & below) == 0 && numbers[r] != none) by_.merge(states_[numbers[r]], mine);
      __syncwarp();
    }
  }

 private:
  static constexpr std::size_t most_states = tuning::tables_part_bytes / sizeof(state);
  static constexpr unsigned most_by_lanes = (most_states / table_copies + 31) / 32 * 32;

  state* states_;
  const Folding& by_;
  std::uint32_t groups_;
  bool by_lanes_;
};

/// A warp's stretch of the items, some rows at a time: while one is at work on them, the next are on their way.
template <class K, class Folding, unsigned Rows>
class table_tile {
  using U = set_bits<K>;
  using moved = typename Folding::moved;

 public:
  __device__ table_tile(const table_items<K, Folding>& from, std::size_t begin, std::size_t end)
      : from_(from), at_(begin + threadIdx.x % 32), end_(end) {
    measure();
    load_keys();
    load_values();
  }
  [[nodiscard]] __device__ bool has(unsigned r) const { return 32 * r < left_; }
  __device__ void get_bits(U (&bits)[Rows]) const {
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) bits[r] = static_cast<U>(group_bits(keys_[r]));
  }
  /// Sends for what comes next; values are those of now, and keys are no longer there.
  __device__ void go_on(moved (&values)[Rows]) {
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) values[r] = values_[r];
    at_ += 32 * Rows;
    measure();
    load_keys();
    load_values();
  }

 private:
  __device__ void measure() {
    left_ = at_ < end_ ? static_cast<std::uint32_t>(::min(end_ - at_, std::size_t{32 * Rows})) : 0;
  }
  __device__ void load_keys() {
    const K* const from = from_.items.keys + at_;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (has(r)) keys_[r] = from[32 * r];
    }
  }
  __device__ void load_values() {
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (has(r)) values_[r] = from_.value(at_ + 32 * r);
    }
  }

  table_items<K, Folding> from_;
  std::size_t at_;
  std::size_t end_;
  std::uint32_t left_ = 0;
  K keys_[Rows] = {};
  moved values_[Rows] = {};
};

/// A block's own memory, and what it does with neighbouring items of one part.
template <class K, class Folding>
class table_block {
  using U = set_bits<K>;
  using state = typename Folding::state;
  using source = table_items<K, Folding>;
  using results = table_results<U, state>;
  using block_set = group_set<U, std::uint16_t>;
  using global_set = group_set<U, std::uint32_t>;
  static constexpr bool gathers = !std::is_empty_v<state>;
  static constexpr unsigned rows = table_rows(sizeof(state));

 public:
  /// What its threads share, beside the dynamic shared memory.
  struct words {
    std::uint32_t count;
    std::uint32_t stop;
  };

  __device__ table_block(unsigned char* memory, words& shared, const block_table_shape& shape, const Folding& by)
      : shape_(shape), by_(by), states_(memory), shared_(shared) {
    unsigned char* const keys = memory + shape.warps * shape.warp_bytes();
    auto* const links = reinterpret_cast<std::uint16_t*>(keys + ((shape.groups + 1) * sizeof(U) + 15) / 16 * 16);
    const auto shift = static_cast<std::uint32_t>(__clz(static_cast<int>(shape.heads)) + 1);
    set_ = {reinterpret_cast<U*>(keys), links, links + shape.groups, &shared.count, shape.groups, shift};
    if (threadIdx.x == 0) shared.stop = 0;
  }
  /// Folds items from `begin` to before `end`. Returns whether to go on: not where somebody has too many groups.
  __device__ bool fold(const source& items, std::size_t begin, std::size_t end, const results& out) {
    __syncthreads();
    for (std::uint32_t h = threadIdx.x; h < shape_.heads; h += blockDim.x)
      set_.heads[h] = static_cast<std::uint16_t>(shape_.groups);
    if (threadIdx.x == 0) {
      shared_.count = 0;
      set_.keys[shape_.groups] = 0;
    }
    const unsigned warp = threadIdx.x / 32;
    warp_states<Folding> mine(states_ + warp * shape_.warp_bytes(), by_, gathers ? shape_.groups : 0);
    __syncthreads();
    constexpr std::size_t tile_items = 32 * rows;
    const std::size_t tiles = ((end - begin) / shape_.warps + tile_items) / tile_items;
    const std::size_t first = ::min(begin + warp * tiles * tile_items, end);
    table_tile<K, Folding, rows> tile(items, first, ::min(first + tiles * tile_items, end));
    bool stops = false;
    for (std::size_t t = 0; t < tiles; ++t) {
      std::uint32_t numbers[rows];
      if (!find_numbers(tile, numbers, out, stops)) return false;
      typename Folding::moved values[rows];
      tile.go_on(values);
      stops = threadIdx.x == 0 && *static_cast<volatile std::uint32_t*>(out.too_many) != 0;
      if constexpr (gathers) {
        const std::uint32_t count = shared_.count;
        mine.make_room(count);
        mine.template add<rows>(numbers, shape_.groups, count, [&](unsigned r) { return by_.first(values[r]); });
      }
    }
    if constexpr (gathers) mine.join_lanes();
    __syncthreads();
    return true;
  }
  /// Gives what was gathered to all, in a row; `alone` where nobody else has items of the part.
  __device__ void publish(const results& out, const global_set& set, std::size_t row, bool alone) const {
    state* const to = out.rows + row * shape_.groups;
    if constexpr (gathers) {
      if (!alone) {
        for (std::uint32_t g = threadIdx.x; g < shape_.groups; g += blockDim.x) to[g] = by_.nothing();
        __syncthreads();
      }
    }
    for (std::uint32_t g = threadIdx.x; g < shared_.count; g += blockDim.x) {
      std::uint32_t number = g;
      if (alone) {
        set.keys[g] = set_.keys[g];
      } else {
        number = set.insert(set_.keys[g]);
      }
      if (number == set.most) {
        raise(out.too_many);
        break;
      }
      if constexpr (gathers) to[number] = of_all_warps(g);
    }
    if (alone && threadIdx.x == 0) *set.count = shared_.count;
  }

 private:
  __device__ static void raise(std::uint32_t* flag) { *static_cast<volatile std::uint32_t*>(flag) = 1; }

  /// The numbers of a tile's keys, where those that are new get theirs. All threads of the block call; `stops` says
  /// that somebody has too many groups.
  __device__ bool find_numbers(const table_tile<K, Folding, rows>& tile, std::uint32_t (&numbers)[rows],
                               const results& out, bool stops) {
    U bits[rows];
    tile.get_bits(bits);
    set_.find(bits, numbers);
    bool missing = false;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      if (!tile.has(r)) numbers[r] = shape_.groups;
      missing = missing || (tile.has(r) && numbers[r] == shape_.groups);
    }
    if (stops) shared_.stop = 1;
    if (__syncthreads_or(missing || stops ? 1 : 0) == 0) return true;
    if (shared_.stop != 0) return false;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      bool is_new = tile.has(r) && numbers[r] == shape_.groups;
      while (__any_sync(all_lanes, is_new)) {
        if (is_new) is_new = !set_.try_to_insert(bits[r], numbers[r]);
      }
    }
    __syncthreads();
    if (shared_.count <= shape_.groups) return true;
    if (threadIdx.x == 0) raise(out.too_many);
    return false;
  }
  /// What all warps have gathered of a group, in their order.
  __device__ state of_all_warps(std::uint32_t group) const {
    state all = reinterpret_cast<const state*>(states_)[group];
    for (std::uint32_t w = 1; w < shape_.warps; ++w) {
      by_.merge(all, reinterpret_cast<const state*>(states_ + w * shape_.warp_bytes())[group]);
    }
    return all;
  }

  const block_table_shape& shape_;
  const Folding& by_;
  unsigned char* states_;
  words& shared_;
  block_set set_;
};

/// Folds what each block has of each part.
template <class K, class Folding>
__global__ void __launch_bounds__(32 * tuning::tables_most_warps, 1)
    fold_tables(view<const K, const typename Folding::moved> items, Folding by, block_table_shape shape,
                table_results<set_bits<K>, typename Folding::state> out, table_parts parts) {
  __shared__ typename table_block<K, Folding>::words words;
  table_block<K, Folding> block(shared_memory<unsigned char>(), words, shape, by);
  wait_for_kernels_before();
  if (parts.wanted != nullptr && *parts.wanted == 0) return;
  const std::size_t begin = ::min(blockIdx.x * parts.share, items.size);
  const std::size_t end = ::min(begin + parts.share, items.size);
  if (begin == end) return;
  for (std::uint32_t part = parts.of(begin); part < parts.count; ++part) {
    const std::size_t first = parts.begin(part, items.size);
    const std::size_t last = parts.begin(part + 1, items.size);
    if (first >= end) return;
    if (::max(first, begin) >= ::min(last, end)) continue;
    if (!block.fold({items}, ::max(first, begin), ::min(last, end), out)) return;
    block.publish(out, out.set.at(part, shape.heads), blockIdx.x + part, begin <= first && last <= end);
  }
}

/// Of one part, a warp a group: how many keys come before it says where it goes; what blocks have gathered is merged in
/// their order.
template <class K, class Folding, class Count>
__global__ void __launch_bounds__(tuning::merge_threads)
    merge_tables(Folding by, table_results<set_bits<K>, typename Folding::state> in, std::uint32_t blocks,
                 std::uint32_t groups_a_block, key_order<bits_of<K>> by_key, groups_out<K, Count> out) {
  using U = set_bits<K>;
  using state = typename Folding::state;
  wait_for_kernels_before();
  if (*in.too_many != 0) return;
  const std::uint32_t count = *in.set.count;
  const std::uint32_t group = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (group == 0 && threadIdx.x == 0) out.end(count, 0);
  if (group >= count) return;
  const unsigned lane = threadIdx.x % 32;
  const U bits = in.set.keys[group];
  const auto place_of = [&](U key) { return by_key(static_cast<bits_of<K>>(key)); };
  std::uint32_t smaller = 0;
  for (std::uint32_t g = lane; g < count; g += 32) smaller += place_of(in.set.keys[g]) < place_of(bits) ? 1 : 0;
  const std::uint32_t rank = combine_lanes<plus>(smaller);
  state all = by.nothing();
  if constexpr (!std::is_empty_v<state>) {
    const std::uint32_t a_lane = (blocks + 31) / 32;
    for (std::uint32_t b = lane * a_lane; b < ::min((lane + 1) * a_lane, blocks); ++b) {
      by.merge(all, in.rows[std::size_t{b} * groups_a_block + group]);
    }
    merge_peers(by, all, all_lanes);
  }
  if (lane != 0 || rank >= out.room) return;
  out.begin(rank, key_of_bits<K>(static_cast<bits_of<K>>(bits)), 0);
  by.write(rank, all);
}

/// Nothing is in the set of all blocks, and nothing is known.
template <class U>
__global__ void clear_tables(group_set<U, std::uint32_t> set, std::uint32_t heads, table_words* words) {
  let_next_kernel_start();
  for (std::uint32_t h = blockIdx.x * blockDim.x + threadIdx.x; h < heads; h += gridDim.x * blockDim.x) {
    set.heads[h] = set.most;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *words = {};
}

}  // namespace peneira::detail

#endif
