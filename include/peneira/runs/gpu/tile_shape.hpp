// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many items a block looks for runs in, known from their size alone.
#pragma once

#include <algorithm>

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/tuning/gpu_calls.hpp"

namespace peneira::detail {

/// Neighbouring items that a lane has in a row, and rows of a warp.
constexpr unsigned runs_group(std::size_t key_bytes) {
  return static_cast<unsigned>(items_of_16_bytes(key_bytes));
}
constexpr unsigned runs_rows(std::size_t key_bytes) {
  const std::size_t items = std::min(tuning::runs_lane_items, tuning::runs_lane_bytes / key_bytes);
  return std::max(1U, static_cast<unsigned>(items) / runs_group(key_bytes));
}
/// Items of a tile.
constexpr std::size_t runs_tile_items(std::size_t key_bytes) {
  return std::size_t{tuning::runs_threads} * runs_rows(key_bytes) * runs_group(key_bytes);
}

template <class K>
struct runs_shape {
  static constexpr unsigned group = runs_group(sizeof(K));
  static constexpr unsigned rows = runs_rows(sizeof(K));
  static constexpr std::size_t tile = runs_tile_items(sizeof(K));
};

}  // namespace peneira::detail
