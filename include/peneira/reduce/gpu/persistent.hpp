// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// striped: one launch; the blocks stride over the array, and the first of them gathers their results. What one block
// can have under way at a time is left to it alone. What 128 small blocks can have is read in rows, so that each thread
// has all of its loads under way at once; more is read tile by tile.
//
//   rows or tiles b, b + B, b + 2 B, ... --block b--> one value --mailbox--> the gathering block, in their order
//
// Reads each item once. Which thread combines which items depends on n and the device alone, so the result has the same
// bits on every run. Neighbouring items go to different threads: the operator must be commutative.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/gpu/exchange/stamped_slots.cuh"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/ops.hpp"
#include "peneira/reduce/problem.hpp"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#include "peneira/reduce/gpu/persistent.cuh"
#endif

namespace peneira::reduce_strategies {

#if defined(__CUDACC__)

/// One block waits for the values of the others, and has time for the few loose items beside groups.
template <bool Streamed, class T, class Result, class Op>
__global__ void __launch_bounds__(tuning::reduce_tiled.threads, tuning::reduce_tiled.blocks)
    reduce_tiles(detail::stripes<T> in, Op op, unsigned loads, detail::mailbox<Result> mail, Result* result) {
  constexpr unsigned threads = tuning::reduce_tiled.threads;
  __shared__ detail::warp_values<Result, threads> room;
  const unsigned workers = gridDim.x - 1;
  Result mine = op.template identity<Result>();
  if (blockIdx.x == 0) {
    if (in.groups != 0) mine = detail::reduce_loose(in, mine, op, threadIdx.x, threads);
    for (unsigned b = threadIdx.x; b < workers; b += threads) mine = op(mine, mail.receive(b));
    mine = detail::combine_block<threads>(mine, op, room);
    if (threadIdx.x == 0) *result = mine;
    return;
  }
  const unsigned block = blockIdx.x - 1;
  if (in.groups == 0) {
    mine = detail::reduce_loose(in, mine, op, block * threads + threadIdx.x, std::size_t{workers} * threads);
  } else {
    using index = std::conditional_t<Streamed, unsigned, std::size_t>;
    constexpr unsigned most = tuning::reduce_tiled.groups;
    mine = detail::reduce_groups<index, threads, most, Streamed>(in, mine, op, block, workers, loads);
  }
  mine = detail::combine_block<threads>(mine, op, room);
  if (threadIdx.x == 0) mail.send(block, mine);
}

/// Threads have Loads groups each, or none where all items are loose. One block gathers, as above.
template <unsigned Loads, class T, class Result, class Op>
__global__ void __launch_bounds__(tuning::reduce_row_threads, 1)
    reduce_rows(detail::rows<T> in, detail::mailbox<Result> mail, Result* result, Op op) {
  constexpr unsigned threads = tuning::reduce_row_threads;
  __shared__ alignas(16) detail::warp_values<Result, threads> room;
  const unsigned workers = gridDim.x - 1;
  Result mine = op.template identity<Result>();
  if (blockIdx.x == 0) {
    if constexpr (Loads != 0) mine = detail::reduce_row_loose<1>(in, mine, op, threadIdx.x, threads);
    mine = op(mine, mail.receive_together(threadIdx.x, threadIdx.x < workers, op.template identity<Result>()));
    mine = detail::combine_block<threads>(mine, op, room);
    if (threadIdx.x == 0) *result = mine;
    return;
  }
  const unsigned first = (blockIdx.x - 1) * threads + threadIdx.x;
  if constexpr (Loads == 0) {
    mine = detail::reduce_row_loose<8>(in, mine, op, first, workers * threads);
  } else {
    mine = detail::reduce_row_groups<Loads, Loads - 1, Result>(in, op, first, workers * threads);
  }
  mine = detail::combine_block<threads>(mine, op, room);
  if (threadIdx.x == 0) mail.send(blockIdx.x - 1, mine);
}

template <unsigned Threads, class T, class Result, class Op>
__global__ void __launch_bounds__(Threads, 1) reduce_tile(detail::rows<T> in, Result* result, Op op) {
  __shared__ alignas(16) detail::warp_values<Result, Threads> room;
  Result mine = detail::reduce_row_groups<tuning::reduce_groups_alone, 0, Result>(in, op, threadIdx.x, Threads);
  mine = detail::reduce_row_loose<1>(in, mine, op, threadIdx.x, Threads);
  mine = detail::combine_block<Threads>(mine, op, room);
  if (threadIdx.x == 0) *result = mine;
}

#endif

struct striped {
  static constexpr std::string_view name = "striped";
  static constexpr std::string_view about = "one launch; blocks stride over the tiles, one gathers";

