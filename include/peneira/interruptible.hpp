// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that can be ended before they are done.
#pragma once

#include <utility>

namespace peneira {

namespace detail {

/// What calls of this thread ask between the phases of their work.
inline thread_local void (*asked_between_phases)() = nullptr;

/// Lets the caller end a call here, by an exception. Threads that help a caller have nobody to ask.
inline void checkpoint() {
  if (asked_between_phases != nullptr) asked_between_phases();
}

}  // namespace detail

/// While one lives, calls of its thread that run on a CPU ask a function between the phases of their work, and what it
/// throws ends them. Then what the output holds is not defined, also where it is the input; the input, where that is
/// apart, is as it was, and nothing is leaked. A phase takes about a second of some hundred million items. Those made
/// while another one lives hide it.
///
/// ```cpp
/// std::vector<std::uint32_t> keys(100'000'000);
/// static volatile std::sig_atomic_t stop = 0;
/// std::signal(SIGINT, [](int) { stop = 1; });
/// const pn::interruptible guard([] {
///   if (stop != 0) throw std::runtime_error("stopped");
/// });
/// pn::sort(pn::cpu{}, keys);
/// ```
class [[nodiscard]] interruptible {
 public:
  /// Asks this, or nobody where it is null.
  explicit interruptible(void (*ask)()) : hidden_(std::exchange(detail::asked_between_phases, ask)) {}
  ~interruptible() { detail::asked_between_phases = hidden_; }
  interruptible(const interruptible&) = delete;
  interruptible& operator=(const interruptible&) = delete;

 private:
  void (*hidden_)();
};

}  // namespace peneira
