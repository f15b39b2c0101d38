// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory a subcommand takes where nobody says it.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace peneira::tool {

/// Half of the machine's memory, and at least 256 MiB.
inline std::uint64_t half_of_memory() {
  const auto pages = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  return std::max(std::uint64_t{1} << 28U, pages / 2 * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
}

}  // namespace peneira::tool
