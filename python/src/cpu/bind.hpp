// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of libpeneira._cpu, a file for each family of calls.
#pragma once

#include <nanobind/nanobind.h>

#include "buffer.hpp"

namespace peneira::python {

/// Runs f without the interpreter's lock, and returns what it does.
template <class F>
auto unlocked(const F& f) {
  const nb::gil_scoped_release release;
  return f();
}

void bind_segments(nb::module_& m);
void bind_groups(nb::module_& m);
void bind_moves(nb::module_& m);

}  // namespace peneira::python
