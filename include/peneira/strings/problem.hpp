// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort of strings as a plan sees it: sizes, no data.
#pragma once

#include <string>
#include <string_view>

#include "peneira/place.hpp"

namespace peneira {

/// What a caller may say about a sort of strings.
struct sort_strings_options {
  bool descending = false;              ///< the exact reverse of the ascending order; equal strings stay in theirs
  order equal_strings = order::stable;  ///< equal strings keep their input order; any: the call may choose
  std::string_view strategy = {};       ///< a name from `peneira strategies`; empty: the automatic choice
};

/// The knobs of the published strategies.
struct string_merge_shape {
  std::size_t task_size = 100;      ///< strings up to which a task of task_merge_quicksort sorts them by itself
  std::size_t block_threads = 128;  ///< threads of a block of doubling_merge
  std::size_t merge_items = 0;      ///< a thread merges so many at most, longer merges are split; 0: none is
};

/// A sort of strings as a plan sees it, and as the strategies are asked about it.
struct sort_strings_problem {
  std::size_t items = 0;                ///< how many strings there are
  std::size_t offset_bytes = 8;         ///< bytes of a start
  std::size_t index_bytes = 4;          ///< bytes of an entry of the permutation
  bool descending = false;              ///< as in the options
  order equal_strings = order::stable;  ///< as in the options
  string_merge_shape merges = {};       ///< for the published strategies alone
};

namespace detail {

/// Why the published strategies cannot take merge_items; empty if they can.
inline std::string refuse_merge_items(const string_merge_shape& merges) {
  if (merges.merge_items != 1) return "";
  return "needs merge_items of 0, which splits no merge, or of at least 2, not 1";
}

}  // namespace detail
}  // namespace peneira
