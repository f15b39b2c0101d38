// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Scattering into many bins through buffers where the processor has AVX-512: vectors find the bins of sixteen keys, and
// the items go to their slots one by one, for keys and values of 4 and 8 bytes.
//
//   placed    a table tells the slot of each bin's next item; buffers of four lines. Where the lines that are being
//             filled outgrow the first-level cache, they are asked for a vector ahead
//   carried   one line a bin, whose last slot carries the fill count until an item needs it: for so many bins that a
//             table beside the lines would be one more that is not at hand
//
//   keys  --sixteen bins by vectors--> lanes --one by one--> buffers --full, streamed from within the loop--> output
//
// An item costs two stores to different lines, and what bounds this loop on 16 hardware threads of 8 cores is that a
// core completes one such store a cycle; vectors that scatter cost more. But where many of sixteen items share a bin,
// each would wait for the slot that the one before it stored: there `placed` compresses the items of that bin.
#pragma once

#include "peneira/cpu/simd/avx512.hpp"

#if defined(PENEIRA_AVX512)

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "peneira/cpu/lines.hpp"
#include "peneira/cpu/scatter/buffers.hpp"
#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/cpu/scatter/vector_bins.hpp"
#include "peneira/cpu/scatter/vector_scatter.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Buffers that are filled one by one. PerBin: items of one.
template <bool Carried, std::uint32_t PerBin, bool Watched, class K, class V>
struct placer {
  static constexpr std::uint32_t last = PerBin - 1;
  static constexpr bool with_values = view<K, V>::has_values;

  line_buffers<K, V>& to;  ///< for what is rare; the rest are copies, which no write can alias
  K* keys;
  V* values;
  std::uint32_t* next;
  std::int64_t* home;
  view<K, V> out;
  bool stream;

  explicit placer(line_buffers<K, V>& buffers)
      : to(buffers),
        keys(buffers.keys),
        values(buffers.values),
        next(buffers.next),
        home(buffers.home),
        out(buffers.out),
        stream(buffers.stream_keys && (!with_values || buffers.stream_values)) {}

  void open(std::uint32_t bin) const {
    const auto at = static_cast<std::uint32_t>(to.open(bin));
    if constexpr (Carried) {
      carried_count<K>::write(keys + std::size_t{bin} * PerBin + last, at);
    } else {
      next[bin] = bin * PerBin + at;
    }
  }
  [[nodiscard]] std::size_t filled(std::uint32_t bin) const {
    if constexpr (Carried) {
      return carried_count<K>::read(keys + std::size_t{bin} * PerBin + last);
    } else {
      return next[bin] - bin * PerBin;
    }
  }

  /// Empties a full buffer.
  PENEIRA_AVX512 [[gnu::always_inline]] void empty(std::uint32_t bin) const {
    const std::int64_t at = home[bin];
    if (!stream || (at & 1) != 0) [[unlikely]] {
      to.template flush_home<Watched>(bin);
      return;
    }
    const std::int64_t first = at >> 1;
    if (Watched && first + std::int64_t{PerBin} > static_cast<std::int64_t>(out.size)) reject_impure();
    stream_buffer(out.keys + first, keys + std::size_t{bin} * PerBin);
    if constexpr (with_values) stream_buffer(out.values + first, values + std::size_t{bin} * PerBin);
    home[bin] = at + 2 * std::int64_t{PerBin};
  }
  template <class T>
  PENEIRA_AVX512 [[gnu::always_inline]] static void stream_buffer(T* target, const T* from) {
    PENEIRA_UNROLL(4)
    for (std::size_t at = 0; at < PerBin; at += line_bytes / sizeof(T)) {
      _mm512_stream_si512(reinterpret_cast<__m512i*>(target + at), _mm512_load_si512(from + at));
    }
  }

  PENEIRA_AVX512 [[gnu::always_inline]] void put(std::uint32_t bin, const K* key, const V* value) const {
    if constexpr (Carried) {
      K* const line = keys + std::size_t{bin} * PerBin;
      const std::uint32_t at = carried_count<K>::read(line + last);
      carried_count<K>::write(line + last, at + 1);
      line[at] = *key;  // over the count, if it is the last
      if constexpr (with_values) values[std::size_t{bin} * PerBin + at] = *value;
      if (at == last) [[unlikely]] {
        empty(bin);
        carried_count<K>::write(line + last, 0);
      }
    } else {
      const std::uint32_t at = next[bin];
      keys[at] = *key;
      if constexpr (with_values) values[at] = *value;
      std::uint32_t then = at + 1;
      if (then % PerBin == 0) [[unlikely]] {
        empty(bin);
        then -= PerBin;
      }
      next[bin] = then;
    }
  }

