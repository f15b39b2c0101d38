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
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"

namespace peneira::detail {

/// The bits of a group's key, as sets keep them.
template <class K>
using set_bits = std::conditional_t<sizeof(K) == 8, std::uint64_t, std::uint32_t>;

/// What blocks share.
template <class U, class State>
struct table_results {
  group_set<U, std::uint32_t> set;
  State* states;            ///< of the groups of each block, by their numbers in the set
  std::uint32_t* too_many;  ///< not 0: groups do not fit
};

/// Items as columns: keys, and what is gathered of each, by value or by position.
template <class K, class Folding>
struct table_items {
  using moved = typename Folding::moved;
  using state = typename Folding::state;
  static constexpr bool has_values = !Folding::by_position && view<K, moved>::has_values;

  view<const K, const moved> items;

  __device__ moved value(std::size_t at) const {
    if constexpr (has_values) {
      return items.values[at];
    } else {
      return moved{};
    }
  }
  __device__ static state first(const Folding& by, const moved& value, [[maybe_unused]] std::size_t at) {
    if constexpr (Folding::by_position) {
      return by.first(static_cast<moved>(at));
    } else {
      return by.first(value);
    }
  }
};

/// The lanes that hold the same number as this one.
__device__ inline std::uint32_t peers_of(std::uint32_t number) {
#ifdef PEERS_BALLOT
  std::uint32_t peers = all_lanes;
#pragma unroll
  for (int b = 0; b < 13; ++b) {
    const bool mine = number >> b & 1U;
    const std::uint32_t set = __ballot_sync(all_lanes, mine);
    peers &= mine ? set : ~set;
  }
  return peers;
#else
  return __match_any_sync(all_lanes, number);
#endif
}

/// Of states of lanes, in the first of each set of peers, what theirs come to, in their order. A tree whose shape
/// depends on the peers alone.
template <class Folding>
__device__ void merge_peers(const Folding& by, typename Folding::state& mine, std::uint32_t peers) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t below = (1U << lane) - 1;
  unsigned rank = __popc(peers & below);
  std::uint32_t behind = peers & ~below & ~(1U << lane);
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
    if (!by_lanes_) return;
    by_lanes_ = false;
    __syncwarp();
    const unsigned lane = threadIdx.x % 32;
    const auto of_lanes = static_cast<std::uint32_t>(groups_ / table_copies);
    state kept[most_by_lanes / 32];
#pragma unroll
    for (unsigned k = 0; k < most_by_lanes / 32; ++k) {
      kept[k] = by_.nothing();
      for (std::uint32_t g = 32 * k; g < 32 * k + 32 && g < of_lanes; ++g) {
        state all = states_[g * table_copies + lane];
        merge_peers(by_, all, all_lanes);
        all = shuffled<direction::to_all>(all, 0);
        if (lane == g % 32) kept[k] = all;
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
  /// Merges rows of items; those whose number is `none` are nobody's.
  template <unsigned Rows, class First>
  __device__ void add(const std::uint32_t (&numbers)[Rows], std::uint32_t none, const First& first) {
    if (by_lanes_) {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
        if (numbers[r] != none) by_.merge(states_[numbers[r] * table_copies + threadIdx.x % 32], first(r));
      }
      return;
    }
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      const std::uint32_t peers = peers_of(numbers[r]);
      state mine = numbers[r] != none ? first(r) : by_.nothing();
      merge_peers(by_, mine, peers);
      const bool leads = __ffs(static_cast<int>(peers)) - 1 == static_cast<int>(threadIdx.x % 32);
      if (leads && numbers[r] != none) by_.merge(states_[numbers[r]], mine);
      __syncwarp();
    }
  }

 private:
  static constexpr std::size_t most_states = tuning::tables_warp_bytes / sizeof(state);
  static constexpr unsigned most_by_lanes = (most_states / table_copies + 31) / 32 * 32;

  state* states_;
  const Folding& by_;
  std::uint32_t groups_;
  bool by_lanes_;
};

/// A warp's stretch of the items, some rows at a time.
template <class K, class Folding, unsigned Rows>
class table_rows_of_warp {
  using source = table_items<K, Folding>;

 public:
  __device__ table_rows_of_warp(const source& from, std::size_t begin, std::size_t end)
      : from_(from), at_(begin + threadIdx.x % 32), end_(end) {
    load();
  }
  /// Takes what was on its way, and sends for the rows behind.
  __device__ void take() {
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      keys[r] = next_keys_[r];
      values[r] = next_values_[r];
    }
    first_ = at_;
    at_ += 32 * Rows;
    load();
  }
  [[nodiscard]] __device__ bool has(unsigned r) const { return position(r) < end_; }
  [[nodiscard]] __device__ std::size_t position(unsigned r) const { return first_ + 32 * r; }

  K keys[Rows];
  typename Folding::moved values[Rows];

 private:
  __device__ void load() {
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      if (at_ + 32 * r >= end_) break;
      next_keys_[r] = from_.items.keys[at_ + 32 * r];
      next_values_[r] = from_.value(at_ + 32 * r);
    }
  }

  const source& from_;
  std::size_t first_ = 0;
  std::size_t at_;
  std::size_t end_;
  K next_keys_[Rows] = {};
  typename Folding::moved next_values_[Rows] = {};
};

/// What a block knows of its set, beside the set itself.
struct table_block {
  std::uint32_t count;
  std::uint32_t stop;
};

