// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many items of each bin lie before a tile, told by the tiles before it while they are at work.
//
//   tile 0 [up to it: 3 1]   tile 1 [up to it: 5 2]   tile 2 [of its own: 2 0]   tile 3 asks 2 and 1: 2 + 5, 0 + 2
//
// A word is told at once, with what it is of in itself: nothing else has to be there before or after it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/sort_passes.cuh"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// What tiles tell: a count, and in the two highest bits of the word what it is of.
class told_counts {
 public:
  static constexpr std::uint32_t own = 3;  ///< of the tile alone

  /// `upto` marks the sum of all tiles up to one, and is 1 or 2: not that of the portion before.
  __device__ told_counts(std::uint32_t* words, std::uint32_t upto) : words_(words), upto_(upto) {}

  __device__ void tell(std::uint32_t tile, unsigned bin, std::uint32_t count, std::uint32_t kind) const {
    words_[std::size_t{tile} * pass_bins + bin] = count | kind << count_bits;
  }
  __device__ void tell_own(std::uint32_t tile, unsigned bin, std::uint32_t count) const {
    tell(tile, bin, count, tile == 0 ? upto_ : own);
  }
  __device__ void tell_upto(std::uint32_t tile, unsigned bin, std::uint32_t count) const {
    tell(tile, bin, count, upto_);
  }
  [[nodiscard]] __device__ std::uint32_t count(std::uint32_t tile, unsigned bin) const {
    return words_[std::size_t{tile} * pass_bins + bin] & ((1U << count_bits) - 1);
  }
  /// Items of the bin in all tiles before this one: waits for those that have told nothing yet. Several are asked at a
  /// time, since an answer takes its time.
  [[nodiscard]] __device__ std::uint32_t before(std::uint32_t tile, unsigned bin) const {
    std::uint32_t sum = 0;
    while (tile != 0) {
      std::uint32_t told[tuning::pass_asked];
#pragma unroll
      for (unsigned j = 0; j < tuning::pass_asked; ++j) {
        told[j] = words_[std::size_t{tile > j ? tile - 1 - j : 0} * pass_bins + bin];
      }
#pragma unroll
      for (unsigned j = 0; j < tuning::pass_asked; ++j) {
        const std::uint32_t kind = told[j] >> count_bits;
        if (tile == 0 || (kind != own && kind != upto_)) break;
        sum += told[j] & ((1U << count_bits) - 1);
        tile = kind == upto_ ? 0 : tile - 1;
      }
    }
    return sum;
  }

 private:
  static constexpr unsigned count_bits = 30;
  static_assert(2 * tuning::pass_portion < std::size_t{1} << count_bits);

  volatile std::uint32_t* words_;
  std::uint32_t upto_;
};

}  // namespace peneira::detail

#endif
