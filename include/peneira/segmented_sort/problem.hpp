// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A segmented sort as a plan sees it: sizes, no data.
#pragma once

#include "peneira/place.hpp"

namespace peneira {

/// A segmented sort as a plan sees it, and as the strategies are asked about it.
struct segmented_sort_problem {
  std::size_t items = 0;          ///< how many there are, of all segments
  std::size_t segments = 1;       ///< how many there are
  std::size_t key_bytes = 4;      ///< bytes of a key
  std::size_t value_bytes = 0;    ///< 0: keys alone
  unsigned first_bit = 0;         ///< the lowest bit of the ordered key that counts
  unsigned last_bit = 32;         ///< the bit behind the highest that counts
  bool in_place = false;          ///< the output is the input
  std::size_t offset_bytes = 4;   ///< 0: segments of one size
  std::size_t segment_items = 0;  ///< of every{size}, where offset_bytes is 0

  /// Bytes of a key and its value.
  [[nodiscard]] std::size_t item_bytes() const { return key_bytes + value_bytes; }
  /// Bytes of all items.
  [[nodiscard]] std::size_t bytes() const { return items * item_bytes(); }
  /// Whether all bits of a key count.
  [[nodiscard]] bool whole_key() const { return last_bit - first_bit == 8 * key_bytes; }
  /// The most items that a segment can have.
  [[nodiscard]] std::size_t longest() const {
    return offset_bytes == 0 && segment_items < items ? segment_items : items;
  }
};

}  // namespace peneira
