// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers in a register of AVX2: the same as number_vector_avx512.hpp has, for processors that have no more.
#pragma once

#include "peneira/cpu/simd/avx2.hpp"

#if defined(PENEIRA_AVX2)

#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "peneira/tuning/cpu.hpp"

namespace peneira::detail::avx2 {

/// A register of 32- or 64-bit numbers. They are compared as if they had a sign, AVX2 knows no others: their highest
/// bit is flipped when they are read and when they are written.
template <class U>
struct number_vector {
  static_assert(sizeof(U) == 4 || sizeof(U) == 8);
  static constexpr bool words = sizeof(U) == 4;
  static constexpr unsigned lanes = 32 / sizeof(U);
  using reg = __m256i;
  using mask = unsigned;  ///< a bit for each lane
  static constexpr U bias = U{1} << (std::numeric_limits<U>::digits - 1);
  static constexpr unsigned most_registers = tuning::cpu_sort_registers_avx2;
  static constexpr unsigned quick_registers = tuning::cpu_sort_quick_registers_avx2;
  static constexpr unsigned pivot_registers = 16 / lanes;

  static constexpr mask all_lanes = (1U << lanes) - 1;

  static mask first_lanes(unsigned many) { return (1U << many) - 1; }

  PENEIRA_AVX2 [[gnu::always_inline]] static reg all(U x) {
    if constexpr (words) {
      return _mm256_set1_epi32(static_cast<int>(x));
    } else {
      return _mm256_set1_epi64x(static_cast<long long>(x));
    }
  }
  PENEIRA_AVX2 [[gnu::always_inline]] static reg flipped(reg x, reg with) { return _mm256_xor_si256(x, with); }
  /// What is flipped in those alone whose highest bit is set.
  PENEIRA_AVX2 [[gnu::always_inline]] static reg flipped_if_negative(reg x, reg with) {
    const reg none = _mm256_setzero_si256();
    const reg negative = words ? _mm256_cmpgt_epi32(none, x) : _mm256_cmpgt_epi64(none, x);
    return _mm256_xor_si256(x, _mm256_and_si256(negative, with));
  }
  PENEIRA_AVX2 [[gnu::always_inline]] static reg sum(reg a, reg b) {
    return words ? _mm256_add_epi32(a, b) : _mm256_add_epi64(a, b);
  }
  PENEIRA_AVX2 [[gnu::always_inline]] static reg load(const U* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  PENEIRA_AVX2 [[gnu::always_inline]] static void store(U* to, reg x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x);
  }
  /// The first lanes alone; what others hold is another number.
  PENEIRA_AVX2 [[gnu::always_inline]] static reg load_some(const U* from, unsigned many, U others) {
    const reg which = lanes_below(many);
    if constexpr (words) {
      const reg x = _mm256_maskload_epi32(reinterpret_cast<const int*>(from), which);
      return _mm256_blendv_epi8(all(others), x, which);
    } else {
      const reg x = _mm256_maskload_epi64(reinterpret_cast<const long long*>(from), which);
      return _mm256_blendv_epi8(all(others), x, which);
    }
  }
  PENEIRA_AVX2 [[gnu::always_inline]] static void store_some(U* to, unsigned many, reg x) {
    if constexpr (words) {
      _mm256_maskstore_epi32(reinterpret_cast<int*>(to), lanes_below(many), x);
    } else {
      _mm256_maskstore_epi64(reinterpret_cast<long long*>(to), lanes_below(many), x);
    }
  }
  PENEIRA_AVX2 [[gnu::always_inline]] static reg least(reg a, reg b) {
    if constexpr (words) {
      return _mm256_min_epi32(a, b);
    } else {
      return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b));
    }
  }
  PENEIRA_AVX2 [[gnu::always_inline]] static reg greatest(reg a, reg b) {
    if constexpr (words) {
      return _mm256_max_epi32(a, b);
    } else {
      return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
    }
  }
  PENEIRA_AVX2 [[gnu::always_inline]] static mask below(reg x, reg pivot) {
    if constexpr (words) {
      return static_cast<mask>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(pivot, x))));
    } else {
      return static_cast<mask>(_mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(pivot, x))));
    }
  }
  /// The lanes that are chosen come first.
  PENEIRA_AVX2 [[gnu::always_inline]] static reg compress(mask which, reg x) {
    std::uint64_t from = 0;
    std::memcpy(&from, compressed_from[which].data(), sizeof from);
    return _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(from))));
  }
  /// Lane i of the result is lane i ^ Other.
  template <unsigned Other>
  PENEIRA_AVX2 [[gnu::always_inline]] static reg exchanged(reg x) {
    constexpr unsigned half = lanes / 2;
    constexpr unsigned near = Other % half;
    if constexpr ((Other & half) != 0) x = _mm256_permute2x128_si256(x, x, 1);
    if constexpr (near == 0) {
      return x;
    } else if constexpr (words) {
      return _mm256_shuffle_epi32(x, near | (1 ^ near) << 2 | (2 ^ near) << 4 | (3 ^ near) << 6);
    } else {
      return _mm256_shuffle_epi32(x, 0x4E);
    }
  }
  /// Each lane and lane i ^ Other in their order.
  template <unsigned Other>
  PENEIRA_AVX2 [[gnu::always_inline]] static reg ordered(reg x) {
    return ordered<Other>(x, exchanged<Other>(x));
  }
  /// The same, given what each lane is compared with: those that have the highest bit of Other get the higher number,
  /// the others the lower.
  template <unsigned Other>
  PENEIRA_AVX2 [[gnu::always_inline]] static reg ordered(reg x, reg other) {
    if constexpr (words) {
      constexpr int higher = [] {
        int found = 0;
        for (unsigned i = 0; i < lanes; ++i) found |= ((i & std::bit_floor(Other)) != 0 ? 1 : 0) << i;
        return found;
      }();
      return _mm256_blend_epi32(least(x, other), greatest(x, other), higher);
    } else {
      const reg higher = std::bit_floor(Other) == 1 ? _mm256_set_epi64x(-1, 0, -1, 0) : _mm256_set_epi64x(-1, -1, 0, 0);
      return _mm256_blendv_epi8(x, other, _mm256_xor_si256(_mm256_cmpgt_epi64(x, other), higher));
    }
  }
  /// Puts the lanes of two registers in turn, as cards are shuffled.
  PENEIRA_AVX2 [[gnu::always_inline]] static void shuffle(reg& a, reg& b) {
    const reg low = words ? _mm256_unpacklo_epi32(a, b) : _mm256_unpacklo_epi64(a, b);
    const reg high = words ? _mm256_unpackhi_epi32(a, b) : _mm256_unpackhi_epi64(a, b);
    a = _mm256_permute2x128_si256(low, high, 0x20);
    b = _mm256_permute2x128_si256(low, high, 0x31);
  }

 private:
  /// All bits of the first lanes.
  PENEIRA_AVX2 [[gnu::always_inline]] static reg lanes_below(unsigned many) {
    if constexpr (words) {
      return _mm256_cmpgt_epi32(all(many), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    } else {
      return _mm256_cmpgt_epi64(all(many), _mm256_set_epi64x(3, 2, 1, 0));
    }
  }

  /// Where 4-byte lanes come from, for each mask.
  static constexpr auto compressed_from = [] {
    constexpr unsigned parts = sizeof(U) / 4;
    std::array<std::array<std::uint8_t, 8>, 1U << lanes> from{};
    for (unsigned which = 0; which < 1U << lanes; ++which) {
      unsigned to = 0;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        if ((which >> lane & 1U) == 0) continue;
        for (unsigned k = 0; k < parts; ++k) from[which][to++] = static_cast<std::uint8_t>(lane * parts + k);
      }
    }
    return from;
  }();
};

}  // namespace peneira::detail::avx2

#endif
