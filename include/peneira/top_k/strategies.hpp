// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of top_k and segmented_top_k and the choice among them.
#pragma once

#include "peneira/strategy.hpp"
#include "peneira/top_k/cpu/threshold.hpp"
#include "peneira/top_k/gpu/radix_select.hpp"
#include "peneira/top_k/gpu/sort_all.hpp"
#include "peneira/top_k/problem.hpp"
#include "peneira/tuning/gpu_calls.hpp"

namespace peneira {

/// The strategies of top_k and segmented_top_k on a CPU.
using top_k_cpu_strategies = strategy_list<top_k_strategies::threshold>;

/// The strategies of top_k on a GPU.
using top_k_gpu_strategies = strategy_list<top_k_strategies::radix_select, top_k_strategies::sort_all>;

namespace detail {

/// The automatic choice on a CPU.
inline choice choose_top_k(const top_k_problem& /*problem*/, const host& /*machine*/) {
  return {"threshold", "one look at all keys tells which of them may be wanted"};
}

/// The automatic choice on a GPU.
inline choice choose_top_k(const top_k_problem& problem, const device& machine) {
  if (problem.sorted && problem.items <= tuning::top_k_sorted_items) {
    return {"sort_all", "so few items are sorted before the last wanted one is found"};
  }
  const bool selects = top_k_strategies::radix_select::refuses(problem, machine).empty();
  if (problem.sorted && (!selects || problem.k > problem.items / tuning::select_share)) {
    return {"sort_all", "most of the work is to sort what is wanted"};
  }
  return {"radix_select", "the last wanted item is found first, then what comes before it is taken"};
}

}  // namespace detail
}  // namespace peneira
