// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels find out about the groups of a call, on the device: which way is taken.
#pragma once

#include <cstdint>

namespace peneira::detail {

/// All of it is 0 at first.
struct table_words {
  std::uint64_t kept;      ///< items that are split into parts: all, or none
  std::uint32_t count;     ///< groups of all items, as far as one table has found them
  std::uint32_t too_many;  ///< not 0: more than it holds
  std::uint32_t by_parts;  ///< 1: items are split into parts
  std::uint32_t by_sort;   ///< 1: items are sorted
  std::uint32_t listed;    ///< 1: the groups of parts are listed
  std::uint32_t groups;    ///< how many are
  std::uint32_t met;       ///< keys that differ, of each sample, in all
  std::uint32_t once;      ///< of these, those that it has once
  std::uint32_t twice;     ///< and twice
  std::uint32_t surveyed;  ///< samples
};

}  // namespace peneira::detail
