// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the threads of a block hand on to those after them when segments cross their borders. Each thread has a tail,
// what it combined after its last segment end, or all it has where no segment ends with it.
//
//   tails      a   b | c   d   e | f        (|: a segment ends in this thread)
//   carried in -   a   ab  c   cd  cde      -> what thread k must put before its first segment
#pragma once

#include "peneira/gpu/primitives/combine.cuh"

namespace peneira::detail {

/// Room for the tails of the warps; free again after the next __syncthreads().
template <class T, unsigned Threads>
struct carry_room {
  warp_values<T, Threads> tails;
  std::uint32_t ends[Threads / 32];  // whether a segment ends in the warp
};

/// What is carried into this thread. `carry` is what comes into the block, and becomes what leaves it; all threads have
/// the same.
template <unsigned Threads, class T, class Op>
__device__ T carry_in(T tail, bool ends, const Op& op, T& carry, carry_room<T, Threads>& room) {
  constexpr unsigned warps = Threads / 32;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const std::uint32_t enders = __ballot_sync(all_lanes, ends);
  const T run = combine_runs(tail, enders, op);
  if (lane == 31) {
    room.tails.get()[warp] = run;
    room.ends[warp] = enders;
  }
  __syncthreads();
  T before = carry;  // into this warp
#pragma unroll
  for (unsigned w = 0; w < warps; ++w) {
    if (w == warp) before = carry;
    const T whole = room.tails.get()[w];
    carry = room.ends[w] != 0 ? whole : op(carry, whole);
  }
  const T below = shuffled<direction::up>(run, 1);
  if (lane == 0) return before;
  const bool ended = (enders & ((1U << lane) - 1)) != 0;
  return ended ? below : op(before, below);
}

}  // namespace peneira::detail
