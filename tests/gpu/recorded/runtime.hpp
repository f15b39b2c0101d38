// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A CUDA runtime without a GPU: it says that it is an H200, hands out addresses, and writes down what it is asked to
// launch and to allocate. Linked in place of NVIDIA's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "peneira/plan.hpp"

namespace peneira::test {

struct recorded_call {
  std::vector<step> launches;        ///< as the runtime was asked for them; without names
  std::vector<std::string> kernels;  ///< their names, mangled
  std::size_t bytes = 0;             ///< taken in all
  std::size_t allocations = 0;
};

/// What was asked for since it was asked the last time.
recorded_call take_record();

}  // namespace peneira::test
