// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of reduce and the choice among them. To add one: include its file and put its name into a list; to
// prefer it somewhere: edit the choice.
#pragma once

#include "peneira/reduce/cpu/sequential.hpp"
#include "peneira/reduce/cpu/slices.hpp"
#include "peneira/reduce/gpu/ordered.hpp"
#include "peneira/reduce/gpu/persistent.hpp"
#include "peneira/reduce/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

/// The strategies of reduce on a CPU.
using reduce_cpu_strategies = strategy_list<reduce_strategies::sequential, reduce_strategies::slices>;

/// The strategies of reduce on a GPU.
using reduce_gpu_strategies = strategy_list<reduce_strategies::persistent, reduce_strategies::ordered>;

namespace detail {

/// The automatic choice on a CPU.
inline choice choose_reduce(const reduce_problem& problem, const host& /*machine*/) {
  if (problem.items < tuning::cpu_plain_reduce_items) return {"sequential", "so few items want nothing but a loop"};
  return {"slices", "every item is read once, by as many threads and streams as keep the memory busy"};
}

/// What the automatic choice does where slices are small, for a call of some nanoseconds that cannot wait for a plan.
template <class Result, class T, class Op>
[[gnu::always_inline]] inline Result reduce_few(const T* items, std::size_t n, const Op& op) {
  if (n < tuning::cpu_plain_reduce_items) return reference::reduce<Result>(items, 0, n, op);
  return fold_items<Result>(items, 0, n, op);
}

/// The automatic choice on a GPU.
inline choice choose_reduce(const reduce_problem& problem, const device& /*machine*/) {
  if (!problem.commutative) return {"ordered", "the operator does not say that it is commutative"};
  return {"persistent", "one launch at the speed of the memory"};
}

}  // namespace detail
}  // namespace peneira