  static std::string refuses(const reduce_problem& problem, const device& /*machine*/) {
    return problem.commutative ? "" : "needs an operator that says that it is commutative";
  }

  static plan make_plan(const reduce_problem& problem, const device& machine) {
    const auto group = static_cast<std::size_t>(detail::items_of_16_bytes(problem.item_bytes));
    const auto tile_of = [&](std::size_t threads, std::size_t loads) { return threads * loads * group; };
    plan p;
    for (const std::uint32_t threads : {tuning::reduce_threads_alone_few, tuning::reduce_threads_alone}) {
      const std::size_t tile = tile_of(threads, tuning::reduce_groups_alone);
      if (problem.items > tile) continue;
      p.set("tile", tile, "items that the block reads at a time");
      p.steps.push_back({"reduce_tile", 1, threads});
      return p;
    }
    const auto hand_over = [&](std::size_t workers) {
      p.reserve<detail::letter>(workers * detail::letters_of(problem.result_bytes));
    };
    const auto processors = static_cast<std::size_t>(machine.sms);
    for (const std::uint32_t loads : tuning::reduce_row_loads) {
      if (loads > tuning::reduce_most_row_loads(group)) break;
      const std::size_t tile = tile_of(tuning::reduce_row_threads, loads);
      const std::size_t workers = (problem.items + tile - 1) / tile;
      const bool fit = workers <= tuning::reduce_row_threads && workers < processors;
      if (!fit || workers <= loads) continue;  // more workers than loads: all rows but the last are full
      p.set("loads", loads, "of 16 bytes that a thread has, all under way at once");
      p.set("tile", tile, "items that a block reads");
      p.steps.push_back({"reduce_rows", workers + 1, tuning::reduce_row_threads});
      hand_over(workers);
      return p;
    }
    const tuning::reduce_shape& shape = tuning::reduce_tiled;
    const std::size_t most = shape.blocks * processors - 1;
    const std::size_t all = most * tile_of(shape.threads, 1);
    const std::size_t loads = std::min<std::size_t>((problem.items + all - 1) / all, shape.groups);
    const std::size_t tile = tile_of(shape.threads, loads);
    const std::size_t workers = std::min((problem.items + tile - 1) / tile, most);
    p.set("loads", loads, "of 16 bytes that a thread has under way: as few as leave no processor without work");
    p.set("tile", tile, "items that a block reads at a time");
    p.set("streamed", problem.bytes() <= tuning::reduce_streamed_bytes ? 1 : 0, "1: items are loaded past the cache");
    p.steps.push_back({"reduce_tiles", workers + 1, shape.threads});
    hand_over(workers);
    return p;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Op>
  static void run(const gpu& on, const plan& made, const T* items, std::size_t n, Result* result, const Op& op) {
    if constexpr (detail::is_commutative<Op>) {
      const detail::stripes<T> in(items, n);
      const step& reduce = made.steps[0];
      constexpr std::uint32_t few = tuning::reduce_threads_alone_few;
      if (reduce.grid == 1 && reduce.block == few) {
        return detail::launch(on, reduce, reduce_tile<few, T, Result, Op>, detail::rows<T>(in), result, op);
      }
      if (reduce.grid == 1) {
        constexpr std::uint32_t more = tuning::reduce_threads_alone;
        return detail::launch(on, reduce, reduce_tile<more, T, Result, Op>, detail::rows<T>(in), result, op);
      }
      detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
      const detail::mailbox<Result> mail{
          memory.take<detail::letter>((reduce.grid - 1) * detail::letters_of(sizeof(Result))), detail::fresh_stamp()};
      const auto loads = static_cast<unsigned>(made.get("loads"));
      if (reduce.block == tuning::reduce_row_threads) {
        const auto launch = [&](auto kernel) {
          detail::launch(on, reduce, kernel, detail::rows<T>(in), mail, result, op);
        };
        constexpr auto& choice = tuning::reduce_row_loads;
        if (in.groups == 0) return launch(reduce_rows<0, T, Result, Op>);
        if (loads == choice[0]) return launch(reduce_rows<choice[0], T, Result, Op>);
        if (loads == choice[1]) return launch(reduce_rows<choice[1], T, Result, Op>);
        if constexpr (choice[2] <= tuning::reduce_most_row_loads(detail::rows<T>::group)) {
          return launch(reduce_rows<choice[2], T, Result, Op>);
        }
      }
      const auto launch = [&](auto kernel) { detail::launch(on, reduce, kernel, in, op, loads, mail, result); };
      if (made.get("streamed") != 0) return launch(reduce_tiles<true, T, Result, Op>);
      launch(reduce_tiles<false, T, Result, Op>);
    }
  }
#endif
};

}  // namespace peneira::reduce_strategies
