// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A segmented reduce as a plan sees it: sizes, no data.
#pragma once

#include <string_view>

#include "peneira/place.hpp"
#include "peneira/segments.hpp"

namespace peneira {

/// What a caller may say about a segmented reduce.
struct segmented_reduce_options {
  order grouping = order::stable;  ///< items are grouped the same way on every run; any: perhaps as they come
  std::string_view strategy = {};  ///< a name from `peneira strategies`; empty: the automatic choice
  bool checked = false;            ///< GPU only: wait for the call and throw if offsets are wrong (the CPU always does)
};

/// What the published best_reduce gives to a warp, to a block and to the whole grid: segments of fewer than warp_items,
/// of fewer than block_items, and longer ones. 0: the number that was found for the device, or else the paper's.
struct best_reduce_limits {
  std::size_t warp_items = 0;   ///< a warp takes shorter segments
  std::size_t block_items = 0;  ///< a block takes shorter segments, the grid longer ones; no less than warp_items
};

/// A segmented reduce as a plan sees it, and as the strategies are asked about it.
struct segmented_reduce_problem {
  std::size_t items = 0;           ///< how many there are, of all segments
  std::size_t segments = 1;        ///< how many there are
  std::size_t item_bytes = 4;      ///< bytes of an item
  std::size_t result_bytes = 4;    ///< bytes of a result
  std::size_t offset_bytes = 4;    ///< 0: segments of one size
  bool commutative = true;         ///< whether the operator says so
  order grouping = order::stable;  ///< as in the options
  bool checked = false;            ///< as in the options
  best_reduce_limits limits{};     ///< of best_reduce alone
  std::size_t segment_items = 0;   ///< of every{size}, where offset_bytes is 0

  /// Bytes that must be read and written.
  [[nodiscard]] std::size_t bytes() const { return items * item_bytes + segments * (result_bytes + offset_bytes); }
};

}  // namespace peneira
