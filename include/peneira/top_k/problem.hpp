// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The greatest items of an array, or of each of its segments, as a plan sees it: sizes, no data.
#pragma once

#include <algorithm>
#include <string_view>

#include "peneira/place.hpp"

namespace peneira {

/// What a caller may say about top_k and segmented_top_k.
struct top_k_options {
  bool least = false;              ///< the least items instead of the greatest
  bool sorted = true;              ///< by their keys, the greatest (or least) first; false: in the order of the input
  std::string_view strategy = {};  ///< a name from the strategies' list; empty: the automatic choice
};

/// A top_k as a plan sees it, and as the strategies are asked about it.
struct top_k_problem {
  std::size_t items = 0;          ///< how many there are, of all segments
  std::size_t k = 1;              ///< how many are wanted of each segment
  std::size_t key_bytes = 4;      ///< bytes of a key
  std::size_t value_bytes = 0;    ///< 0: keys alone
  bool sorted = true;             ///< as in the options
  std::size_t segments = 1;       ///< how many there are; top_k has one
  std::size_t offset_bytes = 0;   ///< 0: segments of one size
  std::size_t segment_items = 0;  ///< that size

  /// Bytes of a key and its value.
  [[nodiscard]] std::size_t item_bytes() const { return key_bytes + value_bytes; }
  /// The most items that a segment can have.
  [[nodiscard]] std::size_t longest() const {
    return offset_bytes == 0 && segment_items < items ? segment_items : items;
  }
  /// The most items that come of a segment.
  [[nodiscard]] std::size_t most_kept() const { return std::min(k, longest()); }
};

}  // namespace peneira
