// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// unique and run_lengths as a plan sees them: sizes, no data.
#pragma once

#include <string_view>

#include "peneira/place.hpp"

namespace peneira {

/// What a caller may say about unique and run_lengths.
struct run_options {
  std::string_view strategy = {};  ///< a name from `peneira strategies`; empty: the automatic choice
};

/// unique or run_lengths as a plan sees it, and as the strategies are asked about it.
struct runs_problem {
  std::size_t items = 0;         ///< how many there are
  std::size_t key_bytes = 4;     ///< bytes of an item
  std::size_t length_bytes = 0;  ///< bytes of a length; 0: none are wanted

  /// Bytes that must be read.
  [[nodiscard]] std::size_t bytes() const { return items * key_bytes; }
};

}  // namespace peneira
