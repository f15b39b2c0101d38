// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Two more ways to scatter through buffers, sixteen items at a time by AVX-512, for keys and values of 4 and 8 bytes:
//
//   compressed   up to 8 bins: for each bin, its keys of a vector move together and are appended to its buffer
//   ranked       more bins: the fill counts are gathered, a conflict mask tells how many lanes before it go to the same
//                bin, and the keys are scattered to their slots
//
//   bins    3 1 3 0 ...      counts of the bins   5 2 5 0 ...
//   ranks   0 0 1 0 ...      slots                5 2 6 0 ...  --scatter--> buffers;  counts 6 3 7 1 ... --scatter-->
//
// A buffer has room for a vector more than what leaves at once, so that fullness is looked at once a vector, or once a
// few of them; what is beyond moves to its front. Neither way waits for the store before it, as a cursor of the last
// item would, and `compressed` does the same work whatever the keys.
#pragma once

#include "peneira/cpu/avx512.hpp"

#if defined(PENEIRA_AVX512)

#include <bit>
#include <cstddef>
#include <cstdint>

#include "peneira/config.hpp"
#include "peneira/cpu/buffers.hpp"
#include "peneira/cpu/classify.hpp"
#include "peneira/cpu/lines.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Items of a vector: what a buffer has room for beyond those that leave at once.
inline constexpr std::size_t vector_items = 16;

/// Copies sixteen items.
template <class T>
PENEIRA_AVX512 [[gnu::always_inline]] inline void copy_vector(T* to, const T* from) {
  const __m512i low = _mm512_loadu_si512(from);
  if constexpr (sizeof(T) == 8) _mm512_storeu_si512(to + 8, _mm512_loadu_si512(from + 8));
  _mm512_storeu_si512(to, low);
}
/// Sixteen items to their slots.
template <class T>
PENEIRA_AVX512 [[gnu::always_inline]] inline void scatter_vector(T* to, __m512i slots, const T* from) {
  if constexpr (sizeof(T) == 8) {
    _mm512_i32scatter_epi64(to, _mm512_maskz_extracti64x4_epi64(0xFF, slots, 0), _mm512_loadu_si512(from), 8);
    _mm512_i32scatter_epi64(to, _mm512_maskz_extracti64x4_epi64(0xFF, slots, 1), _mm512_loadu_si512(from + 8), 8);
  } else {
    _mm512_i32scatter_epi32(to, slots, _mm512_loadu_si512(from), 4);
  }
}
/// The chosen ones of sixteen items, one behind the other; writes all sixteen.
template <class T>
PENEIRA_AVX512 [[gnu::always_inline]] inline void compress_vector(T* to, __mmask16 chosen, const T* from) {
  if constexpr (sizeof(T) == 8) {
    const auto low = static_cast<__mmask8>(chosen);
    const auto high = static_cast<__mmask8>(chosen >> 8U);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(low, _mm512_loadu_si512(from)));
    _mm512_storeu_si512(to + std::popcount(low), _mm512_maskz_compress_epi64(high, _mm512_loadu_si512(from + 8)));
  } else {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32(chosen, _mm512_loadu_si512(from)));
  }
}

/// Slots [from, to) of a buffer, whole lines, to the output; the vector behind them to the front of the buffer.
template <class T>
PENEIRA_AVX512 [[gnu::always_inline]] inline void empty_front(T* out, T* buffer, std::size_t from, std::size_t to,
                                                              bool stream) {
  constexpr std::size_t line = line_bytes / sizeof(T);
  for (std::size_t at = from; at < to; at += line) {
    if (stream) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(out + at), _mm512_load_si512(buffer + at));
    } else {
      _mm512_storeu_si512(out + at, _mm512_load_si512(buffer + at));
    }
  }
  copy_vector(buffer, buffer + to);
}

/// Lets the first slots of a bin's buffer leave, some whole lines.
template <bool Watched, class K, class V>
PENEIRA_AVX512 [[gnu::noinline]] void flush_front(line_buffers<K, V>& to, std::uint32_t bin, std::size_t slots) {
  const std::int64_t first = to.home[bin] >> 1;
  if (Watched && first + static_cast<std::int64_t>(slots) > static_cast<std::int64_t>(to.out.size)) reject_impure();
  std::size_t done = 0;
  if ((to.home[bin] & 1) != 0) [[unlikely]] {  // the first line has items of a neighbour
    to.write(bin, first, to.first_slot(bin), to.lead);
    done = to.lead;
  }
  empty_front(to.out.keys + first, to.keys + bin * to.per_bin, done, slots, to.stream_keys);
  if constexpr (view<K, V>::has_values) {
    empty_front(to.out.values + first, to.values + bin * to.per_bin, done, slots, to.stream_values);
  }
  to.home[bin] = (first + static_cast<std::int64_t>(slots)) * 2;
}

