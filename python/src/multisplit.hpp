// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Multisplits of the bits of keys: one compiled split a width serves all types of that width and all bin functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <peneira/place.hpp>
#include <string_view>

#include "types.hpp"

namespace peneira::python {

/// What items are split by. `label`: keys are bins already, and have been checked.
enum class bins_by : int { label, digit, hashed, ranges, splitters };

/// What a multisplit is asked for. Values are of 4 or 8 bytes, or none (0). The table has lo and hi of ranges, or the
/// splitters, of the keys' type; on a GPU the splitters are in its memory, and those of signed integers are flipped to
/// the order of unsigned ones already.
struct split_call {
  const void* keys;
  void* out_keys;
  const void* values;
  void* out_values;
  std::int64_t* offsets;
  std::size_t size;
  type of;
  unsigned value_bytes;
  bins_by by;
  std::uint32_t bins;
  unsigned shift;
  const void* table;
  std::size_t table_size;
};

template <class U, class Place>
void split_bits(const Place& on, const split_call& call);

/// What a multisplit by labels is asked for: offsets are of bins + 1.
struct label_call {
  const void* items;
  void* out;
  unsigned item_bytes;
  std::size_t size;
  const void* labels;
  unsigned label_bytes;
  std::uint32_t bins;
  std::int64_t* offsets;
};
/// Items of 1, 2, 4 or 8 bytes, labels of 4, which have been checked.
void split_by_labels(const cpu& on, const label_call& call);

/// Labels of any integer type as the bins they name. Throws std::invalid_argument, for the call of that name, for one
/// that names none.
void check_labels(std::string_view call, const void* labels, type of, std::size_t size, std::uint32_t bins,
                  std::uint32_t* out, unsigned threads);

/// What a caller's compiled function is: it writes the bins of n keys.
using batched_bins = void (*)(const void* keys, std::uint32_t* bins, std::size_t n);

/// Calls it for parts of the keys, from several threads at once.
void call_bins(batched_bins f, const void* keys, unsigned key_bytes, std::size_t size, std::uint32_t* bins,
               unsigned threads);

}  // namespace peneira::python
