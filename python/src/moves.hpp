// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that move or count items: gather, a partition into three, a histogram.
#pragma once

#include <cstddef>
#include <cstdint>

#include "multisplit.hpp"
#include "types.hpp"

namespace peneira::python {

/// What a gather is asked for. Items are of 1, 2, 4, 8 or 16 bytes, positions of 4 or 8.
struct gather_call {
  const void* items;
  std::size_t size;
  unsigned item_bytes;
  const void* positions;
  std::size_t count;
  unsigned position_bytes;
  void* out;
};
template <class Place>
void gather_items(const Place& on, const gather_call& call);

/// What a partition is asked for: items of 4 or 8 bytes by the part that each is in, 0, 1 or 2.
struct partition_call {
  const std::uint8_t* parts;
  std::uint8_t* out_parts;
  const void* items;
  void* out;
  std::size_t size;
  unsigned item_bytes;
  std::int64_t* counts;
  unsigned threads;
};
void partition_items(const partition_call& call);

/// What is added up in each bin: items themselves, or their weights of 8 bytes.
enum class weighed : int { count, whole, real };

/// What a histogram is asked for: bins of keys, of 4 or 8 bytes, as a multisplit has them.
struct histogram_call {
  split_call of;
  const void* weights;
  weighed by;
  void* counts;
};
template <class U, class Place>
void histogram_bits(const Place& on, const histogram_call& call);

}  // namespace peneira::python
