// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many items a block partitions, known from their sizes alone.
#pragma once

#include <algorithm>

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/tuning/gpu_calls.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Neighbouring items that a lane has in a row, and rows of a warp, by the wider of its columns.
constexpr unsigned partition_group(std::size_t wider_bytes) {
  return static_cast<unsigned>(items_of_16_bytes(wider_bytes));
}
constexpr unsigned partition_rows(std::size_t wider_bytes) {
  const unsigned group = partition_group(wider_bytes);
  const auto by_items = static_cast<unsigned>(tuning::partition_lane_items) / group;
  const auto by_bytes = static_cast<unsigned>(tuning::partition_lane_bytes / (group * wider_bytes));
  return std::max(1U, std::min(by_items, by_bytes));
}
constexpr std::size_t partition_tile_items(std::size_t wider_bytes) {
  return std::size_t{tuning::partition_threads} * partition_rows(wider_bytes) * partition_group(wider_bytes);
}

template <class K, class V>
struct partition_shape {
  static constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
  static constexpr std::size_t wider = sizeof(K) > value_bytes ? sizeof(K) : value_bytes;
  static constexpr unsigned group = partition_group(wider);
  static constexpr unsigned rows = partition_rows(wider);
  static constexpr std::size_t tile = partition_tile_items(wider);
};

/// Bytes of shared memory that a kernel declares itself, at most.
inline constexpr std::size_t partition_static_bytes = 256;

}  // namespace peneira::detail
