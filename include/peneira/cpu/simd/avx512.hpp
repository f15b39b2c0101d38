// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// AVX-512 where the processor has it, whatever the program is compiled for: functions that carry PENEIRA_AVX512 are
// compiled for it, with all that is inlined into them, and called only where has_avx512() says so. nvcc has no part in
// it.
#pragma once

#include "peneira/config.hpp"

#if defined(PENEIRA_AVX512)
#include <immintrin.h>
#endif

namespace peneira::detail {

#if defined(PENEIRA_AVX512)
inline constexpr bool knows_avx512 = true;

/// Whether functions with PENEIRA_AVX512 may be called.
inline bool has_avx512() {
  static const bool has = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                          __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                          __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("bmi2") != 0;
  return has;
}

/// Whether all processors that the program is compiled for have it: then what others need is not compiled.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && \
    defined(__AVX512VL__) && defined(__BMI2__)
inline constexpr bool always_avx512 = true;
#else
inline constexpr bool always_avx512 = false;
#endif

/// Sixteen bins, wherever they were written from: one load of 64 bytes would wait for two stores of 32.
PENEIRA_AVX512 [[gnu::always_inline]] inline __m512i load_bins(const std::uint32_t* bins) {
  const __m256i low = _mm256_load_si256(reinterpret_cast<const __m256i*>(bins));
  const __m256i high = _mm256_load_si256(reinterpret_cast<const __m256i*>(bins + 8));
  return _mm512_mask_broadcast_i64x4(_mm512_maskz_broadcast_i64x4(0x0F, low), 0xF0, high);
}

/// How many lanes a mask of up to sixteen chooses. It goes by a register: GCC 12 with -Og may count the bits of a mask
/// in memory as of 32 bits, of which it has written 16.
PENEIRA_AVX512 [[gnu::always_inline]] inline unsigned count_lanes(__mmask16 chosen) {
  return static_cast<unsigned>(__builtin_popcount(_cvtmask16_u32(chosen)));
}
#else
inline constexpr bool knows_avx512 = false;
inline constexpr bool always_avx512 = false;
inline bool has_avx512() {
  return false;
}
#endif

}  // namespace peneira::detail
