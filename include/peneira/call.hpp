// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What every call does once its arguments are checked: choose a strategy for its place and run it there, or only plan.
#pragma once

#include <type_traits>

#include "peneira/host.hpp"
#include "peneira/strategy.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// Runs a problem on a cpu or a gpu, by the strategy of a list that was asked for or that choose(machine) names:
/// run(strategy, there, decided) does the work. A planner for one of them only keeps the plan.
template <class List, class Place, class Problem, class Choose, class Run>
void plan_or_run(std::string_view call, Place& on, const Problem& problem, std::string_view asked, const Choose& choose,
                 [[maybe_unused]] const Run& run) {
  using where = std::remove_cvref_t<Place>;
  [[maybe_unused]] const auto run_for = [&](const auto& machine) {
    const choice chosen = asked_or(asked, [&] { return choose(machine); });
    with_chosen<List>(call, problem, machine, chosen, [&](auto s) { run(s, on, s.decide(problem, machine)); });
  };
  if constexpr (std::is_same_v<where, cpu>) {
    run_for(host::here().with_threads(on.threads));
  } else if constexpr (std::is_same_v<where, gpu>) {
#if defined(__CUDACC__)
    run_for(current_device());
#else
    static_assert(!std::is_same_v<where, gpu>, "a call on a GPU: compile this file with nvcc");  // arguments.hpp told
#endif
  } else {
    on.made = plan_by<List>(call, problem, on.machine, asked_or(asked, [&] { return choose(on.machine); }));
    ++on.calls;
  }
}

}  // namespace peneira::detail
