// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory a subcommand takes: what -S says, or a share of what there is.
#pragma once

#include <fmt/format.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include "tools/peneira/cli/errors.hpp"

namespace peneira::tool {

namespace detail {

/// The number that a file of the system begins with; where it has none ("max"), the largest.
inline std::uint64_t number_in(const std::string& path) {
  constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : none;
}

/// What the control groups leave us, those around ours too.
inline std::uint64_t group_limit() {
  std::uint64_t least = number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes");  // version 1, as a container sees it
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::/")) continue;
    for (std::string path = line.substr(3);; path.erase(path.rfind('/'))) {
      least = std::min(least, number_in("/sys/fs/cgroup" + path + "/memory.max"));
      if (path.empty()) break;
    }
  }
  return least;
}

/// What programs could have without swapping; where the system does not say, all.
inline std::uint64_t available_memory(std::uint64_t all) {
  std::ifstream file("/proc/meminfo");
  std::uint64_t kib = 0;
  for (std::string name; file >> name;) {
    if (name == "MemAvailable:" && file >> kib) return std::min(all, kib * 1024);
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return all;
}

}  // namespace detail

/// Half of the memory that the machine has, or that our control group may take of it; less where others have taken
/// most of it: three quarters of what they left, but an eighth of all at least. The same whenever it is asked.
inline std::uint64_t half_of_memory() {
  static const std::uint64_t found = [] {
    const auto pages = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
    const std::uint64_t all =
        std::min(pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)), detail::group_limit());
    const std::uint64_t left = std::max(all / 8, detail::available_memory(all) / 4 * 3);
    return std::max(std::uint64_t{1} << 24U, std::min(all / 2, left));
  }();
  return found;
}

/// So many bytes as "50%" means of the machine's memory; throws usage_error where it means none.
inline std::uint64_t parse_percent(const std::string& text) {
  double percent = 0;
  const char* const end = text.data() + text.size() - 1;
  const auto read = std::from_chars(text.data(), end, percent);
  if (read.ptr != end || read.ec != std::errc() || !(percent >= 0)) {
    throw usage_error(fmt::format("\"{}\" is not a part of the machine's memory, such as 50%", text));
  }
  const auto pages = static_cast<double>(::sysconf(_SC_PHYS_PAGES));
  const double bytes = percent / 100 * pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return bytes < 0x1p63 ? static_cast<std::uint64_t>(bytes) : std::numeric_limits<std::uint64_t>::max();
}

/// What of a limit is for arrays. Makes the program keep to it: memory that is freed goes back to the system, and with
/// little of it a page that is touched is no huge one.
inline std::uint64_t keep_to(std::uint64_t limit) {
#if defined(__GLIBC__)
  ::mallopt(M_MMAP_THRESHOLD, 1 << 17);  // once it is set it does not grow, and the heap gets no holes of large blocks
#endif
  constexpr std::uint64_t few = std::uint64_t{1} << 28U;
  if (limit >= few) return limit - few / 16;  // the ends of huge pages
  static_cast<void>(::prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
  return limit;
}

}  // namespace peneira::tool
