// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The bins of sixteen keys in a register of AVX-512, and what is asked of such a register.
#pragma once

#include "peneira/cpu/simd/avx512.hpp"

#if defined(PENEIRA_AVX512)

#include <concepts>

#include "peneira/bins.hpp"
#include "peneira/cpu/lines.hpp"
#include "peneira/cpu/scatter/classify.hpp"

namespace peneira::detail {

/// Items whose bins are found together.
inline constexpr std::size_t vector_items = 16;

/// Ranges of 32-bit keys as vectors had better evaluate them: the loops that compilers make of `many` shuffle a vector
/// three times as often as they multiply.
template <class F>
struct word_ranges {
  static constexpr bool possible = false;
};
template <std::integral Key>
requires(sizeof(Key) == 4) struct word_ranges<ranges<Key>> {
  static constexpr bool possible = true;

  /// Whether sixteen keys have offsets that one multiplication maps to their bins; and these offsets.
  PENEIRA_AVX512 [[gnu::always_inline]] static bool offsets(const ranges<Key>& f, const Key* keys, __m512i& offset) {
    offset = _mm512_sub_epi32(_mm512_loadu_si512(keys), _mm512_set1_epi32(static_cast<int>(f.lo_)));
    if (f.all_easy_) [[likely]]
      return true;
    const __m512i most = _mm512_set1_epi32(static_cast<int>(static_cast<std::uint32_t>(f.inside_ - 1)));
    return f.inside_ != 0 && _mm512_cmpgt_epu32_mask(offset, most) == 0;
  }
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i bins(const ranges<Key>& f, __m512i offset) {
    const __m512i odd_offset = _mm512_maskz_srli_epi64(0xFF, offset, 32);
    const __m512i factor = _mm512_set1_epi64(f.all_easy_ ? f.easy_factor_ : static_cast<std::uint32_t>(f.part_ >> 32U));
    __m512i even = _mm512_maskz_mul_epu32(0xFF, offset, factor);
    __m512i odd = _mm512_maskz_mul_epu32(0xFF, odd_offset, factor);
    if (!f.all_easy_) {
      const __m512i low = _mm512_set1_epi64(static_cast<std::uint32_t>(f.part_));
      const __m512i even_low = _mm512_maskz_mul_epu32(0xFF, offset, low);
      const __m512i odd_low = _mm512_maskz_mul_epu32(0xFF, odd_offset, low);
      even = _mm512_add_epi64(even, _mm512_maskz_srli_epi64(0xFF, even_low, 32));
      odd = _mm512_add_epi64(odd, _mm512_maskz_srli_epi64(0xFF, odd_low, 32));
    }
    return _mm512_mask_mov_epi32(_mm512_maskz_srli_epi64(0xFF, even, 32), 0xAAAA, odd);
  }
};

/// Whether a function is a caller's, which functions for AVX-512 do not inline: what it multiplies and adds would be
/// fused there and nowhere else, so that it could say something else of a key than the caller hears, or other loops.
template <class F>
inline constexpr bool is_asked_apart = !always_avx512 && asks_caller<F>;

/// The bins of some keys, compiled as the caller's program is.
template <std::size_t Count, class F, class Key>
[[gnu::noinline]] void fill_apart(const F& f, const Key* keys, std::uint32_t* bins) {
  fill_bins<Count>(f, keys, bins);
}

/// The bin of one key in a function for AVX-512; throws if it is out of range.
template <class F, class Key>
[[gnu::always_inline]] inline std::uint32_t bin_of_one(const F& f, const Key* key, std::size_t first) {
  std::uint32_t bin[1];
  if constexpr (is_asked_apart<F>) {
    fill_apart<1>(f, key, bin);
    if (!never_misses<F> && bin[0] >= f.bins()) [[unlikely]]
      report_miss(f, key, first, 1);
  } else {
    classify<1>(f, key, first, bin);
  }
  return bin[0];
}

/// The bins of sixteen keys, of which the first is item `first`; throws if one is out of range.
template <class F, class Key>
PENEIRA_AVX512 [[gnu::always_inline]] inline __m512i bins_of(const F& f, const Key* keys, std::size_t first) {
  if constexpr (word_ranges<F>::possible) {
    __m512i offset;
    if (word_ranges<F>::offsets(f, keys, offset)) [[likely]]
      return word_ranges<F>::bins(f, offset);
  }
  alignas(line_bytes) std::uint32_t bin[vector_items];
  if constexpr (is_asked_apart<F>) {
    fill_apart<vector_items>(f, keys, bin);
  } else {
    fill_bins<vector_items>(f, keys, bin);
  }
  const __m512i bins = load_bins(bin);
  if constexpr (!never_misses<F>) {
    if (_mm512_cmpge_epu32_mask(bins, _mm512_set1_epi32(static_cast<int>(f.bins()))) != 0) [[unlikely]]
      report_miss(f, keys, first, vector_items);
  }
  return bins;
}

PENEIRA_AVX512 [[gnu::always_inline]] inline std::uint32_t first_lane(__m512i lanes) {
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm512_maskz_extracti32x4_epi32(0xF, lanes, 0)));
}
/// Two neighbouring lanes of sixteen.
template <std::size_t Pair>
PENEIRA_AVX512 [[gnu::always_inline]] inline std::uint64_t two_lanes(__m512i lanes) {
  const __m128i four = _mm512_maskz_extracti32x4_epi32(0xF, lanes, Pair / 2);
  return static_cast<std::uint64_t>(Pair % 2 == 0 ? _mm_cvtsi128_si64(four) : _mm_extract_epi64(four, 1));
}
/// Whether sixteen bins are one.
PENEIRA_AVX512 [[gnu::always_inline]] inline bool all_are_one(__m512i bins) {
  const __m512i one = _mm512_maskz_broadcastd_epi32(0xFFFF, _mm512_maskz_extracti32x4_epi32(0xF, bins, 0));
  return _mm512_cmpneq_epi32_mask(bins, one) == 0;
}

}  // namespace peneira::detail

#endif
