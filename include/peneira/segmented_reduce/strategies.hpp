// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of segmented_reduce and the choice among them. To add one: include its file and put its name into a
// list; to prefer it somewhere: edit the choice.
#pragma once

#include "peneira/segmented_reduce/cpu/sequential.hpp"
#include "peneira/segmented_reduce/cpu/shares.hpp"
#include "peneira/segmented_reduce/gpu/even.hpp"
#include "peneira/segmented_reduce/gpu/merged.hpp"
#include "peneira/segmented_reduce/gpu/per_segment.hpp"
#include "peneira/segmented_reduce/gpu/tiles.hpp"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

/// The strategies of segmented_reduce on a CPU.
using segmented_reduce_cpu_strategies =
    strategy_list<segmented_reduce_strategies::sequential, segmented_reduce_strategies::shares>;

/// The strategies of segmented_reduce on a GPU.
using segmented_reduce_gpu_strategies =
    strategy_list<segmented_reduce_strategies::even, segmented_reduce_strategies::per_segment,
                  segmented_reduce_strategies::tiles, segmented_reduce_strategies::merged>;

namespace detail {

/// The automatic choice on a CPU.
inline choice choose_segmented_reduce(const segmented_reduce_problem& problem, const host& /*machine*/) {
  if (problem.items + problem.segments < tuning::cpu_plain_reduce_items) {
    return {"sequential", "so few items and segments want nothing but a loop"};
  }
  return {"shares", "items and segments dealt out evenly together make every shape alike"};
}

/// What the automatic choice does where shares are small, for a call of some nanoseconds that cannot wait for a plan.
template <class T, class Segments, class Result, class Op>
[[gnu::noinline]] void segmented_reduce_few(const T* items, std::size_t n, Segments segments, std::size_t count,
                                            Result* results, const Op& op) {
  if (n + count < tuning::cpu_plain_reduce_items) {
    return segmented_reduce_strategies::sequential::fold(items, n, segments, count, results, op);
  }
  segmented_reduce_strategies::shares::fold_alone(items, n, segments, count, results, op);
}

/// The automatic choice on a GPU.
inline choice choose_segmented_reduce(const segmented_reduce_problem& problem, const device& machine) {
  if (segmented_reduce_strategies::even::refuses(problem, machine).empty()) {
    return {"even", "every segment lies within what a warp loads at a time"};
  }
  using segmented_reduce_strategies::per_segment;
  if (per_segment::refuses(problem, machine).empty() && per_segment::suits(problem)) {
    return {"per_segment", "items are not so many that a search for equal shares would pay"};
  }
  using segmented_reduce_strategies::tiles;
  if (tiles::refuses(problem, machine).empty() && tiles::suits(problem)) {
    return {"tiles", "segments are short on average, so that a lane may take one"};
  }
  return {"merged", "items and segments are shared out evenly together"};
}

}  // namespace detail
}  // namespace peneira
