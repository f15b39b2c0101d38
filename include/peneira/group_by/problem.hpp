// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A group_by as a plan sees it: sizes, no data.
#pragma once

#include <string_view>

#include "peneira/place.hpp"

namespace peneira {

/// What a caller may say about a group_by.
struct group_by_options {
  order groups = order::stable;    ///< ascending keys; any: an order that depends on the keys alone, with less work
  std::string_view strategy = {};  ///< a name from `peneira strategies`; empty: the automatic choice
};

/// A group_by as a plan sees it, and as the strategies are asked about it.
struct group_by_problem {
  std::size_t items = 0;         ///< how many there are
  std::size_t room = 0;          ///< groups that the outputs have room for
  std::size_t key_bytes = 4;     ///< bytes of a key
  std::size_t moved_bytes = 4;   ///< bytes that move with a key: of its value, or of its position; 0: none
  std::size_t entry_bytes = 16;  ///< bytes of a key and what its group has gathered
  std::size_t result_bytes = 4;  ///< bytes of a result that is sorted with its key; 0: there is none
  bool results_move = true;      ///< whether results are sorted with their keys, rather than written behind them
  bool by_position = false;      ///< whether items move as their positions
  order groups = order::stable;  ///< as in the options
  std::size_t state_bytes = 8;   ///< bytes of what a group has gathered
  bool keys_vary = false;        ///< whether keys of one group may differ, as those of floats do
  bool keeps_items = false;      ///< whether the items of each group go out, rather than what they come to

  /// Bytes of a key and what moves with it.
  [[nodiscard]] std::size_t item_bytes() const { return key_bytes + moved_bytes; }
  /// Bytes of what a group has gathered; 0: nothing, where keys are all that is wanted.
  [[nodiscard]] std::size_t gathered_bytes() const { return moved_bytes == 0 ? 0 : state_bytes; }
  /// Bytes of all items.
  [[nodiscard]] std::size_t bytes() const { return items * item_bytes(); }
  /// The most groups that a call can return.
  [[nodiscard]] std::size_t most_groups() const { return room < items ? room : items; }
};

}  // namespace peneira
