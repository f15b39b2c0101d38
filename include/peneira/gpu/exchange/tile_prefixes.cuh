// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the tiles before one combine to, by any associative operator, found while these are still at work: a look-back
// (Merrill and Garland, 2016) whose grouping does not depend on who comes first.
//
//   tiles    128 of them are a group, whose last one publishes what the group combines to
//   groups   32 of them are a stretch, whose last tile publishes what all tiles so far combine to
//
//   prefix of a tile = stretches before its own  op  groups of its stretch before its own  op  tiles of its group
//   before
//
// Every tile publishes its own value before it waits for anybody, and so does a group: only stretches are a chain. So
// sums of floats have the same bits on every run. The words are cleared by a launch of their own.
#pragma once

#include <algorithm>

#include "peneira/gpu/exchange/stamped_slots.cuh"
#include "peneira/place.hpp"
#include "peneira/plan.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// Tiles of a group, and of a stretch.
inline constexpr std::uint32_t prefix_group = 128;
inline constexpr std::uint32_t prefix_stretch = 32 * prefix_group;

/// Memory that tiles find their prefixes by: a slot a tile, then one a group and one a stretch, and one for all of
/// them; and how many tiles blocks have taken.
struct prefix_words {
  stamped_word* slots;
  std::uint32_t* taken;

  /// The slots of so many tiles.
  PENEIRA_HD static constexpr std::size_t slots_of(std::size_t tiles) {
    return tiles + (tiles + prefix_group - 1) / prefix_group + (tiles + prefix_stretch - 1) / prefix_stretch + 1;
  }
};

/// Of a plan: how many tiles find their prefixes, how large a value is, and the launch that clears their words. A
/// single tile has nothing before it, and needs neither words nor launch.
struct prefix_plan {
  std::uint32_t tiles = 0;
  std::size_t value_bytes = 0;
  std::optional<step> clear;

  static constexpr std::tuple fields{members{&prefix_plan::clear}};

  static prefix_plan of(std::size_t tiles, std::size_t value_bytes) {
    constexpr std::uint32_t threads = 256;
    prefix_plan p{static_cast<std::uint32_t>(tiles), value_bytes, {}};
    const std::size_t blocks = (p.words() + threads - 1) / threads;
    if (tiles > 1) p.clear = step{"clear_prefixes", std::min<std::size_t>(blocks, 1024), threads};
    return p;
  }
  [[nodiscard]] std::size_t words() const { return prefix_words::slots_of(tiles) * slot_words(value_bytes); }
  template <class Memory>
  prefix_words take(Memory& memory) const {
    prefix_words w{};
    if (!clear.has_value()) return w;
    w.slots = memory.template take<stamped_word>(words());
    w.taken = memory.template take<std::uint32_t>(1);
    return w;
  }
#if defined(__CUDACC__)
  /// When the launch behind that of clear() starts, which waits for it.
  [[nodiscard]] start early() const {
    return clear.has_value() ? start::early : start::after_all;
  }
#endif
};

#if defined(__CUDACC__)

/// Clears the words of so many slots, all threads of the grid together.
__device__ inline void clear_words(const prefix_words& words, std::size_t count) {
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::size_t w = first; w < count; w += std::size_t{gridDim.x} * blockDim.x) words.slots[w] = {0, 0};
  if (first == 0) *words.taken = 0;
}

/// A template, so that it is compiled where it is called alone.
template <class Words = prefix_words>
__global__ void clear_prefixes(Words words, std::size_t count) {
  let_next_kernel_start();
  clear_words(words, count);
}

inline void clear(const gpu& on, const prefix_plan& planned, const prefix_words& words) {
  if (planned.clear.has_value()) launch(on, *planned.clear, clear_prefixes<>, words, planned.words());
}

/// The prefixes of tiles with values of T.
template <class T, class Op>
class tile_prefixes {
 public:
  __device__ tile_prefixes(const prefix_words& words, std::uint32_t tiles, const Op& op)
      : slots_{words.slots, 1}, tiles_(tiles), groups_(tiles + (tiles + prefix_group - 1) / prefix_group), op_(op) {}

