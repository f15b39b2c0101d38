// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of gather and scatter, and the choice among them. To add one: include its file and put its name into a
// list; to prefer it somewhere: edit the choice.
#pragma once

#include "peneira/gather/cpu/sequential.hpp"
#include "peneira/gather/cpu/slices.hpp"
#include "peneira/gather/gpu/lanes.hpp"
#include "peneira/gather/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

/// The strategies of gather and scatter on a CPU.
using gather_cpu_strategies = strategy_list<gather_strategies::sequential, gather_strategies::slices>;

/// The strategies of gather and scatter on a GPU.
using gather_gpu_strategies = strategy_list<gather_strategies::lanes>;

namespace detail {

/// Whether the automatic choice on any CPU is sequential.
inline bool is_small(const gather_problem& problem) {
  return problem.bytes() < 2 * tuning::cpu_least_split_bytes;
}

/// The automatic choice on a CPU.
inline choice choose_gather(const gather_problem& problem, const host& /*machine*/) {
  if (is_small(problem)) return {"sequential", "so few items are moved before a team of threads has started"};
  return {"slices", "more threads wait for more cache lines at a time"};
}

/// The automatic choice on a GPU.
inline choice choose_gather(const gather_problem& /*problem*/, const device& /*machine*/) {
  return {"lanes", "positions are read once, whatever the number of columns"};
}

}  // namespace detail
}  // namespace peneira
