// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of `peneira-bench tune`: what it measures on the GPU, and what follows from it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "peneira/tuning/published_gpu.hpp"

namespace peneira::tool {

/// What may reduce a segment, in the order of granularity_row::seconds.
enum granularity : std::size_t { by_warp, by_block, by_grid };

/// Segments of one size, and how long each granularity takes for all of them; 0: not measured.
struct granularity_row {
  std::uint64_t size = 0;
  std::array<double, 3> seconds{};
  std::array<double, 3> low{};  ///< the 95% interval of each
  std::array<double, 3> high{};
  std::array<std::size_t, 3> runs{};

  [[nodiscard]] granularity fastest() const {
    granularity best = by_warp;
    for (const granularity g : {by_block, by_grid}) {
      if (seconds[g] != 0 && (seconds[best] == 0 || seconds[g] < seconds[best])) best = g;
    }
    return best;
  }
};

/// The limits that give each measured size to its fastest granularity, as far as two limits can: a warp takes sizes up
/// to the greatest for which it is the fastest, and the grid those beyond the greatest for which it is not.
inline tuning::segment_limits find_limits(const std::vector<granularity_row>& rows) {
  std::size_t warp = 1;
  std::size_t block = 1;
  for (const granularity_row& row : rows) {
    const granularity best = row.fastest();
    const auto above = static_cast<std::size_t>(row.size) + 1;
    if (best == by_warp) warp = std::max(warp, above);
    if (best != by_grid) block = std::max(block, above);
  }
  return {warp, block};
}

/// What tune_segmented_reduce measures: u32 items, max, segments of one size, from two of them on, twice as many a row.
struct tune_axes {
  std::uint64_t n = 0;
  std::size_t runs = 10;
  bool all_sizes = false;  ///< by blocks and by the grid for short segments too, where neither can win
};

using granularity_sink = std::function<void(const granularity_row&)>;

#if defined(PENEIRA_BENCH_GPU)

/// Hands over the rows from the longest segments on; throws std::runtime_error where a result is wrong.
void tune_segmented_reduce(const tune_axes& axes, const granularity_sink& sink);

#else

inline void tune_segmented_reduce(const tune_axes& /*axes*/, const granularity_sink& /*sink*/) {
  throw std::logic_error("tune_segmented_reduce: this program was built without CUDA");
}

#endif

}  // namespace peneira::tool
