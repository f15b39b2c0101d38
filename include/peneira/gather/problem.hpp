// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A gather or a scatter as a plan sees it: sizes, no data.
#pragma once

#include <string_view>

#include "peneira/place.hpp"

namespace peneira {

/// What a caller may say about a gather or a scatter.
struct gather_options {
  std::string_view strategy = {};  ///< a name from `peneira strategies`; empty: the automatic choice
};

/// A gather or a scatter as a plan sees it, and as the strategies are asked about it.
struct gather_problem {
  std::size_t items = 0;           ///< how many move
  std::size_t item_bytes = 4;      ///< bytes of an item, of all columns together
  std::size_t position_bytes = 4;  ///< bytes of a position, 4 or 8

  /// Bytes that must be read of positions, and written.
  [[nodiscard]] std::size_t bytes() const { return items * (item_bytes + position_bytes); }
};

}  // namespace peneira
