// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many items a thread of a scan has, known from their sizes alone.
#pragma once

#include <algorithm>

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/tuning/gpu_calls.hpp"

namespace peneira::detail {

/// Neighbouring items that a lane has in a row: those whose results fill 16 bytes, or their items where these are
/// wider.
constexpr unsigned scan_group(std::size_t wider_bytes) {
  return static_cast<unsigned>(items_of_16_bytes(wider_bytes));
}
/// Rows of a warp; by segments, where values are wider than results, half as many.
constexpr unsigned scan_rows_of(std::size_t wider_bytes, bool segmented) {
  const unsigned group = scan_group(wider_bytes);
  const unsigned by_items = static_cast<unsigned>(tuning::scan_lane_items) / group;
  const auto by_bytes = static_cast<unsigned>(tuning::scan_lane_bytes / (group * wider_bytes));
  return std::max(1U, std::min(by_items, by_bytes) / (segmented ? 2 : 1));
}
/// Items of a block's tile.
constexpr std::size_t scan_tile_items(std::size_t wider_bytes, bool segmented) {
  return std::size_t{tuning::scan_threads} * scan_rows_of(wider_bytes, segmented) * scan_group(wider_bytes);
}

template <class T, class Result, bool Segmented>
struct scan_shape {
  static constexpr std::size_t wider = sizeof(T) > sizeof(Result) ? sizeof(T) : sizeof(Result);
  static constexpr unsigned group = scan_group(wider);
  static constexpr unsigned rows = scan_rows_of(wider, Segmented);
  static constexpr std::size_t tile = scan_tile_items(wider, Segmented);
};

}  // namespace peneira::detail
