// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls on segments: sorts, the first of an order, scans. Offsets are of 64 bits, one more than segments.
#pragma once

#include <cstddef>
#include <cstdint>

#include "types.hpp"

namespace peneira::python {

/// Segments of some items.
struct segment_table {
  const std::uint64_t* offsets;
  std::size_t count;
};

/// What a segmented sort is asked for. Keys and values are of 4 or 8 and of 0 or 4 bytes.
struct segmented_sort_call {
  const void* keys;
  void* out_keys;
  const void* values;
  void* out_values;
  std::size_t size;
  type of;
  unsigned value_bytes;
  segment_table segments;
  bool descending;
};

/// What a top_k is asked for: of each segment the first `k` of the order, to its own `k` places. On a GPU there is one
/// segment, and values are positions.
struct top_k_call {
  const void* keys;
  void* out_keys;
  const void* values;
  void* out_values;
  std::size_t size;
  type of;
  unsigned value_bytes;
  segment_table segments;
  std::size_t k;
  bool least;
  bool sorted;
};

enum class scan_op : int { sum, prod, min, max };

/// What a scan is asked for, of i64, u64, f32 or f64. Results may replace the items. On a GPU there is one segment.
struct scan_call {
  const void* items;
  void* out;
  std::size_t size;
  type of;
  scan_op by;
  segment_table segments;
  bool inclusive;
};

template <class U, class Place>
void sort_segments(const Place& on, const segmented_sort_call& call);
template <class U, class Place>
void top_k_of(const Place& on, const top_k_call& call);
template <class Place>
void scan_items(const Place& on, const scan_call& call);

}  // namespace peneira::python
