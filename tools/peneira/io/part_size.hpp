// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts of files that a thread works on at a time.
#pragma once

#include <algorithm>
#include <cstddef>

namespace peneira::tool {

/// Items of a part, which a cache holds.
constexpr std::size_t part_items(std::size_t item_bytes) {
  return std::max<std::size_t>(1, (std::size_t{1} << 18U) / item_bytes);
}
constexpr std::size_t part_bytes(std::size_t item_bytes) {
  return part_items(item_bytes) * item_bytes;
}

}  // namespace peneira::tool
