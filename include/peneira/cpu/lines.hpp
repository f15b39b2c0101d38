// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole cache lines written past the cache, where the processor has stores for that.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>

#if defined(__x86_64__) && defined(__CUDACC__)
#include <emmintrin.h>  // immintrin.h is a fifth of what nvcc would have to read for a sort
#elif defined(__x86_64__)
#include <immintrin.h>
#endif

#include "peneira/config.hpp"

namespace peneira::detail {

inline constexpr std::size_t line_bytes = 64;

/// Whether there are stores past the cache. A Neoverse V1 merges the stores of a line by itself: stnp and dc zva
/// measured the same as plain ones.
#if defined(__x86_64__)
inline constexpr bool has_streaming = true;
#else
inline constexpr bool has_streaming = false;
#endif

/// Copies `bytes`, a multiple of a line: few lines, so that a call of memcpy would cost as much again.
[[gnu::always_inline]] inline void copy_lines(void* to, const void* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += line_bytes) {
    std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, line_bytes);
  }
}

/// Writes `bytes`, a multiple of a line, between addresses aligned to a line, without reading the target first.
inline void stream_lines(void* to, const void* from, std::size_t bytes) {
#if defined(__x86_64__)
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  for (std::size_t at = 0; at < bytes; at += line_bytes) {
#if defined(__AVX512F__) && !defined(__CUDACC__)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + at), _mm512_load_si512(source + at));
#else
    const auto* s = reinterpret_cast<const __m128i*>(source + at);
    auto* t = reinterpret_cast<__m128i*>(target + at);
    const __m128i a = _mm_load_si128(s);
    const __m128i b = _mm_load_si128(s + 1);
    const __m128i c = _mm_load_si128(s + 2);
    const __m128i d = _mm_load_si128(s + 3);
    _mm_stream_si128(t, a);
    _mm_stream_si128(t + 1, b);
    _mm_stream_si128(t + 2, c);
    _mm_stream_si128(t + 3, d);
#endif
  }
#else
  copy_lines(to, from, bytes);
#endif
}

/// Orders streamed lines before what the thread does next.
inline void stream_fence() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/// The fewest items of this size that fill whole lines.
constexpr std::size_t items_of_whole_lines(std::size_t item_bytes) {
  return line_bytes / std::gcd(line_bytes, item_bytes);
}
/// The same for keys and values of such sizes at once; no values: 0 bytes.
constexpr std::size_t items_of_whole_lines(std::size_t key_bytes, std::size_t value_bytes) {
  return std::max(items_of_whole_lines(key_bytes), value_bytes == 0 ? 1 : items_of_whole_lines(value_bytes));
}

/// Items of a buffer that vectors fill one by one: four lines of keys or of values, whichever are longer.
constexpr std::uint32_t placed_items(std::size_t key_bytes, std::size_t value_bytes) {
  return static_cast<std::uint32_t>(4 * line_bytes / std::max(key_bytes, value_bytes));
}

}  // namespace peneira::detail
