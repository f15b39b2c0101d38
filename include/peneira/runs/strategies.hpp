// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of unique and run_lengths and the choice among them. To add one: include its file and put its name
// into a list; to prefer it somewhere: edit the choice.
#pragma once

#include "peneira/runs/cpu/pieces.hpp"
#include "peneira/runs/cpu/sequential.hpp"
#include "peneira/runs/gpu/tiles.hpp"
#include "peneira/runs/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

/// The strategies of unique and run_lengths on a CPU.
using runs_cpu_strategies = strategy_list<runs_strategies::sequential, runs_strategies::pieces>;

/// The strategies of unique and run_lengths on a GPU.
using runs_gpu_strategies = strategy_list<runs_strategies::tiles>;

namespace detail {

/// Whether the automatic choice on any CPU is sequential.
inline bool is_small(const runs_problem& problem) {
  return problem.bytes() < tuning::cpu_least_runs_bytes;
}

/// The automatic choice on a CPU.
inline choice choose_runs(const runs_problem& problem, const host& machine) {
  if (is_small(problem) || machine.threads == 1) return {"sequential", "one thread need not count what it writes"};
  return {"pieces", "runs are counted first, so that every thread knows where to write its own"};
}

/// The automatic choice on a GPU.
inline choice choose_runs(const runs_problem& /*problem*/, const device& /*machine*/) {
  return {"tiles", "every item is read once, and every run written once"};
}

}  // namespace detail
}  // namespace peneira
