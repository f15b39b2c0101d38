// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU as a plan sees it: threads and cache sizes, asked of the system once.
#pragma once

#include <algorithm>
#include <fstream>
#include <string>

#include "peneira/config.hpp"
#include "peneira/cores.hpp"

namespace peneira {

/// A CPU as a plan sees it. The cache sizes are those that one core reaches.
struct host {
  unsigned threads = 1;               ///< how many a call may use
  std::size_t l1 = 32 * 1024;         ///< bytes of the first-level data cache
  std::size_t l2 = 1024 * 1024;       ///< bytes of the second-level cache
  std::size_t l3 = 16 * 1024 * 1024;  ///< bytes of the last-level cache

  /// The machine this program runs on.
  static const host& here();

  /// The most threads that a call starts where the machine itself does not offer more.
  static constexpr unsigned most_threads = 1024;

  /// This machine with another number of threads, of which calls start most_threads at most; 0 keeps its own.
  [[nodiscard]] host with_threads(unsigned wanted) const {
    host other = *this;
    if (wanted != 0) other.threads = std::min(wanted, std::max(threads, most_threads));
    return other;
  }
};

namespace detail {

/// Reads Linux's description of the first core's caches; what it does not tell keeps its default.
inline host detect_host() {
  host found;
  found.threads = team_size();
  for (int index = 0; index < 8; ++index) {
    const std::string folder =
        std::string("/sys/devices/system/cpu/cpu0/cache/index").append(std::to_string(index)) + "/";
    std::ifstream level_file(folder + "level");
    std::ifstream type_file(folder + "type");
    std::ifstream size_file(folder + "size");
    int level = 0;
    std::string type;
    std::size_t size = 0;
    char unit = 'K';
    if (!(level_file >> level) || !(type_file >> type) || !(size_file >> size >> unit)) continue;
    if (type == "Instruction" || size == 0) continue;
    size *= unit == 'M' ? 1024 * 1024 : 1024;
    if (level == 1) found.l1 = size;
    if (level == 2) found.l2 = size;
    if (level == 3) found.l3 = size;
  }
  return found;
}

}  // namespace detail

inline const host& host::here() {
  static const host found = detail::detect_host();
  return found;
}

}  // namespace peneira
