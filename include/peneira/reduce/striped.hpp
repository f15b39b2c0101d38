// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// striped: one launch; the blocks stride over the array tile by tile, and the last of them gathers their results.
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

/// What the threads of one of several blocks read of an array: groups of 16 bytes, tile by tile.
template <bool Streamed, class T, class Result, class Op>
__device__ Result reduce_stripes(const T* items, std::size_t n, const Op& op, unsigned block, unsigned blocks) {
  constexpr unsigned threads = tuning::reduce_threads;
  constexpr unsigned together = tuning::reduce_groups;
  constexpr unsigned group = detail::items_of_16_bytes(sizeof(T));
  Result mine = op.template identity<Result>();
  const auto take = [&](const T& item, std::size_t at) { mine = op(mine, detail::lifted<Result>(op, item, at)); };

  const auto address = reinterpret_cast<std::uintptr_t>(items);
  const bool by_groups = group > 1 ? (16 - address % 16) % sizeof(T) == 0 : detail::aligned_for<T, 1>(items);
  if (!by_groups) {  // never at a multiple of 16 bytes, or of what a wide item is loaded by: item by item
    for (std::size_t at = block * threads + threadIdx.x; at < n; at += blocks * threads) take(items[at], at);
    return mine;
  }
  // Items before the first such multiple and behind the last are left to the first block.
  const std::size_t before = group > 1 ? (16 - address % 16) % 16 / sizeof(T) : 0;
  const std::size_t head = before < n ? before : n;
  const std::size_t groups = (n - head) / group;
  const std::size_t rest = head + groups * group;
  if (block == 0) {
    if (threadIdx.x < head) take(items[threadIdx.x], threadIdx.x);
    if (threadIdx.x < n - rest) take(items[rest + threadIdx.x], rest + threadIdx.x);
  }
  for (std::size_t tile = std::size_t{block} * threads * together; tile < groups;
       tile += std::size_t{blocks} * threads * together) {
    const auto first_of = [&](unsigned k) { return head + (tile + k * threads + threadIdx.x) * group; };
    const bool whole = tile + threads * together <= groups;
    alignas(16) T some[together][group];
#pragma unroll
    for (unsigned k = 0; k < together; ++k) {
      if (whole || first_of(k) < rest) detail::load_group<group, Streamed>(some[k], items + first_of(k));
    }
#pragma unroll
    for (unsigned k = 0; k < together; ++k) {
      if (!whole && first_of(k) >= rest) continue;
#pragma unroll
      for (unsigned g = 0; g < group; ++g) take(some[k][g], first_of(k) + g);
    }
  }
  return mine;
}

template <bool Streamed, class T, class Result, class Op>
__global__ void __launch_bounds__(tuning::reduce_threads, tuning::reduce_blocks_a_processor)
    reduce_tiles(const T* items, std::size_t n, Op op, detail::mailbox<Result> mail, Result* result) {
  constexpr unsigned threads = tuning::reduce_threads;
  __shared__ detail::warp_values<Result, threads> room;
  const unsigned workers = gridDim.x == 1 ? 1 : gridDim.x - 1;
  Result mine = op.template identity<Result>();
  if (blockIdx.x < workers) {
    mine = reduce_stripes<Streamed, T, Result>(items, n, op, blockIdx.x, workers);
  } else {
    for (unsigned b = threadIdx.x; b < workers; b += threads) mine = op(mine, mail.receive(b));
  }
  mine = detail::combine_block<threads>(mine, op, room);
  if (threadIdx.x != 0) return;
  if (blockIdx.x < workers && gridDim.x > 1) {
    mail.send(blockIdx.x, mine);
  } else {
    *result = mine;
  }
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
    const std::size_t tile = tuning::reduce_threads * tuning::reduce_groups * group;
    const std::size_t most = std::size_t{tuning::reduce_blocks_a_processor} * static_cast<std::size_t>(machine.sms) - 1;
    const std::size_t workers = std::clamp<std::size_t>((problem.items + tile - 1) / tile, 1, most);
    plan p;
    p.set("tile", tile, "items that a block reads at a time");
    p.set("streamed", problem.bytes() <= tuning::reduce_streamed_bytes ? 1 : 0, "1: items are loaded past the cache");
    p.steps.push_back({"reduce_tiles", workers == 1 ? 1 : workers + 1, tuning::reduce_threads});
    if (workers > 1) p.reserve<detail::letter>(workers * detail::letters_of(problem.result_bytes));
    return p;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Op>
  static void run(const gpu& on, const plan& made, const T* items, std::size_t n, Result* result, const Op& op) {
    if constexpr (detail::is_commutative<Op>) {
      const step& reduce = made.at("reduce_tiles");
      detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
      const detail::mailbox<Result> mail{
          memory.take<detail::letter>((reduce.grid - 1) * detail::letters_of(sizeof(Result))), detail::fresh_stamp()};
      const auto launch = [&](auto kernel) { detail::launch(on, reduce, kernel, items, n, op, mail, result); };
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
