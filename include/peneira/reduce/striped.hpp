// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// striped: one launch; the blocks stride over the array tile by tile, and the first of them gathers their results. What
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

/// What a thread of one of several blocks combines of the groups, behind `mine`, `loads` of them at a time, which are
/// at most Together. Index counts them.
template <class Index, unsigned Threads, unsigned Together, bool Streamed, class T, class Result, class Op>
__device__ Result reduce_groups(const stripes<T>& in, Result mine, const Op& op, unsigned block, unsigned blocks,
                                unsigned loads) {
  constexpr unsigned group = stripes<T>::group;
  const auto groups = static_cast<Index>(in.groups);
  const unsigned tile = loads * Threads;
  for (Index begin = Index{block} * tile; begin < groups; begin += Index{blocks} * tile) {
    const unsigned left = groups - begin < tile ? static_cast<unsigned>(groups - begin) : tile;
    const std::size_t position = in.head + (std::size_t{begin} + threadIdx.x) * group;
    alignas(16) T some[Together][group];
#pragma unroll
    for (unsigned g = 0; g < Together; ++g) {
      if (g * Threads + threadIdx.x < left) {
        detail::load_group<group, Streamed>(some[g], in.items + position + g * (Threads * group));
      }
    }
#pragma unroll
    for (unsigned g = 0; g < Together; ++g) {
      if (g * Threads + threadIdx.x >= left) break;
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

/// How several blocks do it.
template <bool Little>
inline constexpr tuning::reduce_shape shape_of = Little ? tuning::reduce_little : tuning::reduce_much;

template <bool Little, bool Streamed, class T, class Result, class Op>
__global__ void __launch_bounds__(shape_of<Little>.threads, shape_of<Little>.blocks)
    reduce_tiles(stripes<T> in, Op op, unsigned loads, detail::mailbox<Result> mail, Result* result) {
  constexpr unsigned threads = shape_of<Little>.threads;
  __shared__ detail::warp_values<Result, threads> room;
  const unsigned workers = gridDim.x - 1;
  Result mine = op.template identity<Result>();
  if (blockIdx.x == 0) {
    if (in.groups != 0) mine = reduce_loose(in, mine, op, threadIdx.x, threads);  // it has time for those few
    for (unsigned b = threadIdx.x; b < workers; b += threads) mine = op(mine, mail.receive(b));
    mine = detail::combine_block<threads>(mine, op, room);
    if (threadIdx.x == 0) *result = mine;
    return;
  }
  const unsigned block = blockIdx.x - 1;
  if (in.groups == 0) {
    mine = reduce_loose(in, mine, op, block * threads + threadIdx.x, std::size_t{workers} * threads);
  } else {
    using index = std::conditional_t<Streamed, unsigned, std::size_t>;
    constexpr unsigned most = shape_of<Little>.groups;
    mine = reduce_groups<index, threads, most, Streamed>(in, mine, op, block, workers, loads);
  }
  mine = detail::combine_block<threads>(mine, op, room);
  if (threadIdx.x == 0) mail.send(block, mine);
}

template <unsigned Threads, class T, class Result, class Op>
__global__ void __launch_bounds__(Threads) reduce_tile(stripes<T> in, Op op, Result* result) {
  __shared__ detail::warp_values<Result, Threads> room;
  if (threadIdx.x == 0) detail::prefetch_address(result);
  Result mine = op.template identity<Result>();
  constexpr unsigned all = tuning::reduce_groups_alone;
  mine = reduce_groups<unsigned, Threads, all, true>(in, mine, op, 0, 1, all);
  mine = reduce_loose(in, mine, op, threadIdx.x, Threads);
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
    const std::size_t group = detail::items_of_16_bytes(problem.item_bytes);
    const auto tile_of = [&](std::size_t threads, std::size_t loads) { return threads * loads * group; };
    plan p;
    for (const std::uint32_t threads : {tuning::reduce_threads_alone_few, tuning::reduce_threads_alone}) {
      const std::size_t tile = tile_of(threads, tuning::reduce_groups_alone);
      if (problem.items > tile) continue;
      p.set("tile", tile, "items that the block reads at a time");
      p.steps.push_back({"reduce_tile", 1, threads});
      return p;
    }
    const bool little = problem.bytes() <= tuning::reduce_little_bytes;
    const tuning::reduce_shape& shape = little ? tuning::reduce_little : tuning::reduce_much;
    const std::size_t most = std::size_t{shape.blocks} * static_cast<std::size_t>(machine.sms) - 1;
    const std::size_t all = most * tile_of(shape.threads, 1);
    const std::size_t loads = std::min<std::size_t>((problem.items + all - 1) / all, shape.groups);
    const std::size_t tile = tile_of(shape.threads, loads);
    const std::size_t workers = std::min((problem.items + tile - 1) / tile, most);
    p.set("little", little ? 1 : 0, "1: small blocks with more loads a thread");
    p.set("loads", loads, "of 16 bytes that a thread has under way: as few as leave no processor without work");
    p.set("tile", tile, "items that a block reads at a time");
    p.set("streamed", problem.bytes() <= tuning::reduce_streamed_bytes ? 1 : 0, "1: items are loaded past the cache");
    p.steps.push_back({"reduce_tiles", workers + 1, shape.threads});
    p.reserve<detail::letter>(workers * detail::letters_of(problem.result_bytes));
    return p;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Op>
  static void run(const gpu& on, const plan& made, const T* items, std::size_t n, Result* result, const Op& op) {
    if constexpr (detail::is_commutative<Op>) {
      const stripes<T> in(items, n);
      const step& reduce = made.steps[0];
      constexpr std::uint32_t few = tuning::reduce_threads_alone_few;
      if (reduce.grid == 1 && reduce.block == few) {
        return detail::launch(on, reduce, reduce_tile<few, T, Result, Op>, in, op, result);
      }
      if (reduce.grid == 1) {
        return detail::launch(on, reduce, reduce_tile<tuning::reduce_threads_alone, T, Result, Op>, in, op, result);
      }
      detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
      const detail::mailbox<Result> mail{
          memory.take<detail::letter>((reduce.grid - 1) * detail::letters_of(sizeof(Result))), detail::fresh_stamp()};
      const auto loads = static_cast<unsigned>(made.get("loads"));
      const auto launch = [&](auto kernel) { detail::launch(on, reduce, kernel, in, op, loads, mail, result); };
      if (made.get("little") != 0) {
        launch(reduce_tiles<true, true, T, Result, Op>);
      } else if (made.get("streamed") != 0) {
        launch(reduce_tiles<false, true, T, Result, Op>);
      } else {
        launch(reduce_tiles<false, false, T, Result, Op>);
      }
    }
  }
#endif
};

}  // namespace peneira::reduce_strategies
