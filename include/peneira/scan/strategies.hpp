// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of scan and segmented_scan, and the choice among them. To add one: include its file and put its name
// into a list; to prefer it somewhere: edit the choice.
#pragma once

#include "peneira/scan/cpu/chunks.hpp"
#include "peneira/scan/cpu/sequential.hpp"
#include "peneira/scan/gpu/tiles.hpp"
#include "peneira/scan/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

/// The strategies of scan and segmented_scan on a CPU.
using scan_cpu_strategies = strategy_list<scan_strategies::sequential, scan_strategies::chunks>;

/// The strategies of scan and segmented_scan on a GPU.
using scan_gpu_strategies = strategy_list<scan_strategies::tiles>;

namespace detail {

/// Whether the automatic choice on any CPU is sequential.
inline bool is_small(const scan_problem& problem) {
  return problem.items + (problem.offset_bytes == 0 ? 0 : problem.segments) < tuning::cpu_plain_scan_items;
}

/// The automatic choice on a CPU.
inline choice choose_scan(const scan_problem& problem, const host& /*machine*/) {
  if (is_small(problem)) return {"sequential", "so few items want nothing but a loop"};
  return {"chunks", "every item is read once from memory and every result written once"};
}

/// The automatic choice on a GPU.
inline choice choose_scan(const scan_problem& /*problem*/, const device& /*machine*/) {
  return {"tiles", "every item is read once and every result written once"};
}

}  // namespace detail
}  // namespace peneira