/// What the states of a block's warps come to goes out, group by group, and its keys into the set of all blocks.
template <class U, class Folding>
__device__ void publish_table(const group_set<U, std::uint16_t>& set, const Folding& by, unsigned char* states,
                              const block_table_shape& shape, const table_results<U, typename Folding::state>& out) {
  using state = typename Folding::state;
  for (std::uint32_t g = threadIdx.x; g < *set.count; g += blockDim.x) {
    const std::uint32_t number = out.set.insert(set.keys[g]);
    if (number == out.set.none) {
      *static_cast<volatile std::uint32_t*>(out.too_many) = 1;
      return;
    }
    if constexpr (!std::is_empty_v<state>) {
      state all = reinterpret_cast<const state*>(states)[g];
      for (std::uint32_t w = 1; w < shape.warps; ++w) {
        by.merge(all, reinterpret_cast<const state*>(states + w * shape.warp_bytes())[g]);
      }
      out.states[std::size_t{blockIdx.x} * shape.groups + number] = all;
    }
  }
}

/// `stretch` items a warp, of all warps of all blocks one behind the other.
template <class K, class Folding>
__global__ void __launch_bounds__(32 * tuning::tables_most_warps, 1)
    fold_tables(view<const K, const typename Folding::moved> items, Folding by, block_table_shape shape,
                table_results<set_bits<K>, typename Folding::state> out, std::size_t stretch) {
  using U = set_bits<K>;
  using state = typename Folding::state;
  using block_set = group_set<U, std::uint16_t>;
  constexpr unsigned rows = table_rows(sizeof(state));
  __shared__ table_block block;
  auto* const memory = shared_memory<unsigned char>();
  auto* const set_memory = memory + shape.warps * shape.warp_bytes();
  auto* const links = reinterpret_cast<std::uint16_t*>(set_memory + (shape.groups * sizeof(U) + 15) / 16 * 16);
  const auto shift = static_cast<std::uint32_t>(__clz(static_cast<int>(shape.heads)) + 33);
  const block_set set{reinterpret_cast<U*>(set_memory), links, links + shape.groups, &block.count, shape.groups, shift};
  for (std::uint32_t h = threadIdx.x; h < shape.heads; h += blockDim.x) set.heads[h] = block_set::none;
  if (threadIdx.x == 0) block = {};
  constexpr bool gathers = !std::is_empty_v<state>;
  const unsigned warp = threadIdx.x / 32;
  warp_states<Folding> mine(memory + warp * shape.warp_bytes(), by, gathers ? shape.groups : 0);
  wait_for_kernels_before();
  if constexpr (gathers) {
    state* const row = out.states + std::size_t{blockIdx.x} * shape.groups;
    for (std::uint32_t g = threadIdx.x; g < shape.groups; g += blockDim.x) row[g] = by.nothing();
  }
  __syncthreads();

  const std::size_t begin = (std::size_t{blockIdx.x} * shape.warps + warp) * stretch;
  const table_items<K, Folding> source{items};
  const std::size_t end = ::min(begin + stretch, items.size);
  table_rows_of_warp<K, Folding, rows> tile(source, begin, end);
  for (std::size_t t = 0; t < stretch; t += 32 * rows) {
    tile.take();
    const std::uint32_t stopped = threadIdx.x == 0 ? *static_cast<volatile std::uint32_t*>(out.too_many) : 0;
    std::uint32_t numbers[rows];
    bool missing = false;
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      numbers[r] = block_set::none;
      if (tile.has(r)) numbers[r] = set.find(static_cast<U>(group_bits(tile.keys[r])));
      missing = missing || (tile.has(r) && numbers[r] == block_set::none);
    }
    if (stopped != 0) block.stop = 1;
    if (__syncthreads_or(missing || stopped != 0 ? 1 : 0) != 0) {
      if (block.stop != 0) return;
      if (missing) {
#pragma unroll
        for (unsigned r = 0; r < rows; ++r) {
          if (tile.has(r) && numbers[r] == block_set::none) {
            numbers[r] = set.insert(static_cast<U>(group_bits(tile.keys[r])));
          }
        }
      }
      __syncthreads();
      if (block.count > shape.groups) {
        if (threadIdx.x == 0) *static_cast<volatile std::uint32_t*>(out.too_many) = 1;
        return;
      }
      if constexpr (gathers) mine.make_room(block.count);
    }
    if constexpr (gathers) {
      mine.template add<rows>(numbers, block_set::none, [&](unsigned r) {
        return table_items<K, Folding>::first(by, tile.values[r], tile.position(r));
      });
    }
  }
  if constexpr (gathers) mine.join_lanes();
  __syncthreads();
  publish_table(set, by, memory, shape, out);
}

/// A warp a group: how many keys come before it says where it goes; what blocks have gathered is merged in their order.
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
      by.merge(all, in.states[std::size_t{b} * groups_a_block + group]);
    }
    merge_peers(by, all, all_lanes);
  }
  if (lane != 0 || rank >= out.room) return;
  out.begin(rank, key_of_bits<K>(static_cast<bits_of<K>>(bits)), 0);
  by.write(rank, all);
}

/// Nothing is in the set of all blocks, and nobody has found too many groups.
template <class U, class State>
__global__ void clear_tables(table_results<U, State> tables, std::uint32_t heads) {
  let_next_kernel_start();
  for (std::uint32_t h = blockIdx.x * blockDim.x + threadIdx.x; h < heads; h += gridDim.x * blockDim.x) {
    tables.set.heads[h] = tables.set.none;
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) *tables.set.count = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) *tables.too_many = 0;
}

}  // namespace peneira::detail

#endif
