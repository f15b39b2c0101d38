// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of group_by and the choice among them. To add one: include its file and put its name into a list; to
// prefer it somewhere: edit the choice.
#pragma once

#include "peneira/group_by/cpu/sorted.hpp"
#include "peneira/group_by/cpu/sorted_items.hpp"
#include "peneira/group_by/cpu/tables.hpp"
#include "peneira/group_by/gpu/sorted_tiles.hpp"
#include "peneira/group_by/gpu/tables.hpp"
#include "peneira/group_by/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

/// The strategies of group_by on a CPU.
using group_by_cpu_strategies = strategy_list<group_by_strategies::tables, group_by_strategies::sorted>;

/// The strategies of group_by on a GPU.
using group_by_gpu_strategies = strategy_list<group_by_strategies::block_tables, group_by_strategies::sorted_tiles>;

/// The strategies of group, which keeps the items of each group, on a CPU.
using group_cpu_strategies = strategy_list<group_by_strategies::sorted_items>;

/// The strategies of group on a GPU.
using group_gpu_strategies = strategy_list<group_by_strategies::sorted_tiles>;

namespace detail {

/// The automatic choice on a CPU.
inline choice choose_group_by(const group_by_problem& problem, const host& /*machine*/) {
  if (problem.items <= tuning::cpu_group_sorted) {
    return {"sorted", "so few items are sorted in a core's cache, whatever their keys are"};
  }
  return {"tables", "a sample of the keys tells it whether one table will do, or partitions, or a sort"};
}

/// The automatic choice on a GPU.
inline choice choose_group_by(const group_by_problem& problem, const device& machine) {
  if (problem.items >= tuning::tables_items && group_by_strategies::block_tables::refuses(problem, machine).empty()) {
    return {"tables", "few groups fit tables in shared memory; where there are more, items are sorted"};
  }
  return {"sorted", "a stable sort brings the items of each group together, and one pass folds them"};
}

/// The same for group, on either.
template <class Machine>
choice choose_group(const group_by_problem& /*problem*/, const Machine& /*machine*/) {
  return {"sorted", "a stable sort brings the items of each group together, in their order"};
}

}  // namespace detail
}  // namespace peneira
