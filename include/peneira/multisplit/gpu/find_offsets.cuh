// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where each bin begins after several passes: by binary search among the items, which are in the order of their bins.
#pragma once

#include "peneira/bins.hpp"

namespace peneira::multisplit_strategies {

/// The first position of each bin among keys that are in the order of their bins, from the starts of its highest digit.
template <class K, class F, class Offset>
__global__ void find_offsets(const K* keys, F f, unsigned shift, const std::uint64_t* starts, std::uint32_t digits,
                             Offset* offsets) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; b <= f.bins(); b += stride) {
    std::uint64_t low = starts[b == f.bins() ? digits : b >> shift];
    std::uint64_t high = b == f.bins() ? low : starts[(b >> shift) + 1];
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (detail::bin_of(f, keys[middle]) < b) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    offsets[b] = static_cast<Offset>(low);
  }
}

}  // namespace peneira::multisplit_strategies
