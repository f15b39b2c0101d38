// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the kernels of a segmented reduce have in common. Every block owns an equal share of items and segment ends
// together; what it combined after its last end it leaves to one block more, which puts it before the segment that it
// belongs to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/carry.cuh"
#include "peneira/device/end_streams.cuh"
#include "peneira/device/mailbox.cuh"
#include "peneira/device/runtime.cuh"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/share_shape.hpp"

namespace peneira::detail {

/// What a block leaves to the one that gathers.
template <class Result>
struct block_share {
  Result head;            ///< the first segment that ended in it, as far as it knows it
  Result tail;            ///< what it combined after its last end
  std::uint32_t ends;     ///< whether any segment ended in it
  std::uint32_t invalid;  ///< whether it saw offsets that descend or run past the items
  std::size_t first;      ///< the segment that it began with
};

/// What the blocks of one call know.
template <class T, class Result, class Segments, class Op>
struct share_work {
  const T* items;
  std::size_t n;
  Segments segments;
  std::size_t count;
  Op op;
  Result* results;
  mailbox<block_share<Result>> mail;
  std::uint64_t* first_invalid;  ///< nullptr: nobody asks
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
  if (threadIdx.x == 0 && work.first_invalid != nullptr) *work.first_invalid = first_invalid;
}

/// One block puts what others left after their last ends before the segments that it belongs to.
template <unsigned Threads, class T, class Result, class Segments, class Op>
__device__ void gather_shares(const share_work<T, Result, Segments, Op>& work, unsigned blocks) {
  __shared__ carry_room<Result, Threads> room;
  const Result nothing = work.op.template identity<Result>();
  Result carry = nothing;
  bool invalid = false;
  for (unsigned first = 0; first < blocks; first += Threads) {
    const unsigned b = first + threadIdx.x;
    block_share<Result> left{nothing, nothing, 0, 0, 0};
    if (b < blocks) left = work.mail.receive(b);
    invalid = invalid || left.invalid != 0;
    const Result carried = carry_in<Threads>(left.tail, left.ends != 0, work.op, carry, room);
    if (left.ends != 0) work.results[left.first] = work.op(carried, left.head);
    __syncthreads();
  }
  if (__syncthreads_or(invalid ? 1 : 0) != 0) {
    __threadfence();  // what the others wrote lies before what is written now
    reduce_one_by_one(work);
  } else if (threadIdx.x == 0 && work.first_invalid != nullptr) {
    *work.first_invalid = ~std::uint64_t{0};
  }
}

/// A block's share of the segments.
struct share_of_block {
  cut cuts[2];  ///< from here to before there
  bool valid;   ///< as far as the cuts tell

  template <class Segments>
  __device__ share_of_block(const Segments& segments, std::size_t count, std::size_t n, unsigned blocks) {
    const typename ends_of<Segments>::bounds bounds(segments, count, n);
    const std::size_t all = bounds.last - bounds.first + count * end_cost;
    const std::size_t share = (all + blocks - 1) / blocks;
    const std::size_t at[2] = {::min(blockIdx.x * share, all), ::min((blockIdx.x + 1) * share, all)};
    bounds.cut_at(at, cuts);
    valid = bounds.valid && cuts[0].segment <= cuts[1].segment && cuts[0].item <= cuts[1].item;
    if (!valid) cuts[1] = cuts[0];
  }
  [[nodiscard]] __device__ bool ends() const { return cuts[0].segment < cuts[1].segment; }
};

/// Thread 0 hands over what its block found, or where there is no other block, finishes the work.
template <class T, class Result, class Segments, class Op>
__device__ void leave_share(const share_work<T, Result, Segments, Op>& work, const share_of_block& share,
                            const Result& head, const Result& tail, bool valid) {
  const bool all_valid = __syncthreads_and(share.valid && valid ? 1 : 0) != 0;
  if (gridDim.x == 1 && !all_valid) {
    reduce_one_by_one(work);
  } else if (threadIdx.x == 0 && gridDim.x == 1) {
    if (share.ends()) work.results[share.cuts[0].segment] = head;
    if (work.first_invalid != nullptr) *work.first_invalid = ~std::uint64_t{0};
  } else if (threadIdx.x == 0) {
    __threadfence();
    work.mail.send(blockIdx.x, {head, tail, share.ends() ? 1U : 0U, all_valid ? 0U : 1U, share.cuts[0].segment});
  }
}

/// Waits for the stream and throws if a segment was invalid; what `checked` asks for.
template <class Segments>
void report_invalid(const gpu& on, const std::uint64_t* first_invalid, const Segments& segments, std::size_t count,
                    std::size_t n) {
  const auto fetch = [&](auto& to, const auto* from) {
    check(cudaMemcpyAsync(&to, from, sizeof to, cudaMemcpyDeviceToHost, on.stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(on.stream), "cudaStreamSynchronize");
  };
  std::uint64_t s = 0;
  fetch(s, first_invalid);
  if (s >= count) return;
  if constexpr (!Segments::regular) {
    std::remove_const_t<std::remove_pointer_t<decltype(segments.offsets)>> bounds[2];
    fetch(bounds, segments.offsets + s);
    reject_segment(s, static_cast<std::size_t>(bounds[0]), static_cast<std::size_t>(bounds[1]), n);
  }
}

/// Launches a kernel over shares as its step of the plan says.
template <class T, class Result, class Segments, class Op>
void launch_shares(const gpu& on, const plan& made, void (*kernel)(share_work<T, Result, Segments, Op>), const T* items,
                   std::size_t n, const Segments& segments, std::size_t count, Result* results, const Op& op,
                   bool checked) {
  static_assert(letters_of(sizeof(block_share<Result>)) <= share_letters(sizeof(Result)));
  const step& reduce = made.steps[0];
  workspace memory(memory_of(on), made.temporary_bytes, on.stream);
  auto* const boxes = memory.take<letter>((reduce.grid - 1) * share_letters(sizeof(Result)));
  auto* const first_invalid = checked ? memory.take<std::uint64_t>(1) : nullptr;
  launch(on, reduce, kernel,
         share_work<T, Result, Segments, Op>{
             items, n, segments, count, op, results, {boxes, fresh_stamp()}, first_invalid});
  if (checked) report_invalid(on, first_invalid, segments, count, n);
}

}  // namespace peneira::detail
