// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What every call does once its arguments are checked: plan for its place and run there, or only keep the plan.
#pragma once

#include <type_traits>

#include "peneira/host.hpp"
#include "peneira/place.hpp"
#include "peneira/plan.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// `planned(machine)` makes the plan; `run(on, plan)` does the work on a cpu, `run(on, plan, gpu_only...)` on a gpu.
template <class Place, class Planned, class Run, class... GpuOnly>
void plan_and_run(Place& on, const Planned& planned, [[maybe_unused]] const Run& run,
                  [[maybe_unused]] GpuOnly... gpu_only) {
  using where = std::remove_cvref_t<Place>;
  if constexpr (std::is_same_v<where, cpu>) {
    run(on, planned(host::here().with_threads(on.threads)));
  } else if constexpr (std::is_same_v<where, gpu>) {
#if defined(__CUDACC__)
    run(on, planned(current_device()), gpu_only...);
#else
    static_assert(!std::is_same_v<where, gpu>, "a call on a GPU: compile this file with nvcc");  // arguments.hpp told
#endif
  } else {
    on.made = planned(on.machine);
    ++on.calls;
  }
}

}  // namespace peneira::detail
