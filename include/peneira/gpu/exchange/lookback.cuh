// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Decoupled look-back (Merrill and Garland, 2016), for all digits of a radix pass at once (Onesweep: Adinets and
// Merrill, 2022): how many items of each bin lie in the tiles before one, found while these are still at work.
//
//   tile 0 [inclusive: 3 1]   tile 1 [inclusive: 5 2]   tile 2 [its own: 2 0]   tile 3 reads 2 and 1: 2 + 5, 0 + 2
//
// Each word packs a count and its status, so one relaxed store publishes both.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)

namespace peneira::detail {

/// The counts of tiles, a word a bin: the two highest bits are the status. Depth is the number of tiles read at a time.
template <unsigned Bins, unsigned Depth>
class lookback {
 public:
  static constexpr unsigned count_bits = 30;
  static constexpr std::uint32_t own = 3;  ///< status: the count of the tile alone

  /// `inclusive` is the status of the sum of all tiles up to one: 1 or 2, and not that of the portion before, whose
  /// words are still there.
  __device__ lookback(std::uint32_t* words, std::uint32_t inclusive) : words_(words), inclusive_(inclusive) {}

  __device__ void publish_own(std::uint32_t tile, unsigned bin, std::uint32_t count) const {
    publish(tile, bin, count, tile == 0 ? inclusive_ : own);
  }
  __device__ void publish_inclusive(std::uint32_t tile, unsigned bin, std::uint32_t count) const {
    publish(tile, bin, count, inclusive_);
  }
  [[nodiscard]] __device__ std::uint32_t count(std::uint32_t tile, unsigned bin) const {
    return words_[std::size_t{tile} * Bins + bin] & ((1U << count_bits) - 1);
  }
  /// Items of the bin in all tiles before this one: waits for those that have published nothing yet. Several are read
  /// at a time, to hide the latency.
  [[nodiscard]] __device__ std::uint32_t exclusive(std::uint32_t tile, unsigned bin) const {
    std::uint32_t sum = 0;
    while (tile != 0) {
      std::uint32_t read[Depth];
#pragma unroll
      for (unsigned j = 0; j < Depth; ++j) {
        read[j] = words_[std::size_t{tile > j ? tile - 1 - j : 0} * Bins + bin];
      }
#pragma unroll
      for (unsigned j = 0; j < Depth; ++j) {
        const std::uint32_t status = read[j] >> count_bits;
        if (tile == 0 || (status != own && status != inclusive_)) break;
        sum += read[j] & ((1U << count_bits) - 1);
        tile = status == inclusive_ ? 0 : tile - 1;
      }
    }
    return sum;
  }

 private:
  __device__ void publish(std::uint32_t tile, unsigned bin, std::uint32_t count, std::uint32_t status) const {
    words_[std::size_t{tile} * Bins + bin] = count | status << count_bits;
  }

  volatile std::uint32_t* words_;
  std::uint32_t inclusive_;
};

}  // namespace peneira::detail

#endif
