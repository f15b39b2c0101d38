// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The tile that a warp takes at a time of its share, and the shared memory for it, as the plan and the kernel both see
// it.
#pragma once

#include "peneira/gpu/exchange/stamped_slots.cuh"
#include "peneira/tuning/gpu_reduce.hpp"

namespace peneira::detail {

/// Neighbouring items that a lane has in a tile: a power of two.
PENEIRA_HD constexpr unsigned lane_items(std::size_t item_bytes, std::size_t result_bytes) {
  const std::size_t widest = item_bytes < result_bytes ? result_bytes : item_bytes;
  unsigned items = tuning::segment_most_lane_items;
  while (items > tuning::segment_least_lane_items && items * widest > tuning::segment_lane_bytes) items /= 2;
  return items;
}

/// The layout of a warp's part of the shared memory: bytes from its beginning.
struct warp_tile_memory {
  std::size_t results;  ///< behind the items
  std::size_t carried;  ///< what is carried into each lane's items
  std::size_t marks;    ///< where segments begin, a byte an item
  std::size_t ends;     ///< the ring of segment ends
  std::size_t all;

  PENEIRA_HD constexpr warp_tile_memory(std::size_t item_bytes, std::size_t result_bytes, std::size_t offset_bytes) {
    const std::size_t items = 32 * lane_items(item_bytes, result_bytes);
    results = items * item_bytes;
    carried = results + items * result_bytes;
    marks = carried + 32 * result_bytes;
    ends = marks + items;
    all = ends + (offset_bytes == 0 ? 0 : tuning::segment_ring_bytes);
  }
};

/// Stamped words of a slot for what a block found: two results and 24 bytes more, as any type of that size may be
/// aligned.
PENEIRA_HD constexpr std::size_t share_slot_words(std::size_t result_bytes) {
  const std::size_t alignment = result_bytes % 32 == 0 ? 32 : 16;
  const std::size_t results = (2 * result_bytes + alignment - 1) / alignment * alignment;
  return slot_words((results + 24 + alignment - 1) / alignment * alignment);
}

}  // namespace peneira::detail
