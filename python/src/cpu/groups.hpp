// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Groups of equal keys, which are words of 4 or 8 bytes, in their order as unsigned numbers; and runs of equal
// neighbours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types.hpp"

namespace peneira::python {

/// What a group gathers. `real_sum` is a sum of doubles, whatever the type of the values.
enum class gather_op : int { count, sum, real_sum, min, max };

/// What a group_by is asked for. Values are of 4 or 8 bytes, or none (0). Results are of 64 bits: sums of integers, and
/// the least and greatest of them, as integers of their sign; all others as doubles. There is room for `room` groups.
struct group_by_call {
  const void* keys;
  std::size_t size;
  unsigned key_bytes;
  const void* values;
  type value_of;
  unsigned value_bytes;
  gather_op by;
  void* unique_keys;
  std::uint64_t* results;
  std::size_t room;
  unsigned threads;
};

/// Returns how many groups there are.
std::size_t group_by_words(const group_by_call& call);

/// What run_lengths is asked for, of u32, u64, f32 or f64.
struct runs_call {
  const void* items;
  std::size_t size;
  type of;
  void* values;
  std::int64_t* lengths;
  unsigned threads;
};

/// Returns how many runs there are.
std::size_t run_lengths_of(const runs_call& call);

}  // namespace peneira::python
