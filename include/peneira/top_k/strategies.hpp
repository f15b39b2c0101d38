// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of top_k and segmented_top_k and the choice among them.
#pragma once

#include "peneira/strategy.hpp"
#include "peneira/top_k/cpu/threshold.hpp"
#include "peneira/top_k/problem.hpp"

namespace peneira {

/// The strategies of top_k and segmented_top_k on a CPU.
using top_k_cpu_strategies = strategy_list<top_k_strategies::threshold>;

namespace detail {

/// The automatic choice on a CPU.
inline choice choose_top_k(const top_k_problem& /*problem*/, const host& /*machine*/) {
  return {"threshold", "one look at all keys tells which of them may be wanted"};
}

}  // namespace detail
}  // namespace peneira
