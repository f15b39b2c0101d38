// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort as a plan sees it: sizes, no data.
#pragma once

#include <string_view>

#include "peneira/place.hpp"

namespace peneira {

/// What a caller may say about a sort.
///
/// first_bit and last_bit count from the lowest bit of the ordered key: an unsigned number as wide as the key, of which
/// smaller ones come first. Of an unsigned integer this is the key itself; of a signed one the key with its sign bit
/// flipped; of float and double the place of the key in the order of all of them: -infinity is 0, finite numbers follow
/// (-0 right before +0), then +infinity, and last the NaNs: those without a sign by ascending bits, then those with
/// one by descending bits. With `descending` all bits of that number are flipped first. Keys are equal where the bits
/// that count are.
struct sort_options {
  bool descending = false;           ///< the exact reverse of the ascending order of keys; equal keys stay in theirs
  order equal_keys = order::stable;  ///< pairs of equal keys keep their input order; any: the call may choose
  unsigned first_bit = 0;            ///< only these bits count: from first_bit of the ordered key
  unsigned last_bit = 0;             ///< to before last_bit; 0: to the highest
  std::string_view strategy = {};    ///< a name from `peneira strategies`; empty: the automatic choice
};

/// What a caller may say about the published strategy mpp_sort.
struct mpp_sort_limits {
  std::size_t partitions = 0;  ///< of equal widths, any number; 0: as many as make those of uniform keys fit
  std::size_t blocks = 0;      ///< that sort a partition each at a step; 0: two a multiprocessor
  std::size_t run_items = 0;   ///< of runs that the network sorts and a merge joins, a power of two; 0: no merge
};

/// A sort as a plan sees it, and as the strategies are asked about it.
struct sort_problem {
  std::size_t items = 0;             ///< how many there are
  std::size_t key_bytes = 4;         ///< bytes of a key
  std::size_t value_bytes = 0;       ///< 0: keys alone
  unsigned first_bit = 0;            ///< the lowest bit of the ordered key that counts
  unsigned last_bit = 32;            ///< the bit behind the highest that counts
  order equal_keys = order::stable;  ///< keys alone that are compared as a whole count as any
  bool in_place = false;             ///< the output is the input
  mpp_sort_limits mpp = {};          ///< for mpp_sort alone

  /// A sort by whole keys, as other calls need it: of keys alone in any order, since equal ones are the same.
  static sort_problem by_whole_keys(std::size_t items, std::size_t key_bytes, std::size_t value_bytes) {
    sort_problem p;
    p.items = items;
    p.key_bytes = key_bytes;
    p.value_bytes = value_bytes;
    p.last_bit = static_cast<unsigned>(8 * key_bytes);
    if (value_bytes == 0) p.equal_keys = order::any;
    return p;
  }
  /// Bytes of a key and its value.
  [[nodiscard]] std::size_t item_bytes() const { return key_bytes + value_bytes; }
  /// Bytes of all items.
  [[nodiscard]] std::size_t bytes() const { return items * item_bytes(); }
  /// How many bits of a key count.
  [[nodiscard]] unsigned bits() const { return last_bit - first_bit; }
  /// Whether all of them do.
  [[nodiscard]] bool whole_key() const { return bits() == 8 * key_bytes; }
};

/// A sort of rows by several columns, as a plan sees it.
struct column_sort_problem {
  std::size_t items = 0;           ///< how many rows there are
  std::size_t columns = 1;         ///< how many columns
  unsigned words = 1;              ///< of 64 bits that a row's keys have at most
  std::size_t position_bytes = 4;  ///< bytes of a position
  unsigned bits = 64;              ///< of a row's keys, and one for each mask
};

/// A sort of records by a function's keys, as a plan sees it.
struct record_sort_problem {
  std::size_t items = 0;          ///< how many there are
  std::size_t record_bytes = 16;  ///< bytes of a record
  std::size_t key_bytes = 4;      ///< bytes of a key
  bool in_place = false;          ///< the output is the input
};

}  // namespace peneira
