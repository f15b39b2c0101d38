// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Few bins counted by AVX-512: up to 16 by a register of 64 byte counters for each, and more by pairs of neighbours,
// whose counters vectors find.
#pragma once

#include "peneira/cpu/simd/avx512.hpp"

namespace peneira::detail {

/// Tables of pairs, so that increments of one pair overlap.
inline constexpr unsigned pair_tables = 2;

}  // namespace peneira::detail

#if defined(PENEIRA_AVX512)

#include <algorithm>
#include <utility>

#include "peneira/cpu/lines.hpp"
#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/cpu/scatter/vector_bins.hpp"

namespace peneira::detail {

/// Bins up to which there is a register of byte counters for each. 16 bins: 0.40 ns an item so, which is what reading
/// them takes, 0.56 by pairs of vectors, 1.07 by pairs one by one (ER, 1 of 2 threads).
inline constexpr std::uint32_t vector_counts = 16;

/// For few bins: the bins of 64 keys as bytes of a register, held against each bin in turn. Whatever the keys, nothing
/// waits for anything.
template <class F, class Key>
PENEIRA_AVX512 [[gnu::noinline]] void count_in_vectors(const F& function, const Key* keys, std::size_t first,
                                                       std::size_t n, std::uint64_t* counts) {
  constexpr std::size_t step = 64;
  constexpr std::size_t most = 255 * step;  // then a byte may be full
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  const __m512i ones = _mm512_set1_epi8(1);
  std::size_t i = 0;
  while (i + step <= n) {
    __m512i counted[vector_counts];
    for (__m512i& c : counted) c = _mm512_setzero_si512();
    for (const std::size_t end = std::min(n, i + most); i + step <= end; i += step) {
      for (std::size_t k = 0; k < step; k += std::max<std::size_t>(1, line_bytes / sizeof(Key))) prefetch(keys + i + k);
      __m512i bytes = bins_of(f, keys + i, first + i);
      bytes = _mm512_or_si512(bytes, _mm512_maskz_slli_epi32(0xFFFF, bins_of(f, keys + i + 16, first + i + 16), 8));
      bytes = _mm512_or_si512(bytes, _mm512_maskz_slli_epi32(0xFFFF, bins_of(f, keys + i + 32, first + i + 32), 16));
      bytes = _mm512_or_si512(bytes, _mm512_maskz_slli_epi32(0xFFFF, bins_of(f, keys + i + 48, first + i + 48), 24));
      PENEIRA_UNROLL(16)
      for (std::uint32_t b = 0; b < vector_counts; ++b) {
        const __mmask64 in_bin = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(static_cast<char>(b)));
        counted[b] = _mm512_mask_add_epi8(counted[b], in_bin, counted[b], ones);
      }
    }
    for (std::uint32_t b = 0; b < f.bins(); ++b) {
      alignas(line_bytes) std::uint64_t sums[8];
      _mm512_store_si512(sums, _mm512_sad_epu8(counted[b], _mm512_setzero_si512()));
      for (const std::uint64_t sum : sums) counts[b] += sum;
    }
  }
  for (; i < n; ++i) {
    ++counts[bin_of_one(f, keys + i, first + i)];
  }
}

/// Two counters of pairs, one in each table.
template <std::size_t... Pair>
PENEIRA_AVX512 [[gnu::always_inline]] inline void count_lanes(__m512i lanes, std::uint32_t* first_table,
                                                              std::uint32_t* second_table,
                                                              std::index_sequence<Pair...> /*pairs*/) {
  const auto count = [=](std::uint64_t two) __attribute__((always_inline)) {
    ++first_table[static_cast<std::uint32_t>(two)];
    ++second_table[two >> 32U];
  };
  (count(two_lanes<Pair>(lanes)), ...);
}

/// Counts the pairs of each item and the one sixteen behind it; what has none, by itself. Bins that share a counter
/// wait for each other, but each counter stands for two items.
template <class F, class Key>
PENEIRA_AVX512 [[gnu::noinline]] void count_pairs_in_vectors(const F& function, const Key* keys, std::size_t first,
                                                             std::size_t n, std::uint32_t* single,
                                                             std::uint32_t* pairs) {
  static_assert(pair_tables == 2);
  constexpr std::size_t step = 2 * vector_items;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  const std::size_t bins = f.bins();
  const __m512i row = _mm512_set1_epi32(static_cast<int>(bins));
  std::size_t i = 0;
  for (; i + step <= n; i += step) {
    for (std::size_t k = 0; k < step; k += std::max<std::size_t>(1, line_bytes / sizeof(Key))) prefetch(keys + i + k);
    const __m512i above = _mm512_mullo_epi32(bins_of(f, keys + i, first + i), row);
    const __m512i below = bins_of(f, keys + i + vector_items, first + i + vector_items);
    count_lanes(_mm512_add_epi32(above, below), pairs, pairs + bins * bins,
                std::make_index_sequence<vector_items / 2>{});
  }
  for (; i < n; ++i) {
    ++single[bin_of_one(f, keys + i, first + i)];
  }
}

}  // namespace peneira::detail

#endif
