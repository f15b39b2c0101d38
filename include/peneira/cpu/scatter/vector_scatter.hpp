// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Two ways to scatter into few bins through buffers, sixteen items at a time by AVX-512, for keys and values of 4 and 8
// bytes; vector_place.hpp has those for more bins.
//
//   compressed   up to 4 bins: for each bin, its keys of a vector move together and are appended to its buffer
//   held         up to 16 bins: the slots of all bins are lanes of one register. How many lanes before it go to the
//   same
//                bin is added to the slot of a lane's bin, and the keys are scattered
//
//   bins    3 1 3 0 ...      slots of the bins    5 2 5 0 ...
//   ranks   0 0 1 0 ...      slots                5 2 6 0 ...  --scatter--> buffers;  slots of bins 0 1 3: + 1 1 2
//
// A buffer has room for a vector more than what leaves at once, so that fullness is looked at once a vector, or once a
// few of them; what is beyond moves to its front. Neither way waits for a store, as a cursor in memory would, and both
// do the same work whatever the keys.
#pragma once

#include "peneira/cpu/simd/avx512.hpp"

#if defined(PENEIRA_AVX512)

#include <bit>

#include "peneira/cpu/lines.hpp"
#include "peneira/cpu/scatter/buffers.hpp"
#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/cpu/scatter/vector_bins.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Copies sixteen items.
template <class T>
PENEIRA_AVX512 [[gnu::always_inline]] inline void copy_vector(T* to, const T* from) {
  const __m512i low = _mm512_loadu_si512(from);
  if constexpr (sizeof(T) == 8) _mm512_storeu_si512(to + 8, _mm512_loadu_si512(from + 8));
  _mm512_storeu_si512(to, low);
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"  // unoptimised, GCC's intrinsics are macros that convert masks so
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
#pragma GCC diagnostic pop
/// The chosen ones of sixteen items, one behind the other; writes all sixteen.
template <class T>
PENEIRA_AVX512 [[gnu::always_inline]] inline void compress_vector(T* to, __mmask16 chosen, const T* from) {
  if constexpr (sizeof(T) == 8) {
    const auto low = static_cast<__mmask8>(chosen);
    const auto high = static_cast<__mmask8>(chosen >> 8U);
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi64(low, _mm512_loadu_si512(from)));
    _mm512_storeu_si512(to + count_lanes(low), _mm512_maskz_compress_epi64(high, _mm512_loadu_si512(from + 8)));
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

/// Four times their number, for each lane.
inline constexpr std::uint32_t lane_nibbles[vector_items] = {0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28};

/// Of sixteen items among sixteen bins: how many lanes before each go to its bin, and how many lanes go to each bin.
/// Not for sixteen items of one bin, since a count has four bits of a word of 64.
struct held_counts {
  __m512i ranks;
  __m512i totals;
};
PENEIRA_AVX512 [[gnu::always_inline]] inline held_counts count_held(__m512i bins) {
  const __m512i none = _mm512_setzero_si512();
  const __m512i last = _mm512_set1_epi64(7);
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i nibble = _mm512_maskz_slli_epi32(0xFFFF, bins, 2);
  const __m512i low_nibble = _mm512_maskz_cvtepu32_epi64(0xFF, _mm512_maskz_extracti64x4_epi64(0xFF, nibble, 0));
  const __m512i high_nibble = _mm512_maskz_cvtepu32_epi64(0xFF, _mm512_maskz_extracti64x4_epi64(0xFF, nibble, 1));
  const __m512i low_one = _mm512_maskz_sllv_epi64(0xFF, one, low_nibble);
  const __m512i high_one = _mm512_maskz_sllv_epi64(0xFF, one, high_nibble);
  // Running sums along the eight lanes of each half, then of the first half for the second.
  __m512i low = low_one;
  __m512i high = high_one;
  low = _mm512_add_epi64(low, _mm512_maskz_alignr_epi64(0xFF, low, none, 7));
  high = _mm512_add_epi64(high, _mm512_maskz_alignr_epi64(0xFF, high, none, 7));
  low = _mm512_add_epi64(low, _mm512_maskz_alignr_epi64(0xFF, low, none, 6));
  high = _mm512_add_epi64(high, _mm512_maskz_alignr_epi64(0xFF, high, none, 6));
  low = _mm512_add_epi64(low, _mm512_maskz_alignr_epi64(0xFF, low, none, 4));
  high = _mm512_add_epi64(high, _mm512_maskz_alignr_epi64(0xFF, high, none, 4));
  high = _mm512_add_epi64(high, _mm512_maskz_permutexvar_epi64(0xFF, last, low));
  const __m512i all = _mm512_maskz_permutexvar_epi64(0xFF, last, high);
  // Of each lane the nibble of its bin; of all, each nibble to the lane of its bin.
  low = _mm512_maskz_srlv_epi64(0xFF, _mm512_sub_epi64(low, low_one), low_nibble);
  high = _mm512_maskz_srlv_epi64(0xFF, _mm512_sub_epi64(high, high_one), high_nibble);
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i half = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  const __m512i most = _mm512_set1_epi32(15);
  const __m512i spread = _mm512_maskz_permutexvar_epi32(0xFFFF, half, all);
  return {_mm512_and_si512(_mm512_permutex2var_epi32(low, even, high), most),
          _mm512_and_si512(_mm512_maskz_srlv_epi32(0xFFFF, spread, _mm512_loadu_si512(lane_nibbles)), most)};
}

/// The slots of all bins held in a register. Arguments as of scatter_piece.
template <class K, class V, class F>
PENEIRA_AVX512 [[gnu::noinline]] void scatter_held(view<const K, const V> in, const F& function, std::size_t first,
                                                   line_buffers<K, V>& to, const piece_ends& may_end) {
  constexpr bool watched = !never_misses<F>;
  constexpr bool with_values = view<K, V>::has_values;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  const std::uint32_t bins = f.bins();
  const auto per_bin = static_cast<std::uint32_t>(to.per_bin);
  const auto whole = static_cast<std::uint32_t>(per_bin - vector_items);
  K* const keys = to.keys;
  V* const values = to.values;
  alignas(line_bytes) std::uint32_t next[vector_items] = {};
  alignas(line_bytes) std::uint32_t full_at[vector_items];
  for (std::uint32_t b = 0; b < vector_items; ++b) full_at[b] = b * per_bin + whole;
  for (std::uint32_t b = 0; b < bins; ++b) next[b] = b * per_bin + static_cast<std::uint32_t>(to.open(b));
  const __m512i limits = _mm512_load_si512(full_at);
  __m512i slots = _mm512_load_si512(next);

  std::size_t i = 0;
  for (; i + vector_items <= in.size; i += vector_items) {
    prefetch(in.keys + i);
    if constexpr (with_values) prefetch(in.values + i);
    const __m512i bin = bins_of(f, in.keys + i, first + i);
    const __m512i begin = _mm512_maskz_permutexvar_epi32(0xFFFF, bin, slots);
    if (all_are_one(bin)) [[unlikely]] {
      const std::uint32_t slot = first_lane(begin);
      copy_vector(keys + slot, in.keys + i);
      if constexpr (with_values) copy_vector(values + slot, in.values + i);
      slots = _mm512_mask_add_epi32(slots, static_cast<__mmask16>(1U << first_lane(bin)), slots,
                                    _mm512_set1_epi32(vector_items));
    } else {
      const held_counts counts = count_held(bin);
      const __m512i at = _mm512_add_epi32(begin, counts.ranks);
      scatter_vector(keys, at, in.keys + i);
      if constexpr (with_values) scatter_vector(values, at, in.values + i);
      slots = _mm512_add_epi32(slots, counts.totals);
    }
    for (unsigned full = _mm512_cmpge_epu32_mask(slots, limits); full != 0; full &= full - 1) {
      const auto b = static_cast<std::uint32_t>(std::countr_zero(full));
      flush_front<watched>(to, b, whole);
      slots = _mm512_mask_sub_epi32(slots, static_cast<__mmask16>(1U << b), slots,
                                    _mm512_set1_epi32(static_cast<int>(whole)));
    }
  }
  _mm512_store_si512(next, slots);
  for (; i < in.size; ++i) {
    const std::size_t slot = next[bin_of_one(f, in.keys + i, first + i)]++;  // fewer than a vector: there is room
    keys[slot] = in.keys[i];
    if constexpr (with_values) values[slot] = in.values[i];
  }
  for (std::uint32_t b = 0; b < bins; ++b) to.template close<watched>(b, next[b] - b * per_bin, may_end);
  stream_fence();
}

/// By compressing vectors. Arguments as of scatter_piece.
template <class K, class V, class F>
PENEIRA_AVX512 [[gnu::noinline]] void scatter_compressed(view<const K, const V> in, const F& function,
                                                         std::size_t first, line_buffers<K, V>& to,
                                                         const piece_ends& may_end) {
  constexpr bool watched = !never_misses<F>;
  constexpr bool with_values = view<K, V>::has_values;
  constexpr std::uint32_t most_bins = tuning::cpu_compressed_bins;
  constexpr std::size_t block = 8 * vector_items;  // after which fullness is looked at
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  const std::uint32_t bins = f.bins();
  const std::size_t per_bin = to.per_bin;
  const std::size_t full = per_bin - block - vector_items;
  K* const keys = to.keys;
  V* const values = to.values;
  std::size_t next[most_bins] = {};
  for (std::uint32_t b = 0; b < bins; ++b) next[b] = to.open(b);

  std::size_t i = 0;
  for (; i + block <= in.size; i += block) {
    for (std::size_t v = i; v < i + block; v += vector_items) {
      prefetch(in.keys + v);
      if constexpr (with_values) prefetch(in.values + v);
      const __m512i all = bins_of(f, in.keys + v, first + v);
      PENEIRA_UNROLL(4)
      for (std::uint32_t b = 0; b < most_bins; ++b) {
        const __mmask16 chosen = _mm512_cmpeq_epi32_mask(all, _mm512_set1_epi32(static_cast<int>(b)));
        compress_vector(keys + b * per_bin + next[b], chosen, in.keys + v);
        if constexpr (with_values) compress_vector(values + b * per_bin + next[b], chosen, in.values + v);
        next[b] += count_lanes(chosen);
      }
    }
    for (std::uint32_t b = 0; b < most_bins; ++b) {
      if (next[b] < full) [[likely]]
        continue;
      const std::size_t whole = next[b] & ~(to.lead - 1);
      flush_front<watched>(to, b, whole);
      next[b] -= whole;
    }
  }
  for (; i < in.size; ++i) {
    const std::uint32_t bin = bin_of_one(f, in.keys + i, first + i);
    const std::size_t slot = bin * per_bin + next[bin]++;  // fewer than a block: there is room
    keys[slot] = in.keys[i];
    if constexpr (with_values) values[slot] = in.values[i];
  }
  for (std::uint32_t b = 0; b < bins; ++b) to.template close<watched>(b, next[b], may_end);
  stream_fence();
}

}  // namespace peneira::detail

#endif
