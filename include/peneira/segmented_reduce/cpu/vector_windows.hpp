// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Short segments of mixed sizes by AVX-512: its masked loads leave out the lanes past a segment's end, so that a window
// is as many loads as it has vectors, and nothing has to be read in the place of others. Each segment becomes a vector,
// two of them one whose lanes are halves of each, and so on, until one has a result in each lane:
//
//   a a a a   b b b b   c c c c   d d d d
//      a a b b             c c d d
//                a b c d
//
// The next items are asked for ahead, since sizes that are mispredicted keep the processor from looking far ahead.
#pragma once

#include "peneira/cpu/simd/avx512.hpp"

#if defined(PENEIRA_AVX512)

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "peneira/cpu/simd/packs.hpp"
#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/cpu/windows.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// Whether there are masked windows for T and Op.
template <class T, class Op>
inline constexpr bool masks_windows = (sizeof(T) == 4 || sizeof(T) == 8) && packs_well<Op, T> &&
                                      !std::is_same_v<Op, multiplies>;

/// Windows of so many vectors.
template <std::size_t Vectors, class T, class Op>
class masked_window {
  using wide = pack<T, 64>;
  using vector = typename wide::vector;
  static constexpr std::size_t window = Vectors * wide::lanes;

 public:
  /// Items of the longest segments that are combined; those of longer ones are left out.
  static constexpr std::size_t most = most_in_windows<Op, T, wide::lanes>;

  PENEIRA_AVX512 explicit masked_window(const Op& op) : identity_(op.template identity<T>() - vector{}) {}

  /// As many neighbouring segments as there are lanes, eight at a time: as fast as all at once, and less to compile.
  template <class Offset>
  PENEIRA_AVX512 [[gnu::always_inline]] void fold_lanes(const T* items, const Offset* offsets, T* results) const {
    constexpr std::size_t some = 8;
    std::array<vector, wide::lanes / some> parts;
    PENEIRA_UNROLL(1)
    for (std::size_t k = 0; k < wide::lanes / some; ++k) parts[k] = fold<some>(items, offsets + k * some);
    vector all = parts[0];
    if constexpr (parts.size() == 2) all = halve(parts[0], parts[1]);
    __builtin_memcpy(results, &all, sizeof all);
  }

 private:
  /// Neighbouring segments, a power of two of them, each combined into as many lanes of one vector.
  template <std::size_t Segments, class Offset>
  PENEIRA_AVX512 [[gnu::always_inline]] vector fold(const T* items, const Offset* offsets) const {
    if constexpr (Segments == 1) {
      const auto begin = static_cast<std::size_t>(offsets[0]);
      ask_for(items + begin + tuning::cpu_ahead_bytes / sizeof(T));
      return fold_one(items + begin, static_cast<std::size_t>(offsets[1]) - begin);
    } else {
      const vector a = fold<Segments / 2>(items, offsets);
      const vector b = fold<Segments / 2>(items, offsets + Segments / 2);
      return halve(a, b);
    }
  }

