// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the published strategies that depend on the device, each with the measurement or the document that it is
// from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "peneira/tuning/gpus.hpp"

namespace peneira::tuning {

/// Items from which on a segment is too long for a warp, and for a block.
struct segment_limits {
  std::size_t warp_items;
  std::size_t block_items;
};

/// The limits that Cordeiro and Nunan Zola, 2024, section 6, found for best_reduce on an A4500 (architecture 86) with
/// 16 Mi u32 and max: a warp is the fastest up to 32 Ki items, a block up to about 512 Ki.
inline constexpr segment_limits best_reduce_paper_limits{33'000, 500'000};

/// The limits of best_reduce on a device; the paper says that they are to be found for each GPU, which
/// `peneira-bench tune segmented_reduce` does. H200, 16 Mi u32, max, in microseconds: of 8 Ki items each, 33.1 by
/// warps and 34.6 by blocks, of 16 Ki 45.0 and 34.3; of 256 Ki, 49.4 by blocks and 87.4 by the grid, of 512 Ki 80.1 and
/// 54.6. An architecture that nobody has measured has the paper's.
constexpr segment_limits best_reduce_limits(int arch) {
  switch (arch) {
    case 90:
      return {8'193, 262'145};
    case 86:
    default:
      return best_reduce_paper_limits;
  }
}

/// Blocks of the published reductions on a multiprocessor, as in the paper's section 6, and their threads: as many as
/// let that many blocks be there at once. The paper does not say how many it had; on its A4500 these are 768.
inline constexpr std::uint32_t published_blocks_a_processor = 2;
inline constexpr std::uint32_t published_most_threads = 1024;
constexpr std::uint32_t published_threads(int arch) {
  return std::min(published_most_threads, threads_a_processor(arch) / published_blocks_a_processor);
}

}  // namespace peneira::tuning
