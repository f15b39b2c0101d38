// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of the merge-based segmented reduce. Every warp owns an equal share of the merge path of items and segment
// ends. What it combined after its last end is carried into the first segment that ends in a later warp: by its block,
// or, if that is in another block, by one block more, the fixup block, which collects the carries of all others from
// stamped slots.
#pragma once

#include "peneira/gpu/exchange/stamped_slots.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/segmented_reduce/gpu/report_invalid.cuh"
#include "peneira/segmented_reduce/gpu/warp_segments.cuh"

namespace peneira::detail {

// What the threads of a block hand on to those after them when segments cross their borders. Each thread has a tail,
// what it combined after its last segment end, or all it has where no segment ends with it.
//
//   tails      a   b | c   d   e | f        (|: a segment ends in this thread)
//   carried in -   a   ab  c   cd  cde      -> what thread k must put before its first segment

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

/// What the blocks of one call know.
template <class T, class Result, class Segments, class Op>
struct share_work {
  const T* items;
  std::size_t n;
  Segments segments;
  std::size_t count;
  Op op;
  Result* results;
  stamped_slots<share_found<Result>> slots;
  std::uint64_t* first_invalid;  ///< nullptr: nobody asks
  unsigned sharers;              ///< warps of a block that have shares
  equal_shares shares;
  std::size_t first_segment = 0;  ///< the caller's number of the first segment
};

/// Every segment by itself, a warp each, by one block: slow, but right for the valid segments among invalid ones.
template <class T, class Result, class Segments, class Op>
__device__ void reduce_one_by_one(const share_work<T, Result, Segments, Op>& work) {
  __shared__ unsigned long long first_invalid;
  if (threadIdx.x == 0) first_invalid = ~0ULL;
  __syncthreads();
  for (std::size_t s = threadIdx.x / 32; s < work.count; s += blockDim.x / 32) {
    const std::size_t begin = work.segments.begin(s);
    const std::size_t end = work.segments.end(s);
    const bool valid = begin <= end && end <= work.n;
    const std::size_t share = valid ? (end - begin + 31) / 32 : 0;
    Result mine = work.op.template identity<Result>();
    for (std::size_t k = 0; k < share; ++k) {
      const std::size_t at = begin + threadIdx.x % 32 * share + k;
      if (at < end) mine = work.op(mine, lifted<Result>(work.op, work.items[at], at));
    }
    mine = combine_warp(mine, work.op);
    if (threadIdx.x % 32 != 0) continue;
    work.results[s] = mine;
    if (!valid) atomicMin(&first_invalid, static_cast<unsigned long long>(s));
  }
  __syncthreads();
  if (threadIdx.x != 0 || work.first_invalid == nullptr) return;
  *work.first_invalid = first_invalid == ~0ULL ? first_invalid : work.first_segment + first_invalid;
}

/// The fixup block carries what others combined after their last ends into the segments that it belongs to.
template <unsigned Threads, class T, class Result, class Segments, class Op>
__device__ void fix_up_shares(const share_work<T, Result, Segments, Op>& work, unsigned blocks) {
  __shared__ carry_room<Result, Threads> room;
  const Result nothing = work.op.template identity<Result>();
  auto* const ends = shared_memory<std::size_t>();  // where the shares of blocks end, from the one before on
  if (threadIdx.x == 0) ends[0] = 0;
  Result carry = nothing;
  bool invalid = false;
  // The first turn is of no blocks: its code comes to the cache while all others work.
  for (unsigned behind = 0; behind < blocks + Threads; behind += Threads) {
    const unsigned b = behind - Threads + threadIdx.x;
    share_found<Result> left{nothing, nothing, 0, 0, 0, 0};
    if (b < blocks) left = work.slots.collect(b);
    ends[threadIdx.x + 1] = left.last;
    __syncthreads();
    // Two blocks that looked for one cut among wrong offsets need not have found the same.
    invalid = invalid || left.invalid != 0 || (b < blocks && left.first != ends[threadIdx.x]);
    const Result carried = carry_in<Threads>(left.tail, left.ends != 0, work.op, carry, room);
    if (left.ends != 0) work.results[left.first] = work.op(carried, left.head);
    if (threadIdx.x == 0) ends[0] = ends[Threads];
    __syncthreads();
  }
  if (__syncthreads_or(invalid ? 1 : 0) != 0) {
    __threadfence();  // what the others wrote lies before what is written now
    reduce_one_by_one(work);
  } else if (threadIdx.x == 0 && work.first_invalid != nullptr) {
    *work.first_invalid = ~std::uint64_t{0};
  }
}

/// Combines what the warps of a block found, and publishes the rest, or, where there is no other block, finishes the
/// work. `found` is in shared memory, one a warp. By one warp, and in few instructions: the code is not in the cache,
/// and nothing else goes on while it comes.
template <class T, class Result, class Segments, class Op>
__device__ void publish_shares(const share_work<T, Result, Segments, Op>& work, const share_found<Result>* found) {
  const unsigned lane = threadIdx.x;
  const Result nothing = work.op.template identity<Result>();
  share_found<Result> mine{nothing, nothing, 0, 0, 0, 0};
  if (lane < work.sharers) mine = found[lane];
  const bool invalid = __any_sync(all_lanes, mine.invalid != 0);
  const std::uint32_t enders = __ballot_sync(all_lanes, mine.ends != 0);
  const unsigned first = enders == 0 ? 0 : __ffs(enders) - 1;  // the lane whose head is the block's
  const Result tail = combine_runs(mine.tail, enders, work.op);
  const Result below = shuffled<direction::up>(tail, 1);
  const Result last = shuffled<direction::to_all>(tail, work.sharers - 1);
  Result head = nothing;
  if (mine.ends != 0) head = lane == 0 ? mine.head : work.op(below, mine.head);
  if (mine.ends != 0 && lane != first) work.results[mine.first] = head;
  __syncwarp();
  if (lane != first) return;
  if (gridDim.x == 1) {
    if (enders != 0) work.results[mine.first] = head;
    if (work.first_invalid != nullptr) *work.first_invalid = ~std::uint64_t{0};
    return;
  }
  if (invalid) __threadfence();  // otherwise what it wrote is right, whenever it arrives
  work.slots.publish(
      blockIdx.x, {head, last, enders == 0 ? 0U : 1U, invalid ? 1U : 0U, found[0].first, found[work.sharers - 1].last});
}

/// What a block does: the shares of its warps, or where it is the last one, the fixup.
template <class T, class Result, class Segments, class Op>
__device__ void reduce_shares(const share_work<T, Result, Segments, Op>& work) {
  constexpr unsigned threads = tuning::segment_threads;
  const unsigned blocks = gridDim.x == 1 ? 1 : gridDim.x - 1;
  if (blockIdx.x == blocks) {
    fix_up_shares<threads>(work, blocks);
    return;
  }
  __shared__ warp_values<share_found<Result>, threads> found;
  const unsigned warp = threadIdx.x / 32;
  typename cuts_among<Segments, threads>::type search(work.segments, work.count, work.n, work.shares);
  const unsigned share = ::min(warp + threadIdx.x % 32 / 16, work.sharers);  // whose beginning half a warp looks for
  const cut mine = search.find(std::size_t{blockIdx.x} * work.sharers + share);
  const cut first = shuffled<direction::to_all>(mine, 0);
  const cut last = shuffled<direction::to_all>(mine, 16);
  if (warp < work.sharers) {
    constexpr std::size_t most = std::size_t{1} << 31U;  // of a share, as the plan knows
    const bool valid = search.valid() && last.segment - first.segment < most && last.item - first.item < most;
    constexpr std::size_t room = warp_tile_memory(sizeof(T), sizeof(Result), Segments::regular ? 0 : 4).all;
    warp_segments<T, Result, Segments, Op>(work.items, work.n, work.segments, work.count, first, valid ? last : first,
                                           work.op, work.results, shared_memory<unsigned char>() + warp * room)
        .reduce(found.get()[warp], valid);
  }
  if (gridDim.x == 1) {
    const bool invalid = warp < work.sharers && threadIdx.x % 32 == 0 && found.get()[warp].invalid != 0;
    if (__syncthreads_or(invalid ? 1 : 0) != 0) {
      reduce_one_by_one(work);
      return;
    }
  } else {
    __syncthreads();
  }
  if (warp == 0) publish_shares(work, found.get());
}

template <class T, class Result, class Segments, class Op>
__global__ void __launch_bounds__(tuning::segment_threads, tuning::segment_blocks_a_processor)
    reduce_segments(share_work<T, Result, Segments, Op> work) {
  reduce_shares(work);
}

}  // namespace peneira::detail
