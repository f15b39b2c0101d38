// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel of a segmented reduce by any operator, commutative or not. Items and segment ends come through shared
// memory in chunks; a round takes what the present chunk of items and the present chunk of ends have in common, so that
// every round finishes one of the two, whatever the segments are like.
//
//   items   |........|........|........|     a thread owns some neighbouring items of each chunk
//   ends    |  '  '''''      ' |      '   |  and gives the results of the segments that end among them
//   rounds  ^        ^         ^       ^
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/ordered_rounds.cuh"
#include "peneira/device/shares.cuh"

namespace peneira::detail {

template <class T, class Result, class Segments, class Op>
__global__ void __launch_bounds__(tuning::ordered_threads, tuning::ordered_blocks_a_processor)
    reduce_in_order(share_work<T, Result, Segments, Op> work) {
  using ends_type = typename ends_of<Segments>::type;
  constexpr unsigned threads = tuning::ordered_threads;
  constexpr unsigned chunk_size = threads * chunk_items(sizeof(T));
  const unsigned blocks = gridDim.x == 1 ? 1 : gridDim.x - 1;
  if (blockIdx.x == blocks) {
    gather_shares<tuning::ordered_threads>(work, blocks);
    return;
  }
  const share_of_block mine(work.segments, work.count, work.n, blocks);
  const cut(&cuts)[2] = mine.cuts;
  bool valid = true;

  auto* const memory = shared_memory<unsigned char>();
  chunk_ring<T, chunk_size> items(work.items, work.n, cuts[0].item, cuts[1].item, memory);
  ends_type ends(work.segments, work.count, cuts, items.base(),
                 memory + tuning::ordered_stages * chunk_size * sizeof(T));
  const auto ask = [&] {
    items.ask();
    ends.ask();
    end_batch();
  };
  for (unsigned k = 1; k < tuning::ordered_stages; ++k) ask();
  void* const rest = memory + tuning::ordered_stages * (chunk_size * sizeof(T) + ends_type::chunk_bytes);
  ordered_rounds<T, Result, Op> rounds(work.op, work.results + ends.base(), rest, ends_type::size);

  auto item = static_cast<unsigned>(cuts[0].item - items.base());
  auto segment = static_cast<unsigned>(cuts[0].segment - ends.base());
  bool checked = false;  // the present chunk of ends
  while (item < items.last() || segment < ends.last()) {
    wait_for_batches<tuning::ordered_stages - 2>();
    __syncthreads();
    ask();

    // What this round takes: items up to before `round_end`, ends up to before `upto`.
    const unsigned chunk_end = ::min(items.begin() + chunk_size, items.last());
    const unsigned from = segment - ends.begin();
    const unsigned there = ::min(ends.last() - ends.begin(), ends_type::size);
    unsigned upto = from;
    if (from < there && (item == items.last() || ends.at(from) <= chunk_end)) {
      constexpr unsigned own = ends_type::size / threads;
      const unsigned last_own = threadIdx.x * own + own - 1;
      const bool before = last_own < there && (last_own < from || ends.at(last_own) <= chunk_end);
      const unsigned rest = static_cast<unsigned>(__syncthreads_count(before ? 1 : 0)) * own;
      upto = rest;
#pragma unroll
      for (unsigned k = rest; k < rest + own; ++k) upto += k < there && (k < from || ends.at(k) <= chunk_end) ? 1 : 0;
      upto = item == items.last() ? there : ::max(upto, from);
      if (!checked) valid = valid && ends.ascend(there, work.n);
      checked = true;
    }
    const bool ends_are_out = upto == there && ends.begin() + there < ends.last();
    const unsigned round_end = ends_are_out ? ::max(item, ::min(chunk_end, ends.at(there - 1))) : chunk_end;

    rounds.take(segment_round<T, ends_type>{items.chunk(), items.base() + items.begin(), items.begin(),
                                            static_cast<int>(item - items.begin()),
                                            static_cast<int>(round_end - items.begin()), ends, from, upto});
    item = round_end;
    segment = ends.begin() + upto;
    if (item == items.begin() + chunk_size) items.advance();
    if (ends_are_out) {
      ends.advance();
      checked = false;
    }
  }
  __syncthreads();
  const Result tail = rounds.last_carry();
  leave_share(work, mine, mine.ends() ? rounds.head() : tail, tail, valid);
}

}  // namespace peneira::detail
