// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of libpeneira._cpu, a file for each family of calls.
#pragma once

#include <nanobind/nanobind.h>
#include <peneira/interruptible.hpp>

#include <chrono>

#include "buffer.hpp"

namespace peneira::python {

/// Lets Python handle its signals, such as that of Ctrl-C, unless it could a moment ago; throws what a handler raises.
inline void handle_signals() {
  using clock = std::chrono::steady_clock;
  thread_local clock::time_point last;
  const auto now = clock::now();
  if (now - last < std::chrono::milliseconds(50)) return;
  last = now;
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

/// Runs f without the interpreter's lock, and returns what it does. Python's signals may end it.
template <class F>
auto unlocked(const F& f) {
  const nb::gil_scoped_release release;
  const interruptible guard(handle_signals);
  return f();
}

void bind_segments(nb::module_& m);
void bind_groups(nb::module_& m);
void bind_moves(nb::module_& m);

}  // namespace peneira::python
