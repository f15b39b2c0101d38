// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers in a register of AVX-512: what the sorts by vectors are made of.
#pragma once

#include "peneira/cpu/simd/avx512.hpp"

#if defined(PENEIRA_AVX512)

#include <array>
#include <bit>
#include <type_traits>

#include "peneira/tuning/cpu.hpp"

namespace peneira::detail::avx512 {

/// A register of 32- or 64-bit numbers.
template <class U>
struct number_vector {
  static_assert(sizeof(U) == 4 || sizeof(U) == 8);
  static constexpr bool words = sizeof(U) == 4;
  static constexpr unsigned lanes = 64 / sizeof(U);
  using reg = __m512i;
  using mask = std::conditional_t<words, __mmask16, __mmask8>;
  static constexpr mask all_lanes = static_cast<mask>(0xFFFFU);
  static constexpr U bias = 0;  ///< what is flipped in a number, so that it can be compared
  static constexpr unsigned most_registers = tuning::cpu_sort_register_items / lanes;  ///< of a network
  static constexpr unsigned quick_registers = most_registers;  ///< of what a quicksort leaves to one
  static constexpr unsigned pivot_registers = 1;               ///< of numbers whose median is a pivot

  static mask first_lanes(unsigned many) { return static_cast<mask>((1U << many) - 1); }

  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i all(U x) {
    if constexpr (words) {
      return _mm512_set1_epi32(static_cast<int>(x));
    } else {
      return _mm512_set1_epi64(static_cast<long long>(x));
    }
  }
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i flipped(__m512i x, __m512i with) {
    return _mm512_xor_si512(x, with);
  }
  /// What is flipped in those alone whose highest bit is set.
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i flipped_if_negative(__m512i x, __m512i with) {
    const __m512i negative = words ? _mm512_maskz_srai_epi32(0xFFFF, x, 31) : _mm512_maskz_srai_epi64(0xFF, x, 63);
    return _mm512_xor_si512(x, _mm512_and_si512(negative, with));
  }
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i sum(__m512i a, __m512i b) {
    return words ? _mm512_add_epi32(a, b) : _mm512_add_epi64(a, b);
  }
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i load(const U* from) { return _mm512_loadu_si512(from); }
  PENEIRA_AVX512 [[gnu::always_inline]] static void store(U* to, __m512i x) { _mm512_storeu_si512(to, x); }
  /// The first lanes alone; what others hold is another number.
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i load_some(const U* from, unsigned many, U others) {
    if constexpr (words) {
      return _mm512_mask_loadu_epi32(all(others), first_lanes(many), from);
    } else {
      return _mm512_mask_loadu_epi64(all(others), first_lanes(many), from);
    }
  }
  PENEIRA_AVX512 [[gnu::always_inline]] static void store_some(U* to, unsigned many, __m512i x) {
    if constexpr (words) {
      _mm512_mask_storeu_epi32(to, first_lanes(many), x);
    } else {
      _mm512_mask_storeu_epi64(to, first_lanes(many), x);
    }
  }
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i least(__m512i a, __m512i b) {
    if constexpr (words) {
      return _mm512_maskz_min_epu32(all_lanes, a, b);
    } else {
      return _mm512_maskz_min_epu64(all_lanes, a, b);
    }
  }
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i greatest(__m512i a, __m512i b) {
    if constexpr (words) {
      return _mm512_maskz_max_epu32(all_lanes, a, b);
    } else {
      return _mm512_maskz_max_epu64(all_lanes, a, b);
    }
  }
  PENEIRA_AVX512 [[gnu::always_inline]] static mask below(__m512i x, __m512i pivot) {
    if constexpr (words) {
      return _mm512_cmplt_epu32_mask(x, pivot);
    } else {
      return _mm512_cmplt_epu64_mask(x, pivot);
    }
  }
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i compress(mask which, __m512i x) {
    if constexpr (words) {
      return _mm512_maskz_compress_epi32(which, x);
    } else {
      return _mm512_maskz_compress_epi64(which, x);
    }
  }
  /// Lane i of the result is lane i ^ Other.
  template <unsigned Other>
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i exchanged(__m512i x) {
    alignas(64) static constexpr auto from = [] {
      std::array<U, lanes> lane{};
      for (unsigned i = 0; i < lanes; ++i) lane[i] = i ^ Other;
      return lane;
    }();
    const __m512i at = _mm512_load_si512(from.data());
    if constexpr (words) {
      return _mm512_maskz_permutexvar_epi32(all_lanes, at, x);
    } else {
      return _mm512_maskz_permutexvar_epi64(all_lanes, at, x);
    }
  }
  /// Each lane and lane i ^ Other in their order.
  template <unsigned Other>
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i ordered(__m512i x) {
    return ordered<Other>(x, exchanged<Other>(x));
  }
  /// The same, given what each lane is compared with: those that have the highest bit of Other get the higher number,
  /// the others the lower.
  template <unsigned Other>
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i ordered(__m512i x, __m512i other) {
    constexpr mask higher = [] {
      unsigned found = 0;
      for (unsigned i = 0; i < lanes; ++i) found |= ((i & std::bit_floor(Other)) != 0 ? 1U : 0U) << i;
      return static_cast<mask>(found);
    }();
    const __m512i low = least(x, other);
    if constexpr (words) {
      return _mm512_mask_max_epu32(low, higher, x, other);
    } else {
      return _mm512_mask_max_epu64(low, higher, x, other);
    }
  }
  /// Puts the lanes of two registers in turn, as cards are shuffled.
  PENEIRA_AVX512 [[gnu::always_inline]] static void shuffle(__m512i& a, __m512i& b) {
    alignas(64) static constexpr auto from = [] {
      std::array<std::array<U, lanes>, 2> lane{};
      for (unsigned i = 0; i < 2 * lanes; ++i) lane[i / lanes][i % lanes] = (i % 2) * lanes + i / 2;
      return lane;
    }();
    const __m512i first = _mm512_load_si512(from[0].data());
    const __m512i second = _mm512_load_si512(from[1].data());
    const __m512i x = a;
    if constexpr (words) {
      a = _mm512_permutex2var_epi32(x, first, b);
      b = _mm512_permutex2var_epi32(x, second, b);
    } else {
      a = _mm512_permutex2var_epi64(x, first, b);
      b = _mm512_permutex2var_epi64(x, second, b);
    }
  }
};

}  // namespace peneira::detail::avx512

#endif