/// By ranks within a vector. Arguments as of scatter_piece.
template <class K, class V, class F, class MayEnd>
PENEIRA_AVX512 [[gnu::noinline]] void scatter_ranked(view<const K, const V> in, const F& function, std::size_t first,
                                                     line_buffers<K, V>& to, MayEnd&& may_end) {
  constexpr bool watched = !never_misses<F>;
  constexpr bool with_values = view<K, V>::has_values;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  const std::uint32_t bins = f.bins();
  const std::size_t whole = to.per_bin - vector_items;
  const auto shift = static_cast<unsigned>(std::countr_zero(to.per_bin));
  K* const keys = to.keys;
  V* const values = to.values;
  std::uint32_t* const next = to.next;
  const __m512i last = _mm512_set1_epi32(static_cast<int>(whole) - 1);
  const __m128i shifts = _mm_cvtsi32_si128(static_cast<int>(shift));
  for (std::uint32_t b = 0; b < bins; ++b) next[b] = static_cast<std::uint32_t>(to.open(b));

  std::size_t i = 0;
  for (; i + vector_items <= in.size; i += vector_items) {
    alignas(line_bytes) std::uint32_t bin[vector_items];
    prefetch(in.keys + i);
    if constexpr (with_values) prefetch(in.values + i);
    classify<vector_items>(f, in.keys + i, first + i, bin);
    const __m512i b = load_bins(bin);
    if (_mm512_cmpneq_epi32_mask(b, _mm512_set1_epi32(static_cast<int>(bin[0]))) == 0) [[unlikely]] {  // a run
      const std::uint32_t at = next[bin[0]];
      const std::size_t slot = (std::size_t{bin[0]} << shift) + at;
      copy_vector(keys + slot, in.keys + i);
      if constexpr (with_values) copy_vector(values + slot, in.values + i);
      next[bin[0]] = at + vector_items;
      if (at + vector_items >= whole) {
        flush_front<watched>(to, bin[0], whole);
        next[bin[0]] -= static_cast<std::uint32_t>(whole);
      }
      continue;
    }
    const __m512i filled = _mm512_mask_i32gather_epi32(b, 0xFFFF, b, next, 4);
    const __m512i at = _mm512_add_epi32(filled, _mm512_popcnt_epi32(_mm512_conflict_epi32(b)));
    const __m512i slots = _mm512_add_epi32(_mm512_maskz_sll_epi32(0xFFFF, b, shifts), at);
    scatter_vector(keys, slots, in.keys + i);
    if constexpr (with_values) scatter_vector(values, slots, in.values + i);
    _mm512_i32scatter_epi32(next, b, _mm512_add_epi32(at, _mm512_set1_epi32(1)), 4);  // of one bin, the last lane wins
    for (unsigned full = _mm512_cmpeq_epi32_mask(at, last); full != 0; full &= full - 1) {
      const std::uint32_t full_bin = bin[std::countr_zero(full)];
      flush_front<watched>(to, full_bin, whole);
      next[full_bin] -= static_cast<std::uint32_t>(whole);
    }
  }
  for (; i < in.size; ++i) {
    std::uint32_t bin[1];
    classify<1>(f, in.keys + i, first + i, bin);
    const std::size_t slot = (std::size_t{bin[0]} << shift) + next[bin[0]];
    keys[slot] = in.keys[i];
    if constexpr (with_values) values[slot] = in.values[i];
    if (++next[bin[0]] == whole) {
      flush_front<watched>(to, bin[0], whole);
      next[bin[0]] = 0;
    }
  }
  for (std::uint32_t b = 0; b < bins; ++b) to.template close<watched>(b, next[b], may_end);
  stream_fence();
}

/// By compressing vectors, into at most Bins bins. Arguments as of scatter_piece.
template <std::uint32_t Bins, class K, class V, class F, class MayEnd>
PENEIRA_AVX512 [[gnu::noinline]] void scatter_compressed(view<const K, const V> in, const F& function,
                                                         std::size_t first, line_buffers<K, V>& to, MayEnd&& may_end) {
  constexpr bool watched = !never_misses<F>;
  constexpr bool with_values = view<K, V>::has_values;
  constexpr std::size_t block = 8 * vector_items;  // after which fullness is looked at
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  const std::uint32_t bins = f.bins();
  const std::size_t per_bin = to.per_bin;
  const std::size_t full = per_bin - block - vector_items;
  K* const keys = to.keys;
  V* const values = to.values;
  std::size_t next[Bins] = {};
  for (std::uint32_t b = 0; b < bins; ++b) next[b] = to.open(b);

  std::size_t i = 0;
  for (; i + block <= in.size; i += block) {
    for (std::size_t v = i; v < i + block; v += vector_items) {
      alignas(line_bytes) std::uint32_t bin[vector_items];
      prefetch(in.keys + v);
      if constexpr (with_values) prefetch(in.values + v);
      classify<vector_items>(f, in.keys + v, first + v, bin);
      const __m512i all = load_bins(bin);
      PENEIRA_UNROLL(8)
      for (std::uint32_t b = 0; b < Bins; ++b) {
        const __mmask16 chosen = _mm512_cmpeq_epi32_mask(all, _mm512_set1_epi32(static_cast<int>(b)));
        compress_vector(keys + b * per_bin + next[b], chosen, in.keys + v);
        if constexpr (with_values) compress_vector(values + b * per_bin + next[b], chosen, in.values + v);
        next[b] += static_cast<std::size_t>(std::popcount(chosen));
      }
    }
    for (std::uint32_t b = 0; b < Bins; ++b) {
      if (next[b] < full) [[likely]]
        continue;
      const std::size_t whole = next[b] & ~(to.lead - 1);
      flush_front<watched>(to, b, whole);
      next[b] -= whole;
    }
  }
  for (; i < in.size; ++i) {
    std::uint32_t bin[1];
    classify<1>(f, in.keys + i, first + i, bin);
    const std::size_t slot = bin[0] * per_bin + next[bin[0]]++;  // fewer than a block: there is room
    keys[slot] = in.keys[i];
    if constexpr (with_values) values[slot] = in.values[i];
  }
  for (std::uint32_t b = 0; b < bins; ++b) to.template close<watched>(b, next[b], may_end);
  stream_fence();
}

}  // namespace peneira::detail

#endif