  /// Sixteen items one by one.
  PENEIRA_AVX512 [[gnu::always_inline]] void put_vector(__m512i bins, const K* key, const V* value) const {
    put_pairs(bins, key, value, std::make_index_sequence<vector_items / 2>{});
  }
  template <std::size_t... Pair>
  PENEIRA_AVX512 [[gnu::always_inline]] void put_pairs(__m512i bins, const K* key, const V* value,
                                                       std::index_sequence<Pair...> /*pairs*/) const {
    (put_pair<Pair>(bins, key, value), ...);
  }
  template <std::size_t Pair>
  PENEIRA_AVX512 [[gnu::always_inline]] void put_pair(__m512i bins, const K* key, const V* value) const {
    const std::uint64_t two = two_lanes<Pair>(bins);
    put(static_cast<std::uint32_t>(two), key + 2 * Pair, with_values ? value + 2 * Pair : value);
    put(static_cast<std::uint32_t>(two >> 32U), key + 2 * Pair + 1, with_values ? value + 2 * Pair + 1 : value);
  }

  /// Asks for the slots of sixteen items.
  template <std::size_t... Pair>
  PENEIRA_AVX512 [[gnu::always_inline]] void fetch(__m512i bins, std::index_sequence<Pair...> /*pairs*/) const {
    (fetch_pair(two_lanes<Pair>(bins)), ...);
  }
  [[gnu::always_inline]] void fetch_pair(std::uint64_t two) const {
    const std::uint32_t a = next[static_cast<std::uint32_t>(two)];
    const std::uint32_t b = next[two >> 32U];
    __builtin_prefetch(keys + a, 1);
    __builtin_prefetch(keys + b, 1);
    if constexpr (with_values) {
      __builtin_prefetch(values + a, 1);
      __builtin_prefetch(values + b, 1);
    }
  }

  /// Up to sixteen items of one bin.
  void put_some(std::uint32_t bin, const K* key, const V* value, std::size_t count) const {
    std::size_t at = filled(bin);
    for (std::size_t done = 0; done < count;) {
      const std::size_t part = std::min<std::size_t>(count - done, PerBin - at);
      const std::size_t slot = std::size_t{bin} * PerBin + at;
      std::memcpy(keys + slot, key + done, part * sizeof(K));
      if constexpr (with_values) std::memcpy(values + slot, value + done, part * sizeof(V));
      done += part;
      at += part;
      if (at == PerBin) {
        to.template flush_home<Watched>(bin);
        at = 0;
      }
    }
    if constexpr (Carried) {
      carried_count<K>::write(keys + std::size_t{bin} * PerBin + last, static_cast<std::uint32_t>(at));
    } else {
      next[bin] = bin * PerBin + static_cast<std::uint32_t>(at);
    }
  }

  /// Sixteen items, of which those of one bin move together.
  PENEIRA_AVX512 [[gnu::always_inline]] void put_crowd(__m512i bins, std::uint32_t hot, const K* key,
                                                       const V* value) const {
    const __mmask16 chosen = _mm512_cmpeq_epi32_mask(bins, _mm512_set1_epi32(static_cast<int>(hot)));
    const std::uint32_t count = count_lanes(chosen);
    const std::uint32_t at = next[hot];
    if (at % PerBin + vector_items < PerBin) [[likely]] {
      compress_vector(keys + at, chosen, key);
      if constexpr (with_values) compress_vector(values + at, chosen, value);
      next[hot] = at + count;
    } else {
      // Bytes, since items need no constructor.
      alignas(line_bytes) std::byte key_bytes[2 * vector_items * sizeof(K)];
      alignas(line_bytes) std::byte value_bytes[2 * vector_items * (with_values ? sizeof(V) : 1)];
      auto* const some_keys = reinterpret_cast<K*>(key_bytes);
      compress_vector(some_keys, chosen, key);
      if constexpr (with_values) {
        auto* const some_values = reinterpret_cast<V*>(value_bytes);
        compress_vector(some_values, chosen, value);
        put_some(hot, some_keys, some_values, count);
      } else {
        put_some(hot, some_keys, value, count);
      }
    }
    alignas(line_bytes) std::uint32_t bin[vector_items];
    _mm512_store_si512(bin, bins);
    for (unsigned rest = ~static_cast<unsigned>(chosen) & 0xFFFFU; rest != 0; rest &= rest - 1) {
      const auto k = static_cast<std::size_t>(std::countr_zero(rest));
      put(bin[k], key + k, with_values ? value + k : value);
    }
  }
};

