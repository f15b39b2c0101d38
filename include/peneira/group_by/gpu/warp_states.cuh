// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the groups of a warp's items have gathered, in shared memory: a state for each lane while groups are few, or one
// for all lanes, of which those that hold the same group at a time are merged first.
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/group_by/gpu/table_shape.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// For rows of numbers below `count`, or `none`, the lanes that hold the same one as this.
template <unsigned Rows>
__device__ void find_peers(const std::uint32_t (&numbers)[Rows], std::uint32_t (&peers)[Rows], std::uint32_t none,
                           std::uint32_t count) {
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

}  // namespace peneira::detail

#endif
