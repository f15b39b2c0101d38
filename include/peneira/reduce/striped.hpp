// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// striped: one launch; the blocks stride over the array tile by tile, and the last of them gathers their results. What
// one block can have under way at a time is left to it alone.
//
//   tiles b, b + B, b + 2 B, ... --block b--> one value --mailbox--> the gathering block, in the order of the blocks
//
// Reads each item once. Which thread combines which items depends on n and the device alone, so the result has the same
// bits on every run. Neighbouring items go to different threads: the operator must be commutative.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/device/group.cuh"
#include "peneira/device/mailbox.cuh"
#include "peneira/ops.hpp"
#include "peneira/reduce/problem.hpp"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/device/combine.cuh"
#include "peneira/device/runtime.cuh"
#endif

namespace peneira::reduce_strategies {

#if defined(__CUDACC__)

/// An array as blocks read it: groups of 16 bytes where it has such, the others, here called loose, one by one.
template <class T>
struct stripes {
  static constexpr unsigned group = detail::items_of_16_bytes(sizeof(T));
  const T* items;
  std::size_t n;
  std::size_t head;    ///< items before the first group
  std::size_t groups;  ///< none where items never lie at a multiple of 16 bytes, or of what a wide item is loaded by
  std::size_t loose;

  stripes(const T* all, std::size_t count) : items(all), n(count), head(0), groups(0), loose(count) {
    const auto address = reinterpret_cast<std::uintptr_t>(all);
    const std::size_t before = (16 - address % 16) % 16;
    const bool by_groups = group > 1 ? before % sizeof(T) == 0 : address % sizeof(detail::group_word<T, 1>) == 0;
    if (!by_groups) return;
    if (group > 1) head = std::min(before / sizeof(T), n);
    groups = (n - head) / group;
    loose = n - groups * group;
  }
};

/// What a thread of one of several blocks combines of the groups, behind `mine`. Index counts them.
template <class Index, unsigned Threads, bool Streamed, class T, class Result, class Op>
__device__ Result reduce_groups(const stripes<T>& in, Result mine, const Op& op, unsigned block, unsigned blocks) {
  constexpr unsigned together = tuning::reduce_groups;
  constexpr unsigned group = stripes<T>::group;
  const auto groups = static_cast<Index>(in.groups);
  for (Index first = Index{block} * (Threads * together) + threadIdx.x; first < groups;
       first += Index{blocks} * (Threads * together)) {
    const Index left = groups - first;
    const std::size_t position = in.head + std::size_t{first} * group;
    alignas(16) T some[together][group];
#pragma unroll
    for (unsigned g = 0; g < together; ++g) {
      if (g * Threads < left) {
        detail::load_group<group, Streamed>(some[g], in.items + position + g * (Threads * group));
      }
    }
#pragma unroll
    for (unsigned g = 0; g < together; ++g) {
      if (g * Threads >= left) break;
#pragma unroll
      for (unsigned j = 0; j < group; ++j) {
        mine = op(mine, detail::lifted<Result>(op, some[g][j], position + g * (Threads * group) + j));
      }
    }
  }
  return mine;
}

/// The same of loose items, of which this thread has one of so many.
template <class T, class Result, class Op>
__device__ Result reduce_loose(const stripes<T>& in, Result mine, const Op& op, std::size_t first, std::size_t step) {
#pragma unroll 1
  for (std::size_t k = first; k < in.loose; k += step) {
    const std::size_t at = k < in.head ? k : k + (in.n - in.loose);
    mine = op(mine, detail::lifted<Result>(op, in.items[at], at));
  }
  return mine;
}

template <bool Streamed, class T, class Result, class Op>
__global__ void __launch_bounds__(tuning::reduce_threads, tuning::reduce_blocks_a_processor)
    reduce_tiles(stripes<T> in, Op op, detail::mailbox<Result> mail, Result* result) {
  constexpr unsigned threads = tuning::reduce_threads;
  __shared__ detail::warp_values<Result, threads> room;
  const unsigned workers = gridDim.x - 1;
  Result mine = op.template identity<Result>();
  if (blockIdx.x == workers) {
    if (in.groups != 0) mine = reduce_loose(in, mine, op, threadIdx.x, threads);  // it has time for those few
    for (unsigned b = threadIdx.x; b < workers; b += threads) mine = op(mine, mail.receive(b));
    mine = detail::combine_block<threads>(mine, op, room);
    if (threadIdx.x == 0) *result = mine;
    return;
  }
  if (in.groups == 0) {
    mine = reduce_loose(in, mine, op, blockIdx.x * threads + threadIdx.x, std::size_t{workers} * threads);
  } else {
    using index = std::conditional_t<Streamed, unsigned, std::size_t>;
    mine = reduce_groups<index, threads, Streamed>(in, mine, op, blockIdx.x, workers);
  }
  mine = detail::combine_block<threads>(mine, op, room);
  if (threadIdx.x == 0) mail.send(blockIdx.x, mine);
}

template <class T, class Result, class Op>
__global__ void __launch_bounds__(tuning::reduce_threads_alone) reduce_tile(stripes<T> in, Op op, Result* result) {
  constexpr unsigned threads = tuning::reduce_threads_alone;
  __shared__ detail::warp_values<Result, threads> room;
  Result mine = op.template identity<Result>();
  mine = reduce_groups<unsigned, threads, true>(in, mine, op, 0, 1);
  mine = reduce_loose(in, mine, op, threadIdx.x, threads);
  const Result all = detail::combine_block<threads>(mine, op, room);
  if (threadIdx.x == 0) *result = all;
}

#endif

struct striped {
  static constexpr std::string_view name = "striped";
  static constexpr std::string_view about = "one launch; blocks stride over the tiles, the last one gathers";

