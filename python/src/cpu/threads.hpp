// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many threads a loop of this package's own takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <peneira/host.hpp>

namespace peneira::python {

/// Threads for a loop over some items, of which each should have enough; 0: as many as there are.
inline unsigned members_for(std::size_t items, unsigned threads) {
  constexpr std::size_t worth_a_thread = std::size_t{1} << 16U;
  const unsigned most = host::here().with_threads(threads).threads;
  return static_cast<unsigned>(std::clamp<std::size_t>(items / worth_a_thread, 1, most));
}

}  // namespace peneira::python
