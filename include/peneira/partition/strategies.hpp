// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of partition and the choice among them. To add one: include its file and put its name into a list; to
// prefer it somewhere: edit the choice.
#pragma once

#include "peneira/partition/cpu/sequential.hpp"
#include "peneira/partition/cpu/slices.hpp"
#include "peneira/partition/gpu/ends.hpp"
#include "peneira/partition/gpu/split.hpp"
#include "peneira/partition/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/tuning/gpu_calls.hpp"

namespace peneira {

/// The strategies of partition on a CPU.
using partition_cpu_strategies = strategy_list<partition_strategies::sequential, partition_strategies::slices>;

/// The strategies of partition on a GPU.
using partition_gpu_strategies = strategy_list<partition_strategies::split, partition_strategies::ends>;

namespace detail {

/// Whether the automatic choice on any CPU is sequential for so many bytes.
constexpr bool is_small_partition(std::size_t bytes) {
  return bytes < 2 * tuning::cpu_least_split_bytes;
}

/// The automatic choice on a CPU.
inline choice choose_partition(const partition_problem& problem, const host& /*machine*/) {
  if (is_small_partition(problem.bytes()))
    return {"sequential", "so few items are moved before a team of threads has started"};
  return {"slices", "two parts or three have buffers in the first-level cache, and nothing to predict"};
}

/// The automatic choice on a GPU.
inline choice choose_partition(const partition_problem& problem, const device& machine) {
  if (partition_strategies::ends::refuses(problem, machine).empty()) {
    if (problem.within_part == order::any)
      return {"ends", "two parts in any order can grow from both ends of the output"};
    return {"ends", "so few items are staged in the shared memory of all blocks, and counted there"};
  }
  return {"split", "all items are counted before the second part has a place"};
}

}  // namespace detail
}  // namespace peneira