  /// By a whole warp: publishes a tile's own value, and gives what all before it combine to.
  __device__ T exchange(std::uint32_t tile, const T& own) const {
    if (threadIdx.x % 32 == 0) publish(tile, own);
    return find(tile, own);
  }
  /// By one lane: publishes a tile's own value.
  __device__ void publish(std::uint32_t tile, const T& own) const { slots_.publish(tile, own); }
  /// By one lane: publishes what all tiles combine to.
  __device__ void publish_all(const T& all) const { slots_.publish(prefix_words::slots_of(tiles_) - 1, all); }
  /// By a whole warp: waits for that.
  [[nodiscard]] __device__ T find_all() const {
    T all;
    while (__all_sync(all_lanes, slots_.peek(prefix_words::slots_of(tiles_) - 1, all)) == 0) {
    }
    return all;
  }
  /// By a whole warp: what all tiles before one combine to whose own value is published.
  __device__ T find(std::uint32_t tile, const T& own) const {
    const bool leads = threadIdx.x % 32 == 0;
    const std::uint32_t group = tile / prefix_group;
    const std::uint32_t stretch = tile / prefix_stretch;
    T far = op_.template identity<T>();
    T of_stretch = far;
    bool far_there = peek_far(tile, group, stretch, far, of_stretch);  // on its way while the tiles are read
    const T near = of_group_before(group * prefix_group, tile);
    const bool ends_group = tile % prefix_group == prefix_group - 1;
    if (leads && ends_group) slots_.publish(tiles_ + group, op_(near, own));
    while (!__all_sync(all_lanes, far_there)) far_there = peek_far(tile, group, stretch, far, of_stretch);
    T before = op_(everyones(combine_warp(far, op_)), near);
    if (stretch != 0) before = op_(of_stretch, before);
    const bool ends_stretch = tile % prefix_stretch == prefix_stretch - 1 && tile + 1 < tiles_;
    if (leads && ends_stretch) slots_.publish(groups_ + stretch + 1, op_(before, own));
    return before;
  }

 private:
  static constexpr std::uint32_t a_lane = prefix_group / 32;

  __device__ static T everyones(const T& of_first) { return shuffled<direction::to_all>(of_first, 0); }

  /// A group of the stretch before this one for each lane, or else the identity, and all stretches before, as far as
  /// they are there. Who has nothing to wait for looks at its own tile.
  __device__ bool peek_far(std::uint32_t tile, std::uint32_t group, std::uint32_t stretch, T& far,
                           T& of_stretch) const {
    const std::uint32_t mine = stretch * 32 + threadIdx.x % 32;
    const bool has_group = mine < group;
    const bool group_there = slots_.peek(has_group ? tiles_ + mine : tile, far);
    const bool stretch_there = slots_.peek(stretch != 0 ? groups_ + stretch : tile, of_stretch);
    if (!has_group) far = op_.template identity<T>();
    return group_there && stretch_there;
  }
  /// The values of tiles from `first` to before `end`, which are fewer than a group, in their order.
  __device__ T of_group_before(std::uint32_t first, std::uint32_t end) const {
    T values[a_lane];
    const std::uint32_t mine = first + threadIdx.x % 32 * a_lane;
    bool there = false;
    do {
      there = true;
#pragma unroll
      for (std::uint32_t k = 0; k < a_lane; ++k) {
        const bool found = slots_.peek(mine + k < end ? mine + k : end, values[k]);
        there = there && found;
      }
    } while (!__all_sync(all_lanes, there));
    T all = op_.template identity<T>();
#pragma unroll
    for (std::uint32_t k = 0; k < a_lane; ++k) {
      if (mine + k < end) all = op_(all, values[k]);
    }
    return everyones(combine_warp(all, op_));
  }

  stamped_slots<T> slots_;
  std::uint32_t tiles_;
  std::uint32_t groups_;  ///< the slot behind those of groups
  Op op_;
};

/// Where a warp of a tile is: what the tiles before its own combine to, what the warps of the tile before it do, and
/// all warps of the tile.
template <class T>
struct warp_place {
  T before_tile;
  T before_warp;
  T of_tile;
};

/// Shared memory of a block of this many threads, which has a tile.
template <class T, unsigned Threads>
struct tile_room {
  static constexpr unsigned warps = Threads / 32;
  warp_values<T, Threads> of_warps;
  warp_values<T, 32> before;
  std::uint32_t tile;

  /// The tile of a block, of several. Blocks wait for tiles that were taken before theirs alone.
  __device__ std::uint32_t take(const prefix_words& words, std::uint32_t tiles) {
    if (tiles == 1) return 0;
    if (threadIdx.x == 0) tile = atomicAdd(words.taken, 1U);
    __syncthreads();
    return tile;
  }
  /// Where this warp is, whose items combine to `mine`. All threads of the block call, once.
  template <class Op>
  __device__ warp_place<T> find_place(const T& mine, const prefix_words& words, std::uint32_t number,
                                      std::uint32_t tiles, const Op& op) {
    const unsigned warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) of_warps.get()[warp] = mine;
    __syncthreads();
    const T none = op.template identity<T>();
    warp_place<T> place{none, none, none};
#pragma unroll
    for (unsigned w = 0; w < warps; ++w) {
      if (w == warp) place.before_warp = place.of_tile;
      place.of_tile = op(place.of_tile, of_warps.get()[w]);
    }
    if (tiles == 1) return place;
    if (warp == 0) {
      const T others = tile_prefixes<T, Op>(words, tiles, op).exchange(number, place.of_tile);
      if (threadIdx.x == 0) *before.get() = others;
    }
    __syncthreads();
    place.before_tile = *before.get();
    return place;
  }
};

#endif

}  // namespace peneira::detail
