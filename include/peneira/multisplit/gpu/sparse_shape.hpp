// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a block needs that splits few items into many bins, as the plan and the kernel both see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

inline constexpr std::uint32_t sparse_threads = tuning::tile_threads;
/// Bins whose counts a block has at a time.
inline constexpr std::uint32_t sparse_counts = 8192;
/// Items that a warp compares with one at a time.
inline constexpr std::uint32_t sparse_step = 128;

/// Places for the bins of so many items, in whole steps; one at least.
PENEIRA_HD constexpr std::size_t sparse_places(std::size_t items) {
  return (items / sparse_step + 1) * sparse_step;
}
/// Shared memory of a block that has so many bins.
constexpr std::size_t sparse_bytes(std::size_t items, std::uint32_t bins) {
  const std::uint32_t counts = bins < sparse_counts ? (bins + 31) / 32 * 32 : sparse_counts;
  return (sparse_places(items) + counts) * sizeof(std::uint32_t);
}

}  // namespace peneira::detail
