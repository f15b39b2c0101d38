// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of histogram and the choice among them. To add one: include its file and put its name into a list; to
// prefer it somewhere: edit the choice.
#pragma once

#include "peneira/histogram/cpu/sequential.hpp"
#include "peneira/histogram/cpu/tables.hpp"
#include "peneira/histogram/gpu/atomics.hpp"
#include "peneira/histogram/gpu/split.hpp"
#include "peneira/histogram/gpu/tables.hpp"
#include "peneira/histogram/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

/// The strategies of histogram on a CPU.
using histogram_cpu_strategies = strategy_list<histogram_strategies::sequential, histogram_strategies::tables>;

/// The strategies of histogram on a GPU.
using histogram_gpu_strategies =
    strategy_list<histogram_strategies::shared_tables, histogram_strategies::atomics, histogram_strategies::split>;

namespace detail {

/// Whether the automatic choice on any CPU is sequential: of few items, unless their grouping shows.
inline bool is_small(const histogram_problem& problem) {
  return problem.items < 2 * least_counted(problem) && !problem.rounds;
}

/// The automatic choice on a CPU.
inline choice choose_histogram(const histogram_problem& problem, const host& /*machine*/) {
  if (is_small(problem)) return {"sequential", "so few items are counted before a team of threads has started"};
  return {"tables", "every item is read once, and no thread waits for the counters of another"};
}

/// The automatic choice on a GPU.
inline choice choose_histogram(const histogram_problem& problem, const device& machine) {
  if (problem.rounds && problem.grouping == order::stable) {
    return {"split", "sums of floats have the same bits on every run if weights are added up in their order"};
  }
  if (histogram_strategies::shared_tables::refuses(problem, machine).empty()) {
    return {"tables", "counters are in shared memory, of all bins or of some in each pass"};
  }
  return {"atomics", "too many bins to count them in shared memory, some at a time"};
}

}  // namespace detail
}  // namespace peneira
