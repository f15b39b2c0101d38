// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many sorted items a block folds, known from their sizes and that of what a group gathers.
#pragma once

#include <algorithm>

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/tuning/gpu_calls.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Sizes that a tile depends on: of a key, of what lies beside it, 0 where nothing does, and of what a group gathers.
struct fold_sizes {
  std::size_t key_bytes;
  std::size_t moved_bytes;
  std::size_t state_bytes;

  /// Neighbouring items that a lane has in a row: those that fill 16 bytes, fewer where a lane gathers much of each.
  [[nodiscard]] constexpr unsigned group() const {
    auto items = static_cast<unsigned>(items_of_16_bytes(std::max(key_bytes, moved_bytes)));
    while (items > 1 && items * state_bytes > tuning::fold_lane_bytes) items /= 2;
    return items;
  }
  /// Rows of a warp.
  [[nodiscard]] constexpr unsigned rows() const {
    const std::size_t items = std::min(tuning::fold_lane_items, tuning::fold_lane_bytes / state_bytes);
    return std::clamp(static_cast<unsigned>(items) / group(), 1U, tuning::fold_lane_rows);
  }
  /// Items of a tile.
  [[nodiscard]] constexpr std::size_t tile() const { return std::size_t{tuning::fold_threads} * rows() * group(); }
  /// Bytes of what tiles tell each other, no less than those of groups_so_far.
  [[nodiscard]] constexpr std::size_t told_bytes() const {
    constexpr std::size_t word = sizeof(std::uint64_t);
    return state_bytes % 16 == 0 ? 16 + state_bytes : word + (state_bytes + word - 1) / word * word;
  }
};

template <class K, class Folding>
struct fold_shape {
  static constexpr bool has_values = view<K, typename Folding::moved>::has_values;
  static constexpr fold_sizes sizes{sizeof(K), has_values ? sizeof(typename Folding::moved) : 0,
                                    sizeof(typename Folding::state)};
  static constexpr unsigned group = sizes.group();
  static constexpr unsigned rows = sizes.rows();
  static constexpr std::size_t tile = sizes.tile();
  static constexpr std::uint32_t blocks = tuning::fold_blocks(sizes.state_bytes);
};

}  // namespace peneira::detail
