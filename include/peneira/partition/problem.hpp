// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A partition as a plan sees it: sizes, no data.
#pragma once

#include <string_view>

#include "peneira/place.hpp"

namespace peneira {

/// What a caller may say about a partition.
struct partition_options {
  order within_part = order::stable;  ///< items of a part keep their input order; any: the call may choose
  std::string_view strategy = {};     ///< a name from `peneira strategies`; empty: the automatic choice
};

/// A partition as a plan sees it, and as the strategies are asked about it.
struct partition_problem {
  std::size_t items = 0;              ///< how many there are
  std::uint32_t ways = 2;             ///< two parts or three
  std::size_t key_bytes = 4;          ///< bytes of a key
  std::size_t value_bytes = 0;        ///< 0: keys alone
  order within_part = order::stable;  ///< as in the options

  /// Bytes of all items.
  [[nodiscard]] std::size_t bytes() const { return items * (key_bytes + value_bytes); }
};

}  // namespace peneira
