// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A slice of a partition by one thread that has AVX-512, for keys and values of 4 and 8 bytes: sixteen parts are found
// at once, and of sixteen items those of a part move together, straight to their place.
//
//   parts   1 0 0 2 ...    of part 0   0 1 1 0 ...   items   a b c d ...  --compressed--> b c ...  --appended--> out
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "peneira/cpu/simd/avx512.hpp"
#include "peneira/error.hpp"
#include "peneira/view.hpp"

#if defined(PENEIRA_AVX512)
#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/cpu/scatter/vector_bins.hpp"
#endif

namespace peneira::detail {

/// Whether vectors can move items of such columns.
template <class K, class V>
inline constexpr bool moves_vectors = knows_avx512 && (sizeof(K) == 4 || sizeof(K) == 8) &&
                                      (!view<K, V>::has_values || sizeof(V) == 4 || sizeof(V) == 8);

/// Items that one vector holds.
inline constexpr std::size_t few_parts = 16;

#if defined(PENEIRA_AVX512)

/// The first `count` lanes of sixteen.
PENEIRA_AVX512 [[gnu::always_inline]] inline __mmask16 lanes_before(std::size_t count) {
  return static_cast<__mmask16>(_bzhi_u32(0xFFFF, static_cast<unsigned>(count)));
}

/// Sixteen keys of which only the first `count` are there: the first of them is in the lanes behind. Written as
/// vectors, which what reads them as such need not wait for.
template <class Key>
struct filled_up {
  alignas(line_bytes) std::array<std::byte, vector_items * sizeof(Key)> bytes;
  [[nodiscard]] const Key* keys() const { return reinterpret_cast<const Key*>(bytes.data()); }
};
template <class Key>
PENEIRA_AVX512 [[gnu::always_inline]] inline void fill_up(const Key* keys, std::size_t count, filled_up<Key>& room) {
  std::byte* const to = room.bytes.data();
  if constexpr (sizeof(Key) == 8) {
    const __m512i others = _mm512_set1_epi64(std::bit_cast<std::int64_t>(keys[0]));
    const auto lanes = static_cast<std::uint32_t>(lanes_before(count));
    _mm512_store_si512(to, _mm512_mask_loadu_epi64(others, static_cast<__mmask8>(lanes), keys));
    _mm512_store_si512(to + line_bytes, _mm512_mask_loadu_epi64(others, static_cast<__mmask8>(lanes >> 8U), keys + 8));
  } else {
    const __m512i others = _mm512_set1_epi32(std::bit_cast<std::int32_t>(keys[0]));
    _mm512_store_si512(to, _mm512_mask_loadu_epi32(others, lanes_before(count), keys));
  }
}

/// Calls take(i, parts, lanes) for sixteen items at a time, from item i on, with their parts in the lanes. Of the last
/// few the other lanes have the part of one of them.
template <class F, class Key, class Take>
PENEIRA_AVX512 [[gnu::always_inline]] inline void for_part_vectors(const F& function, const Key* keys,
                                                                   std::size_t first, std::size_t n, const Take& take) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  std::size_t i = 0;
  for (; i + vector_items <= n; i += vector_items) take(i, bins_of(f, keys + i, first + i), __mmask16{0xFFFF});
  if (i == n) return;
  filled_up<Key> last;
  fill_up(keys + i, n - i, last);
  take(i, bins_of(f, last.keys(), first + i), lanes_before(n - i));
}

/// Which of sixteen parts are part w.
PENEIRA_AVX512 [[gnu::always_inline]] inline __mmask16 lanes_of(__m512i parts, std::size_t w) {
  return _mm512_cmpeq_epi32_mask(parts, _mm512_set1_epi32(static_cast<int>(w)));
}

/// Counts the items of each part but the first.
template <std::size_t Ways>
struct part_counter {
  std::array<std::uint64_t, Ways>& counts;

  PENEIRA_AVX512 [[gnu::always_inline]] void operator()(std::size_t /*i*/, __m512i parts, __mmask16 lanes) const {
    for (std::size_t w = 1; w < Ways; ++w) {
      counts[w] += count_lanes(static_cast<__mmask16>(lanes_of(parts, w) & lanes));
    }
  }
};