/// A bin that has six or more of sixteen items, or 2^32 - 1.
PENEIRA_AVX512 [[gnu::always_inline]] inline std::uint32_t crowd_of(__m512i bins) {
  __m512i before = _mm512_conflict_epi32(bins);  // a bit for each lane before that has the same bin
  for (unsigned seen = 0; seen < 4; ++seen) {    // less the lowest of them
    before = _mm512_and_si512(before, _mm512_add_epi32(before, _mm512_set1_epi32(-1)));
  }
  const __mmask16 crowd = _mm512_test_epi32_mask(before, before);
  return crowd == 0 ? 0xFFFFFFFFU : first_lane(_mm512_maskz_compress_epi32(crowd, bins));
}

/// One by one. Arguments as of scatter_piece.
template <bool Carried, std::uint32_t PerBin, class K, class V, class F>
PENEIRA_AVX512 [[gnu::noinline]] void scatter_placed(view<const K, const V> in, const F& function, std::size_t first,
                                                     line_buffers<K, V>& to, const piece_ends& may_end) {
  constexpr bool watched = !never_misses<F>;
  constexpr bool with_values = view<K, V>::has_values;
  constexpr std::size_t chunk = 4096;
  constexpr std::size_t probes = 4;
  constexpr std::size_t apart = prefetch_bytes / 8 / probes;  // within what is on its way already
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const F f = function;
  const std::uint32_t bins = f.bins();
  const placer<Carried, PerBin, watched, K, V> place(to);
  const bool fetches = !Carried && bins >= tuning::cpu_fetched_bins;
  for (std::uint32_t b = 0; b < bins; ++b) place.open(b);

  std::size_t i = 0;
  while (in.size - i >= vector_items) {
    const std::size_t end = std::min(in.size, i + chunk) / vector_items * vector_items;
    std::size_t crowds = 0;
    std::uint32_t hot = 0;
    for (std::size_t p = 0; p < probes && i + p * apart < end; ++p) {
      const __m512i probe = bins_of(f, in.keys + i + p * apart, first + i + p * apart);
      if constexpr (Carried) {
        crowds += all_are_one(probe) ? 1U : 0U;
      } else if (const std::uint32_t found = crowd_of(probe); found != 0xFFFFFFFFU) {
        ++crowds;
        hot = found;
      }
    }
    if (crowds >= probes / 2) {
      for (; i < end; i += vector_items) {
        prefetch(in.keys + i);
        if constexpr (with_values) prefetch(in.values + i);
        const __m512i bin = bins_of(f, in.keys + i, first + i);
        if (all_are_one(bin)) {
          place.put_some(first_lane(bin), in.keys + i, with_values ? in.values + i : in.values, vector_items);
        } else if constexpr (Carried) {
          place.put_vector(bin, in.keys + i, with_values ? in.values + i : in.values);
        } else {
          place.put_crowd(bin, hot, in.keys + i, with_values ? in.values + i : in.values);
        }
      }
      continue;
    }
    __m512i bin = bins_of(f, in.keys + i, first + i);
    for (; i < end; i += vector_items) {
      prefetch(in.keys + i);
      if constexpr (with_values) prefetch(in.values + i);
      const std::size_t ahead = i + vector_items < end ? i + vector_items : i;
      const __m512i bin_ahead = bins_of(f, in.keys + ahead, first + ahead);
      if constexpr (!Carried) {
        if (fetches) place.fetch(bin_ahead, std::make_index_sequence<vector_items / 2>{});
      }
      place.put_vector(bin, in.keys + i, with_values ? in.values + i : in.values);
      bin = bin_ahead;
    }
  }
  for (; i < in.size; ++i) {
    place.put(bin_of_one(f, in.keys + i, first + i), in.keys + i, with_values ? in.values + i : in.values);
  }
  for (std::uint32_t b = 0; b < bins; ++b) to.template close<watched>(b, place.filled(b), may_end);
  stream_fence();
}

}  // namespace peneira::detail

#endif