  static std::string refuses(const reduce_problem& problem, const device& /*machine*/) {
    return problem.commutative ? "" : "needs an operator that says that it is commutative";
  }

  static plan make_plan(const reduce_problem& problem, const device& machine) {
    const std::size_t group = detail::items_of_16_bytes(problem.item_bytes);
    const std::size_t one = tuning::reduce_threads_alone * tuning::reduce_groups * group;
    const std::size_t tile = tuning::reduce_threads * tuning::reduce_groups * group;
    const std::size_t most = std::size_t{tuning::reduce_blocks_a_processor} * static_cast<std::size_t>(machine.sms) - 1;
    plan p;
    if (problem.items <= one) {
      p.set("tile", one, "items that the block reads at a time");
      p.steps.push_back({"reduce_tile", 1, tuning::reduce_threads_alone});
      return p;
    }
    const std::size_t workers = std::min((problem.items + tile - 1) / tile, most);
    p.set("tile", tile, "items that a block reads at a time");
    p.set("streamed", problem.bytes() <= tuning::reduce_streamed_bytes ? 1 : 0, "1: items are loaded past the cache");
    p.steps.push_back({"reduce_tiles", workers + 1, tuning::reduce_threads});
    p.reserve<detail::letter>(workers * detail::letters_of(problem.result_bytes));
    return p;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Op>
  static void run(const gpu& on, const plan& made, const T* items, std::size_t n, Result* result, const Op& op) {
    if constexpr (detail::is_commutative<Op>) {
      const stripes<T> in(items, n);
      const step& reduce = made.steps[0];
      if (reduce.grid == 1) {
        detail::launch(on, reduce, reduce_tile<T, Result, Op>, in, op, result);
        return;
      }
      detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
      const detail::mailbox<Result> mail{
          memory.take<detail::letter>((reduce.grid - 1) * detail::letters_of(sizeof(Result))), detail::fresh_stamp()};
      const auto launch = [&](auto kernel) { detail::launch(on, reduce, kernel, in, op, mail, result); };
      if (made.get("streamed") != 0) {
        launch(reduce_tiles<true, T, Result, Op>);
      } else {
        launch(reduce_tiles<false, T, Result, Op>);
      }
    }
  }
#endif
};

}  // namespace peneira::reduce_strategies
