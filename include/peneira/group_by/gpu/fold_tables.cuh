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

#include "peneira/group_by/gpu/fold_groups.cuh"
#include "peneira/group_by/gpu/table_parts.cuh"
#include "peneira/group_by/gpu/table_shape.hpp"
#include "peneira/group_by/gpu/table_words.hpp"
#include "peneira/group_by/gpu/warp_states.cuh"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"

namespace peneira::detail {

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
    const auto none = static_cast<std::uint16_t>(shape_.groups);
    for (std::uint32_t h = threadIdx.x; h < shape_.heads; h += blockDim.x) set_.heads[h] = none;
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
    std::uint32_t missing = 0;  // a bit a row
#pragma unroll
    for (unsigned r = 0; r < rows; ++r) {
      if (!tile.has(r)) numbers[r] = shape_.groups;
      missing |= tile.has(r) && numbers[r] == shape_.groups ? 1U << r : 0;
    }
    if (stops) shared_.stop = 1;
    if (__syncthreads_or(missing != 0 || stops ? 1 : 0) == 0) return true;
    if (shared_.stop != 0) return false;
    insert_missing(bits, numbers, missing);
    __syncthreads();
    if (shared_.count <= shape_.groups) return true;
    if (threadIdx.x == 0) raise(out.too_many);
    return false;
  }
  /// Puts keys of some rows into the set, of each lane one at a time. A whole warp calls.
  __device__ void insert_missing(const U (&bits)[rows], std::uint32_t (&numbers)[rows], std::uint32_t missing) {
    while (__any_sync(all_lanes, missing != 0)) {
      if (missing == 0) continue;
      const std::uint32_t lowest = missing & (~missing + 1U);
      U key{};
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        if (lowest == 1U << r) key = bits[r];
      }
      std::uint32_t number = shape_.groups;
      if (!set_.try_to_insert(key, number)) continue;
      missing ^= lowest;
#pragma unroll
      for (unsigned r = 0; r < rows; ++r) {
        if (lowest == 1U << r) numbers[r] = number;
      }
    }
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
  const std::size_t begin = blockIdx.x * parts.share;
  const std::size_t end = begin + parts.share;
  for (std::uint32_t part = parts.of(begin); part < parts.count; ++part) {
    const std::size_t before = part * parts.extra;
    const std::size_t first = parts.begin(part, items.size);
    const std::size_t last = parts.begin(part + 1, items.size);
    if (first + before >= end) return;
    const std::size_t from = first + before < begin ? begin - before : first;
    const std::size_t to = ::min(last, end - before);
    if (from >= to) continue;
    if (!block.fold({items}, from, to, out)) return;
    block.publish(out, out.set.at(part, shape.heads), blockIdx.x + part, from == first && to == last);
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
