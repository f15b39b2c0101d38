// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The first argument of every call: where it runs. cpu and gpu run; a planner, which explain() makes, takes the same
// call and only keeps its plan, for this machine or for one that is merely described.
#pragma once

#include <concepts>
#include <cstddef>
#include <stdexcept>
#include <type_traits>

#include "peneira/config.hpp"
#include "peneira/cpu/host.hpp"
#include "peneira/memory.hpp"
#include "peneira/plan.hpp"

namespace peneira {

/// Whether the items of a bin keep their input order, or the call may choose any.
enum class order { stable, any };

/// Runs on the threads of this process. threads == 0: as many as the machine (or OMP_NUM_THREADS) offers.
struct cpu {
  unsigned threads = 0;
  peneira::memory* memory = nullptr;  ///< nullptr: the heap
};

/// Runs on the current CUDA device, in stream order.
struct gpu {
  peneira::stream stream = nullptr;
  peneira::memory* memory = nullptr;  ///< nullptr: the device's stream-ordered pool
};

/// A GPU as a plan sees it. The defaults are an H200.
struct device {
  int arch = 90;
  int sms = 132;
  std::size_t shared_per_block = 227 * 1024;  ///< the most a block may opt in to
  std::size_t shared_per_sm = 228 * 1024;
  std::size_t l2 = 60 * 1024 * 1024;
};

/// A place that plans calls instead of running them.
template <class Machine>
struct planner {
  Machine machine;
  plan made{};
  int calls = 0;
};

/// Any of the first arguments that a call accepts.
template <class P>
concept place =
    std::same_as<P, cpu> || std::same_as<P, gpu> || std::same_as<P, planner<host>> || std::same_as<P, planner<device>>;

/// The plan of the one call that `calls` makes on the place it is given. Nothing runs and no data is read, so the
/// arrays may be empty promises: a pointer to nothing and a size.
template <class Calls, class Machine>
plan explain(Calls&& calls, const Machine& machine) {
  planner<Machine> on{machine};
  calls(on);
  if (on.calls != 1) throw std::invalid_argument("explain: the function must make exactly one call on its place");
  return on.made;
}

/// The same for the machine that this program runs on, with all its threads.
template <class Calls>
plan explain(Calls&& calls) {
  return explain(static_cast<Calls&&>(calls), host::here());
}

namespace detail {

/// The memory that a call on this place takes its temporaries from.
inline memory& memory_of(const cpu& on) {
  return on.memory != nullptr ? *on.memory : heap::shared();
}

}  // namespace detail
}  // namespace peneira
