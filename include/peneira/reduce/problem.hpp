// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A reduce as a plan sees it: sizes, no data.
#pragma once

#include <string_view>

#include "peneira/place.hpp"

namespace peneira {

/// What a caller may say about a reduce.
struct reduce_options {
  order grouping = order::stable;  ///< items are grouped the same way on every run; any: perhaps as they come
  std::string_view strategy = {};  ///< a name from `peneira strategies`; empty: the automatic choice
};

/// A reduce as a plan sees it, and as the strategies are asked about it.
struct reduce_problem {
  std::size_t items = 0;           ///< how many there are
  std::size_t item_bytes = 4;      ///< bytes of an item
  std::size_t result_bytes = 4;    ///< bytes of the result
  bool commutative = true;         ///< whether the operator says so
  order grouping = order::stable;  ///< as in the options

  /// Bytes that must be read.
  [[nodiscard]] std::size_t bytes() const { return items * item_bytes; }
};

}  // namespace peneira
