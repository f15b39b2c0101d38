// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Reductions of whole arrays and of segments.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types.hpp"

namespace peneira::python {

enum class op : int { sum, prod, min, max, argmin, argmax, any, all, bit_and, bit_or, bit_xor };

/// What a reduction is asked for. Results are of 64 bits for sums and products of integers and for positions, a byte
/// for any and all, and else of the type of the items; on a GPU positions come with their items, 16 bytes in all.
/// Without offsets there is one segment: all items.
struct reduce_call {
  const void* items;
  std::size_t size;
  const std::uint64_t* offsets;
  std::size_t segments;
  void* out;
  op by;
};

template <class T, class Place>
void reduce_numbers(const Place& on, const reduce_call& call);

}  // namespace peneira::python
