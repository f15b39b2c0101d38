// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The first argument of every call: where it runs. cpu and gpu run; a planner, which explain() makes, takes the same
// call and only keeps its plan, for this machine or for one that is merely described.
#pragma once

#include <concepts>
#include <stdexcept>
#include <type_traits>

#include "peneira/host.hpp"
#include "peneira/memory.hpp"
#include "peneira/plan.hpp"

namespace peneira {

/// What a call promises about order. `stable`: the items of a bin, pairs of equal keys and equal strings keep their
/// input order, and a reduction groups its items the same way on every run. `any`: the call may choose, and be faster.
enum class order { stable, any };

/// Runs on threads of this process, and returns when the work is done. Beside the caller's, these are threads that all
/// calls share, from the first that wants them on, at most four a core; a child of fork() starts its own.
struct cpu {
  unsigned threads = 0;               ///< 0: what the machine, or OMP_NUM_THREADS, offers; no more than that or 1024
  peneira::memory* memory = nullptr;  ///< nullptr: the heap
};

/// Runs on the current CUDA device, in stream order: a call returns when its work is queued, and neither waits nor
/// reads device memory (but sort_strings, which must). Arrays are device memory; the file must be compiled by nvcc.
struct gpu {
  peneira::stream stream = nullptr;   ///< a cudaStream_t; nullptr: the default stream
  peneira::memory* memory = nullptr;  ///< nullptr: the device's stream-ordered pool
};

/// A GPU as a plan sees it. The defaults are an H200.
struct device {
  int arch = 90;                              ///< compute capability times ten
  int sms = 132;                              ///< multiprocessors
  std::size_t shared_per_block = 227 * 1024;  ///< the most a block may opt in to
  std::size_t shared_per_sm = 228 * 1024;     ///< bytes that the blocks of a multiprocessor share
  std::size_t l2 = 60 * 1024 * 1024;          ///< bytes of the second-level cache
};

/// A place that plans calls instead of running them, for a host or a device; explain() makes one.
template <class Machine>
struct planner {
  Machine machine;  ///< what it plans for
  plan made{};      ///< the plan of the last call
  int calls = 0;    ///< how many were made
};

/// Any of the first arguments that a call accepts: cpu, gpu, or a planner for one of them.
template <class P>
concept place =
    std::same_as<P, cpu> || std::same_as<P, gpu> || std::same_as<P, planner<host>> || std::same_as<P, planner<device>>;

/// The plan of the one call that `calls` makes on the place it is given. Nothing runs and no data is read, so the
/// arrays may be empty promises: a pointer to nothing and a size. Throws std::invalid_argument where the call would,
/// and where there is not exactly one.
///
/// ```cpp
/// std::uint32_t* const none = nullptr;
/// const auto call = [&](auto& on) { pn::sort(on, pn::items(none, 1U << 28)); };
/// const pn::plan p = pn::explain(call, pn::device{.arch = 90, .sms = 132});       // an H200, which need not be here
/// std::puts(pn::to_string(p).c_str());
/// ```
template <class Calls, class Machine>
plan explain(Calls&& calls, const Machine& machine) {
  planner<Machine> on{machine};
  calls(on);
  if (on.calls != 1) throw std::invalid_argument("explain: the function must make exactly one call on its place");
  return on.made;
}

/// The same for the CPU that this program runs on, with all its threads.
template <class Calls>
plan explain(Calls&& calls) {
  return explain(static_cast<Calls&&>(calls), host::here());
}

namespace detail {

/// The memory that a call on this place takes its temporaries from.
inline memory& memory_of(const cpu& on) {
  return on.memory != nullptr ? *on.memory : heap::shared();
}
memory& memory_of(const gpu& on);
/// The stream that it follows; a call on a CPU has none.
inline stream stream_of(const cpu& /*on*/) {
  return nullptr;
}
inline stream stream_of(const gpu& on) {
  return on.stream;
}

}  // namespace detail
}  // namespace peneira
