// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of segmented_sort and the choice among them.
#pragma once

#include "peneira/segmented_sort/cpu/shares.hpp"
#include "peneira/segmented_sort/gpu/by_positions.hpp"
#include "peneira/segmented_sort/gpu/enumeration.hpp"
#include "peneira/segmented_sort/gpu/tasks.hpp"
#include "peneira/segmented_sort/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira {

/// The strategies of segmented_sort on a CPU.
using segmented_sort_cpu_strategies = strategy_list<segmented_sort_strategies::shares>;

/// The strategies of segmented_sort on a GPU.
using segmented_sort_gpu_strategies =
    strategy_list<segmented_sort_strategies::enumeration, segmented_sort_strategies::tasks,
                  segmented_sort_strategies::by_positions>;

namespace detail {

/// The automatic choice on a CPU.
inline choice choose_segmented_sort(const segmented_sort_problem& /*problem*/, const host& /*machine*/) {
  return {"shares", "items and segments dealt out evenly together make every shape alike"};
}

/// The automatic choice on a GPU.
inline choice choose_segmented_sort(const segmented_sort_problem& problem, const device& machine) {
  if (segmented_sort_strategies::enumeration::refuses(problem, machine).empty()) {
    return {"enumeration", "so few that counting what comes before each is soonest done: one launch"};
  }
  if (!problem.whole_key()) return {"by_positions", "some bits of the keys alone"};
  if (!segmented_sort_strategies::tasks::refuses(problem, machine).empty()) {
    return {"by_positions", "tasks of such pairs do not fit the shared memory"};
  }
  return {"tasks", "small segments packed together and giants split make every shape alike"};
}

}  // namespace detail
}  // namespace peneira