  PENEIRA_AVX512 [[gnu::always_inline]] vector fold_one(const T* items, std::size_t size) const {
    const std::size_t rest = size % window;
    const std::uint64_t ones = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(rest));
    vector all = load(items, ones);
    PENEIRA_UNROLL(4)
    for (std::size_t k = 1; k < Vectors; ++k) {
      all = combine(all, load(items + k * wide::lanes, ones >> (k * wide::lanes)));
    }
    if (size >= window) [[unlikely]] {
      if (size > most) return all;
      if constexpr (rounds<Op, T>) {
        for (std::size_t i = rest; i < size;) {
          const std::size_t until = std::min(size, i + tuning::cpu_rounding_steps * wide::lanes);
          vector row = load(items + i);
          for (i += wide::lanes; i < until; i += wide::lanes) row = combine(row, load(items + i));
          all = combine(all, row);
        }
      } else {
        for (std::size_t i = rest; i < size; i += window) {
          PENEIRA_UNROLL(4)
          for (std::size_t k = 0; k < Vectors; ++k) all = combine(all, load(items + i + k * wide::lanes));
        }
      }
    }
    return all;
  }

  PENEIRA_AVX512 [[gnu::always_inline]] static vector load(const T* items) {
    vector loaded;
    __builtin_memcpy(&loaded, items, sizeof loaded);
    return loaded;
  }

  /// The lanes that the mask names; the others are the identity.
  PENEIRA_AVX512 [[gnu::always_inline]] vector load(const T* items, std::uint64_t ones) const {
    const auto none = reinterpret_cast<__m512i>(identity_);
    if constexpr (sizeof(T) == 4) {
      return reinterpret_cast<vector>(_mm512_mask_loadu_epi32(none, static_cast<__mmask16>(ones), items));
    } else {
      return reinterpret_cast<vector>(_mm512_mask_loadu_epi64(none, static_cast<__mmask8>(ones), items));
    }
  }

  /// As many lines as segments have on average, about.
  PENEIRA_AVX512 [[gnu::always_inline]] static void ask_for(const T* items) {
    __builtin_prefetch(items);
    if constexpr (Vectors > 2) __builtin_prefetch(items + wide::lanes);
  }

  PENEIRA_AVX512 [[gnu::always_inline]] static vector combine(vector a, vector b) {
    if constexpr (std::is_same_v<Op, plus>) return a + b;
    if constexpr (is_one_of<T, float, double>) return extreme(a, b);
    if constexpr (std::is_same_v<Op, min>) return b < a ? b : a;
    if constexpr (std::is_same_v<Op, max>) return a < b ? b : a;
    if constexpr (std::is_same_v<Op, bit_and>) return a & b;
    if constexpr (std::is_same_v<Op, bit_or>) return a | b;
    if constexpr (std::is_same_v<Op, bit_xor>) return a ^ b;
  }

  /// The least or the greatest, as it stays the first operand's where one of them is NaN; but b where that is.
  PENEIRA_AVX512 [[gnu::always_inline]] static vector extreme(vector a, vector b) {
    if constexpr (std::is_same_v<T, float>) {
      const auto x = reinterpret_cast<__m512>(a);
      const auto y = reinterpret_cast<__m512>(b);
      const __mmask16 number = _mm512_cmp_ps_mask(y, y, _CMP_ORD_Q);
      if constexpr (std::is_same_v<Op, min>) return reinterpret_cast<vector>(_mm512_mask_min_ps(y, number, y, x));
      return reinterpret_cast<vector>(_mm512_mask_max_ps(y, number, y, x));
    } else {
      const auto x = reinterpret_cast<__m512d>(a);
      const auto y = reinterpret_cast<__m512d>(b);
      const __mmask8 number = _mm512_cmp_pd_mask(y, y, _CMP_ORD_Q);
      if constexpr (std::is_same_v<Op, min>) return reinterpret_cast<vector>(_mm512_mask_min_pd(y, number, y, x));
      return reinterpret_cast<vector>(_mm512_mask_max_pd(y, number, y, x));
    }
  }

  /// Neighbouring lanes of two vectors combined: those of a, then those of b.
  PENEIRA_AVX512 [[gnu::always_inline]] static vector halve(vector a, vector b) {
    return halve(a, b, std::make_index_sequence<wide::lanes>{});
  }
  template <std::size_t... L>
  PENEIRA_AVX512 [[gnu::always_inline]] static vector halve(vector a, vector b, std::index_sequence<L...> /*lanes*/) {
    using places [[maybe_unused]] = typename wide::mask;
    return combine(PENEIRA_SHUFFLE(places, a, b, (2 * L)...), PENEIRA_SHUFFLE(places, a, b, (2 * L + 1)...));
  }

  vector identity_;
};

/// The segments between `part` offsets from each of some neighbouring places, a vector of them from each in turns.
template <std::size_t Vectors, class T, class Offset, class Op>
PENEIRA_AVX512 [[gnu::noinline]] void fold_places(const masked_window<Vectors, T, Op>& window, const T* items,
                                                  const Offset* offsets, std::size_t part, std::size_t places,
                                                  T* results) {
  constexpr std::size_t lanes = pack<T, 64>::lanes;
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy of our own, which no write can alias
  const masked_window<Vectors, T, Op> by = window;
  for (std::size_t s = 0; s < part; s += lanes) {
    for (std::size_t at = s; at < places * part; at += part) by.fold_lanes(items, offsets + at, results + at);
  }
}

/// The segments between neighbouring offsets, which are valid and not long: from four places in turns, unless they are
/// so few that too many would be left over. A segment's result does not depend on where among the others it lies, and
/// of one that is longer than windows take it means nothing.
template <std::size_t Vectors, class T, class Offset, class Op>
PENEIRA_AVX512 [[gnu::noinline]] void fold_by_masks(const T* items, const Offset* offsets, std::size_t count,
                                                    T* results, const Op& op) {
  constexpr std::size_t lanes = pack<T, 64>::lanes;
  const masked_window<Vectors, T, Op> by(op);
  const std::size_t places = count < 32 * lanes ? 1 : 4;
  const std::size_t part = count / places / lanes * lanes;
  fold_places(by, items, offsets, part, places, results);
  std::size_t at = places * part;
  const std::size_t rest = (count - at) / lanes * lanes;
  fold_places(by, items, offsets + at, rest, 1, results + at);
  at += rest;
  if (at < count) {
    const few_segments<lanes, Offset> last(offsets + at, count - at);
    std::array<T, lanes> found;
    fold_places(by, items, last.offsets.data(), lanes, 1, found.data());
    std::copy_n(found.begin(), count - at, results + at);
  }
}

}  // namespace peneira::detail

#endif
