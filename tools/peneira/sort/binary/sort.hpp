// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line said about a sort of binary items, and the call that does it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "tools/peneira/cli/memory_limit.hpp"
#include "tools/peneira/cli/team.hpp"

namespace peneira::tool {

struct sort_request {
  std::string input;
  std::string out;           ///< empty: not said
  std::string type;          ///< empty: records
  std::uint64_t record = 0;  ///< bytes of one
  std::string key;           ///< FIRST:LENGTH; empty: the whole record
  bool descending = false;
  bool check = false;
  bool quiet = false;
  bool report = false;  ///< of where the time went
  unsigned threads = 0;
  std::string place = "auto";
  std::string strategy;
  std::uint64_t memory = 0;  ///< 0: not said
  std::string folder;        ///< empty: not said

  static constexpr std::uint64_t least_memory = std::uint64_t{1} << 20U;
  static constexpr std::uint64_t least_per_thread = std::uint64_t{1} << 18U;

  [[nodiscard]] std::uint64_t limit() const { return memory != 0 ? memory : half_of_memory(); }
  /// The threads that the command line or the machine offers, fewer where there is hardly any memory.
  [[nodiscard]] unsigned team() const {
    const unsigned offered = team_of(threads);
    return static_cast<unsigned>(
        std::min<std::uint64_t>(offered, std::max<std::uint64_t>(1, limit() / least_per_thread)));
  }
};

/// Sorts, or checks, the items of a file. Throws not_sorted where the file to check is not.
void sort_binary(const sort_request& o);

}  // namespace peneira::tool
