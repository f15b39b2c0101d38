// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Very few bins counted by registers of NEON: one of 16 byte counters for each bin, held against the bins of 16 keys.
#pragma once

#include "peneira/config.hpp"

#if defined(PENEIRA_NEON)

#include <algorithm>
#include <cstring>

#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// For up to cpu_byte_count_bins. Whatever the keys, nothing waits for anything.
template <class F, class Key>
[[gnu::noinline]] void count_in_bytes(const F& function, const Key* keys, std::size_t first, std::size_t n,
                                      std::uint64_t* counts) {
  constexpr std::uint32_t registers = tuning::cpu_byte_count_bins;
  constexpr std::size_t step = 16;
  constexpr std::size_t most = 255 * step;  // then a byte may be full
  using bytes [[gnu::vector_size(step)]] = unsigned char;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  std::size_t i = 0;
  while (i + step <= n) {
    bytes counted[registers] = {};
    for (const std::size_t end = std::min(n, i + most); i + step <= end; i += step) {
      std::uint32_t bin[step];
      classify<step>(f, keys + i, first + i, bin);
      unsigned char narrow[step];
      for (std::size_t k = 0; k < step; ++k) narrow[k] = static_cast<unsigned char>(bin[k]);
      bytes all;
      std::memcpy(&all, narrow, step);
      PENEIRA_UNROLL(4)
      for (std::uint32_t b = 0; b < registers; ++b) counted[b] -= (bytes)(all == static_cast<unsigned char>(b));
    }
    for (std::uint32_t b = 0; b < f.bins(); ++b) {
      for (std::size_t k = 0; k < step; ++k) counts[b] += counted[b][k];
    }
  }
  for (; i < n; ++i) {
    std::uint32_t bin[1];
    classify<1>(f, keys + i, first + i, bin);
    ++counts[bin[0]];
  }
}

}  // namespace peneira::detail

#endif
