// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU as a plan sees it: threads and cache sizes, asked of the system once.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

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
    const std::string levels = text_of_file((folder + "level").c_str());
    const std::string sizes = text_of_file((folder + "size").c_str());
    std::string_view level_text = levels;
    std::string_view size_text = sizes;
    std::uint64_t level = 0;
    std::uint64_t size = 0;
    if (!take_number(level_text, level) || !take_number(size_text, size) || size == 0) continue;
    if (text_of_file((folder + "type").c_str()).starts_with("Instruction")) continue;
    size *= size_text.starts_with('M') ? 1024U * 1024U : 1024U;
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
