// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the groups of a warp's items have gathered, in shared memory: while groups are few a state for each lane, or for
// each two, four or eight neighbours, of which those that hold the same group take turns; or else one for all lanes, of
// which those that hold the same group at a time are merged first.
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

/// The states of a warp's groups: some of each, for so many lanes each, while groups are few; or else one.
template <class Folding>
class warp_states {
 public:
  using state = typename Folding::state;

  __device__ warp_states(void* memory, const Folding& by, std::uint32_t groups)
      : states_(static_cast<state*>(memory)),
        by_(by),
        groups_(groups),
        copies_(Folding::commutative ? table_copies : 1) {
    for (std::uint32_t s = lane(); s < groups; s += 32) states_[s] = by_.nothing();
    __syncwarp();
  }
  /// Makes room for so many groups, where there are several states of each.
  __device__ void make_room(std::uint32_t count) {
    std::uint32_t copies = copies_;
    while (copies > 1 && count * copies > groups_) copies = copies > table_least_copies ? copies / 2 : 1;
    if (copies < copies_) join(copies);
  }
  /// One state for each group from now on.
  __device__ void join_lanes() {
    if (copies_ > 1) join(1);  // none of operators that want their items in order
  }
  /// Merges rows of items, of so many groups so far; those whose number is `none` are nobody's.
  template <unsigned Rows, class First>
  __device__ void add(const std::uint32_t (&numbers)[Rows], std::uint32_t none, std::uint32_t count,
                      const First& first) {
    is_empty_ = false;
    if (copies_ == 32) return add_in_turns<32>(numbers, none, first);
    if (copies_ == 16) return add_in_turns<16>(numbers, none, first);
    if (copies_ == 8) return add_in_turns<8>(numbers, none, first);
    if (copies_ == 4) return add_in_turns<4>(numbers, none, first);
    static_assert(table_least_copies == 4);
    std::uint32_t peers[Rows];
    find_peers(numbers, peers, none, count);
    const std::uint32_t below = (1U << lane()) - 1;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      state mine = numbers[r] != none ? first(r) : by_.nothing();
      if (__any_sync(all_lanes, (peers[r] & below) != 0)) merge_peers(by_, mine, peers[r]);
      if ((peers[r] & below) == 0 && numbers[r] != none) by_.merge(states_[numbers[r]], mine);
      __syncwarp();
    }
  }

 private:
  static __device__ unsigned lane() {
    return threadIdx.x % 32;
  }

  /// As many neighbouring lanes as share a state: at once, where they hold different groups, or else one after the
  /// other.
  template <unsigned Copies, unsigned Rows, class First>
  __device__ void add_in_turns(const std::uint32_t (&numbers)[Rows], std::uint32_t none, const First& first) {
    constexpr unsigned sharers = 32 / Copies;
    state* const mine = states_ + lane() / sharers;
    std::uint32_t shared = 0;  // rows in which another lane holds the same group
    if constexpr (sharers > 1) {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
#pragma unroll
        for (unsigned other = 1; other < sharers; ++other) {
          const std::uint32_t number = __shfl_xor_sync(all_lanes, numbers[r], static_cast<int>(other));
          if (number == numbers[r] && number != none) shared |= 1U << r;
        }
      }
      shared = combine_lanes<bit_or>(shared);
    }
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      const bool has = numbers[r] != none;
      const state item = has ? first(r) : by_.nothing();
      const unsigned turns = (shared >> r & 1U) != 0 ? sharers : 1;
#pragma unroll 1
      for (unsigned turn = 0; turn < turns; ++turn) {
        if (has && (turns == 1 || lane() % sharers == turn)) by_.merge(mine[numbers[r] * Copies], item);
        if constexpr (sharers > 1) __syncwarp();
      }
    }
  }
  /// Fewer states of each group, each of which is merged from neighbours.
  __device__ void join(std::uint32_t copies) {
    const std::uint32_t merged = copies_ / copies;
    copies_ = copies;
    if (is_empty_) return;
    __syncwarp();
    const std::uint32_t kept = groups_ / merged;
    for (std::uint32_t row = 0; row < kept; row += 32) {
      const std::uint32_t s = row + lane();
      state all = by_.nothing();
      if (s < kept) {
        for (std::uint32_t other = 0; other < merged; ++other) {  // each begins elsewhere, or many would meet at a bank
          by_.merge(all, states_[s * merged + (lane() + other) % merged]);
        }
      }
      __syncwarp();  // what is written here has been read by now
      if (s < kept) states_[s] = all;
      __syncwarp();
    }
    for (std::uint32_t s = kept + lane(); s < groups_; s += 32) states_[s] = by_.nothing();
    __syncwarp();
  }

  state* states_;
  const Folding& by_;
  std::uint32_t groups_;
  std::uint32_t copies_;  ///< states of a group
  bool is_empty_ = true;  ///< whether nothing was merged yet
};

}  // namespace peneira::detail

#endif
