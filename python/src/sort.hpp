// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorts of the bits of keys: one compiled sort a width serves all types of that width, since their order is a value.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types.hpp"

namespace peneira::python {

/// What a sort is asked for. Values are of 4 or 8 bytes, or none (0).
struct sort_call {
  const void* keys;
  void* out_keys;
  const void* values;
  void* out_values;
  std::size_t size;
  type of;
  unsigned value_bytes;
  bool descending;
};

/// What an argsort is asked for. Positions are of 4 or 8 bytes.
struct argsort_call {
  const void* keys;
  void* positions;
  std::size_t size;
  type of;
  unsigned position_bytes;
  bool descending;
};

template <class U, class Place>
void sort_bits(const Place& on, const sort_call& call);
template <class U, class Place>
void argsort_bits(const Place& on, const argsort_call& call);

}  // namespace peneira::python
