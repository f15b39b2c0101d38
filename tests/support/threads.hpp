// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests of the team: how many threads there are.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace peneira::test {

/// The threads that this process has now.
inline std::ptrdiff_t threads_now() {
  using iterator = std::filesystem::directory_iterator;
  return std::distance(iterator("/proc/self/task"), iterator());
}

}  // namespace peneira::test
