// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of segmented_sort and the choice among them.
#pragma once

#include "peneira/segmented_sort/cpu/shares.hpp"
#include "peneira/segmented_sort/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira {

/// The strategies of segmented_sort on a CPU.
using segmented_sort_cpu_strategies = strategy_list<segmented_sort_strategies::shares>;

namespace detail {

/// The automatic choice on a CPU.
inline choice choose_segmented_sort(const segmented_sort_problem& /*problem*/, const host& /*machine*/) {
  return {"shares", "items and segments dealt out evenly together make every shape alike"};
}

}  // namespace detail
}  // namespace peneira