/// The same as count_parts.
template <std::size_t Ways, class F, class Key>
PENEIRA_AVX512 [[gnu::noinline]] std::array<std::uint64_t, Ways> count_vectors(const F& f, const Key* keys,
                                                                               std::size_t first, std::size_t n) {
  std::array<std::uint64_t, Ways> counts{};
  for_part_vectors(f, keys, first, n, part_counter<Ways>{counts});
  counts[0] = n;
  for (std::size_t w = 1; w < Ways; ++w) counts[0] -= counts[w];
  return counts;
}

/// Writes the chosen ones of sixteen items to a column, one behind the other, and nothing behind them; reads no others
/// than `lanes`.
template <class T>
PENEIRA_AVX512 [[gnu::always_inline]] inline void append_vector(T* to, __mmask16 chosen, __mmask16 lanes,
                                                                const T* from) {
  if constexpr (sizeof(T) == 8) {
    const auto low = static_cast<__mmask8>(chosen);
    const auto high = static_cast<__mmask8>(chosen >> 8U);
    const unsigned lows = count_lanes(low);
    const __m512i first = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes), from);
    const __m512i second = _mm512_maskz_loadu_epi64(static_cast<__mmask8>(lanes >> 8U), from + 8);
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(lanes_before(lows)), _mm512_maskz_compress_epi64(low, first));
    _mm512_mask_storeu_epi64(to + lows, static_cast<__mmask8>(lanes_before(count_lanes(high))),
                             _mm512_maskz_compress_epi64(high, second));
  } else {
    _mm512_mask_storeu_epi32(to, lanes_before(count_lanes(chosen)),
                             _mm512_maskz_compress_epi32(chosen, _mm512_maskz_loadu_epi32(lanes, from)));
  }
}

/// Moves the items of each part to where it goes on.
template <std::size_t Ways, class K, class V>
struct part_mover {
  view<const K, const V> in;
  view<K, V> out;
  std::array<std::uint64_t, Ways>& at;
  const std::array<std::uint64_t, Ways>& end;

  PENEIRA_AVX512 [[gnu::always_inline]] void operator()(std::size_t i, __m512i parts, __mmask16 lanes) const {
    prefetch(in.keys + i);
    if constexpr (view<K, V>::has_values) prefetch(in.values + i);
    PENEIRA_UNROLL(4)
    for (std::size_t w = 0; w < Ways; ++w) {
      const auto chosen = static_cast<__mmask16>(lanes_of(parts, w) & lanes);
      const unsigned some = count_lanes(chosen);
      if (some > end[w] - at[w]) [[unlikely]]  // which the count of the same items excludes
        reject_impure("partition");
      append_vector(out.keys + at[w], chosen, lanes, in.keys + i);
      if constexpr (view<K, V>::has_values) append_vector(out.values + at[w], chosen, lanes, in.values + i);
      at[w] += some;
    }
  }
};

/// The same as split_parts.
template <std::size_t Ways, class K, class V, class F>
PENEIRA_AVX512 [[gnu::noinline]] void split_vectors(view<const K, const V> in, const F& f, std::size_t first,
                                                    view<K, V> out, std::array<std::uint64_t, Ways> at,
                                                    const std::array<std::uint64_t, Ways>& end) {
  for_part_vectors(f, in.keys, first, in.size, part_mover<Ways, K, V>{in, out, at, end});
}

/// A partition of items that one vector holds, from 1 on: nothing need be counted before. Returns how many each part
/// has.
template <std::size_t Ways, class K, class V, class F>
PENEIRA_AVX512 [[gnu::noinline]] std::array<std::uint64_t, Ways> place_vector(view<const K, const V> in, const F& f,
                                                                              view<K, V> out) {
  filled_up<K> keys;
  fill_up(in.keys, in.size, keys);
  const __m512i parts = bins_of(f, keys.keys(), 0);
  const __mmask16 lanes = lanes_before(in.size);
  std::array<std::uint64_t, Ways> counts{};
  std::size_t at = 0;
  for (std::size_t w = 0; w < Ways; ++w) {
    const auto chosen = static_cast<__mmask16>(lanes_of(parts, w) & lanes);
    append_vector(out.keys + at, chosen, lanes, in.keys);
    if constexpr (view<K, V>::has_values) append_vector(out.values + at, chosen, lanes, in.values);
    counts[w] = count_lanes(chosen);
    at += counts[w];
  }
  return counts;
}

#endif

}  // namespace peneira::detail
