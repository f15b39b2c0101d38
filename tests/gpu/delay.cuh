// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests of blocks that wait for one another: they come at random times.
#pragma once

#include <cstdint>

#include "peneira/hash.hpp"

namespace peneira::test {

/// Lets a block wait for up to about 10 microseconds, or not at all, as a number says.
__device__ inline void delay_block(std::uint64_t by) {
  const std::uint64_t drawn = mix64(by);
  const long long begin = clock64();
  const long long cycles = drawn % 4 == 0 ? static_cast<long long>((drawn >> 8U) % 16384) : 0;
  while (clock64() - begin < cycles) {
  }
  __syncthreads();
}

}  // namespace peneira::test
