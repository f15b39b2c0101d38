// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where separators are, 64 bytes at a time by the processor's vectors. Not for nvcc, which has its own view of those.
#pragma once

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <bit>

#include "peneira/strings/lines.hpp"

namespace peneira::detail {

/// Which of 64 bytes are separators: the lowest bit is the first byte's.
inline std::uint64_t separator_mask(const char* at, char separator) {
#if defined(__ARM_NEON) && defined(__aarch64__)
  const uint8x16_t pattern = vdupq_n_u8(static_cast<std::uint8_t>(separator));
  const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201U));
  const auto bits = [&](std::size_t from) {
    return vandq_u8(vceqq_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(at) + from), pattern), bit);
  };
  const uint8x16_t halves = vpaddq_u8(vpaddq_u8(bits(0), bits(16)), vpaddq_u8(bits(32), bits(48)));
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(halves, halves)), 0);
#elif defined(__SSE2__)
  const __m128i pattern = _mm_set1_epi8(separator);
  const auto bits = [&](std::size_t from) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + from));
    return std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, pattern)))} << from;
  };
  return bits(0) | bits(16) | bits(32) | bits(48);
#else
  constexpr std::uint64_t gather = 0x0102040810204080U;  // moves the lowest bit of each byte to the highest byte
  std::uint64_t mask = 0;
  for (unsigned k = 0; k < 8; ++k) {
    mask |= separator_bytes(at + 8 * k, separator_pattern(separator)) * gather >> 56U << 8 * k;
  }
  return mask;
#endif
}

/// Numbers that find_separators may write beyond those it means.
inline constexpr std::size_t separators_at_once = 4;

/// Writes how far behind `text` each separator's next byte is, and returns how many there are. `to` has room for one a
/// byte, and for separators_at_once more: a few are always written, so that no branch depends on where lines end.
inline std::size_t find_separators(const char* text, std::uint32_t bytes, char separator, std::uint32_t* to) {
  constexpr std::uint32_t block = 64;
  std::uint32_t* next = to;
  std::uint32_t at = 0;
  for (; at + block <= bytes; at += block) {
    std::uint64_t mask = separator_mask(text + at, separator);
    std::uint32_t* const end = next + std::popcount(mask);
    do {
      for (std::size_t k = 0; k < separators_at_once; ++k, mask &= mask - 1) {
        *next++ = at + static_cast<std::uint32_t>(std::countr_zero(mask)) + 1;
      }
    } while (next < end);
    next = end;
  }
  for (; at < bytes; ++at) {
    if (text[at] == separator) *next++ = at + 1;
  }
  return static_cast<std::size_t>(next - to);
}

}  // namespace peneira::detail
