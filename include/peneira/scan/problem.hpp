// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A scan as a plan sees it: sizes, no data. A scan of all items is one of a single segment.
#pragma once

#include <algorithm>
#include <string_view>

#include "peneira/place.hpp"

namespace peneira {

/// What a caller may say about a scan.
struct scan_options {
  bool inclusive = false;          ///< each result has its own item in it; otherwise what is before it alone
  std::string_view strategy = {};  ///< a name from `peneira strategies`; empty: the automatic choice
};

/// A scan as a plan sees it, and as the strategies are asked about it.
struct scan_problem {
  std::size_t items = 0;         ///< how many there are, of all segments
  std::size_t segments = 1;      ///< how many there are
  std::size_t item_bytes = 4;    ///< bytes of an item
  std::size_t result_bytes = 4;  ///< bytes of a result
  std::size_t offset_bytes = 0;  ///< 0: one segment, or segments of one size

  /// Bytes of a result or of its item, whichever are more.
  [[nodiscard]] std::size_t wider_bytes() const { return std::max(item_bytes, result_bytes); }
};

}  // namespace peneira
