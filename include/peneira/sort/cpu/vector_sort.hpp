// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of keys alone that fit a cache, by AVX-512: a quicksort that goes back and forth between two arrays, and a
// network of registers for what is left.
//
//   keys  --vectors, those below the pivot compressed--> |below ...  free  ... others|  --each part again, back-->
//   few keys  --up to four registers, in which lanes and then registers are compared--> sorted
//
// What is stored behind those below the pivot is free yet, so that a whole vector may be stored there. No branch of a
// loop depends on a key. The pivot is the median of a vector of keys from all over; where nothing is below it, its
// equals are put aside. Parts that many pivots divided badly are handed to another sort.
#pragma once

#include "peneira/cpu/simd/avx512.hpp"

#if defined(PENEIRA_AVX512)

#include <array>
#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// A register of 32- or 64-bit numbers.
template <class U>
struct number_vector {
  static_assert(sizeof(U) == 4 || sizeof(U) == 8);
  static constexpr bool words = sizeof(U) == 4;
  static constexpr unsigned lanes = 64 / sizeof(U);
  using mask = std::conditional_t<words, __mmask16, __mmask8>;
  static constexpr mask all_lanes = static_cast<mask>(0xFFFFU);

  static mask first_lanes(unsigned many) { return static_cast<mask>((1U << many) - 1); }

  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i all(U x) {
    if constexpr (words) {
      return _mm512_set1_epi32(static_cast<int>(x));
    } else {
      return _mm512_set1_epi64(static_cast<long long>(x));
    }
  }
  /// The lanes that are not loaded have the highest number.
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i load(mask which, const U* from) {
    if constexpr (words) {
      return _mm512_mask_loadu_epi32(all(static_cast<U>(-1)), which, from);
    } else {
      return _mm512_mask_loadu_epi64(all(static_cast<U>(-1)), which, from);
    }
  }
  PENEIRA_AVX512 [[gnu::always_inline]] static void store(U* to, mask which, __m512i x) {
    if constexpr (words) {
      _mm512_mask_storeu_epi32(to, which, x);
    } else {
      _mm512_mask_storeu_epi64(to, which, x);
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
    constexpr mask higher = [] {
      unsigned found = 0;
      for (unsigned i = 0; i < lanes; ++i) found |= ((i & std::bit_floor(Other)) != 0 ? 1U : 0U) << i;
      return static_cast<mask>(found);
    }();
    const __m512i other = exchanged<Other>(x);
    const __m512i low = least(x, other);
    if constexpr (words) {
      return _mm512_mask_max_epu32(low, higher, x, other);
    } else {
      return _mm512_mask_max_epu64(low, higher, x, other);
    }
  }
};

/// Sorts numbers in registers, from the first register's first lane on.
template <class U>
struct register_sort {
  using vector = number_vector<U>;
  static constexpr unsigned lanes = vector::lanes;
  static constexpr unsigned most_registers = tuning::cpu_sort_registers;
  static constexpr std::size_t most = std::size_t{most_registers} * lanes;

  /// Sorts the lanes of a register that ascend up to some lane and descend behind it, or the other way round.
  template <unsigned Distance = lanes / 2>
  PENEIRA_AVX512 [[gnu::always_inline]] static void merge_lanes(__m512i& x) {
    x = vector::template ordered<Distance>(x);
    if constexpr (Distance > 1) merge_lanes<Distance / 2>(x);
  }
  /// Sorts lanes by twos, by fours, and so on.
  template <unsigned Size = 2>
  PENEIRA_AVX512 [[gnu::always_inline]] static void sort_lanes(__m512i& x) {
    x = vector::template ordered<Size - 1>(x);
    if constexpr (Size > 2) merge_lanes<Size / 4>(x);
    if constexpr (Size < lanes) sort_lanes<2 * Size>(x);
  }
  /// What merge_lanes does, for the lanes of several registers.
  template <unsigned Registers>
  PENEIRA_AVX512 [[gnu::always_inline]] static void merge(__m512i* x) {
    if constexpr (Registers == 1) {
      merge_lanes(*x);
    } else {
      constexpr unsigned half = Registers / 2;
      PENEIRA_UNROLL(4)
      for (unsigned i = 0; i < half; ++i) {
        const __m512i a = x[i];
        x[i] = vector::least(a, x[i + half]);
        x[i + half] = vector::greatest(a, x[i + half]);
      }
      merge<half>(x);
      merge<half>(x + half);
    }
  }
  /// Sorts both halves, and one of them turned round behind the other.
  template <unsigned Registers>
  PENEIRA_AVX512 [[gnu::always_inline]] static void sort(__m512i* x) {
    if constexpr (Registers == 1) {
      sort_lanes(*x);
    } else {
      constexpr unsigned half = Registers / 2;
      sort<half>(x);
      sort<half>(x + half);
      __m512i turned[half];
      PENEIRA_UNROLL(4)
      for (unsigned i = 0; i < half; ++i) {
        turned[i] = vector::template exchanged<lanes - 1>(x[Registers - 1 - i]);
      }
      PENEIRA_UNROLL(4)
      for (unsigned i = 0; i < half; ++i) x[half + i] = turned[i];
      merge<Registers>(x);
    }
  }

  /// Sorts up to `most` numbers; what is written is flipped.
  PENEIRA_AVX512 static void sort_few(const U* from, std::size_t n, U* to, U flip) { sort_some<1>(from, n, to, flip); }

 private:
  template <unsigned Registers>
  PENEIRA_AVX512 [[gnu::always_inline]] static void sort_some(const U* from, std::size_t n, U* to, U flip) {
    if constexpr (Registers < most_registers) {
      if (n > std::size_t{Registers} * lanes) return sort_some<2 * Registers>(from, n, to, flip);
    }
    const auto which = [n](unsigned i) {
      const std::size_t before = std::size_t{i} * lanes;
      return n >= before + lanes ? vector::all_lanes
                                 : vector::first_lanes(n > before ? static_cast<unsigned>(n - before) : 0);
    };
    __m512i x[Registers];
    PENEIRA_UNROLL(8)
    for (unsigned i = 0; i < Registers; ++i) x[i] = vector::load(which(i), from + std::size_t{i} * lanes);
    sort<Registers>(x);
    PENEIRA_UNROLL(8)
    for (unsigned i = 0; i < Registers; ++i) {
      vector::store(to + std::size_t{i} * lanes, which(i), _mm512_xor_si512(x[i], vector::all(flip)));
    }
  }
};

/// Sorts numbers in two arrays. Otherwise: otherwise(numbers, other, n) sorts n numbers in another way, of which as
/// many others are free.
template <class U, class Otherwise>
class quick_sort {
  using vector = number_vector<U>;
  using mask = typename vector::mask;
  using network = register_sort<U>;

 public:
  quick_sort(U flip, const Otherwise& otherwise) : flip_(flip), otherwise_(otherwise) {}

  /// How often a part of so many numbers may be divided.
  static unsigned most_depth(std::size_t n) { return 2 * static_cast<unsigned>(std::bit_width(n)); }

  /// Sorts n numbers, to `to`; `from` is free afterwards. What is written is flipped.
  PENEIRA_AVX512 void run(U* from, U* to, std::size_t n, unsigned depth) const { part(from, to, n, false, depth); }

 private:
  /// Sorts `from`. The result goes there if `stays`, or to `other`, which is free.
  PENEIRA_AVX512 void part(U* from, U* other, std::size_t n, bool stays, unsigned depth) const {
    while (n > network::most) {
      if (depth-- == 0) return part_otherwise(from, other, n, stays);
      const U pivot = pivot_of(from, n);
      std::size_t low = divide<false>(from, n, pivot, other);
      if (low == 0) {  // those that equal the pivot are sorted
        low = divide<true>(from, n, pivot, other);
        fill(stays ? from : other, low, pivot ^ flip_);
      } else {
        part(other, from, low, !stays, depth);
      }
      from += low;
      other += low;
      n -= low;
      std::swap(from, other);
      stays = !stays;
    }
    network::sort_few(from, n, stays ? from : other, flip_);
  }
  PENEIRA_AVX512 void part_otherwise(U* from, U* other, std::size_t n, bool stays) const {
    if (!stays) {
      std::memcpy(other, from, n * sizeof(U));
      std::swap(from, other);
    }
    otherwise_(from, other, n);
    for (std::size_t i = 0; i < n; i += vector::lanes) {
      const mask which = some_lanes(n - i);
      vector::store(from + i, which, _mm512_xor_si512(vector::load(which, from + i), vector::all(flip_)));
    }
  }
  // What is given back is stored by vectors alone: keys may be of another type than numbers.
  PENEIRA_AVX512 static void fill(U* to, std::size_t n, U with) {
    for (std::size_t i = 0; i < n; i += vector::lanes) vector::store(to + i, some_lanes(n - i), vector::all(with));
  }
  static mask some_lanes(std::size_t left) {
    return left >= vector::lanes ? vector::all_lanes : vector::first_lanes(static_cast<unsigned>(left));
  }

  /// The median of some numbers.
  PENEIRA_AVX512 static U pivot_of(const U* from, std::size_t n) {
    alignas(64) U some[vector::lanes];
    const std::size_t apart = n / vector::lanes;
    for (unsigned i = 0; i < vector::lanes; ++i) some[i] = from[i * apart + apart / 2];
    __m512i x = _mm512_load_si512(some);
    network::sort_lanes(x);
    _mm512_store_si512(some, x);
    return some[vector::lanes / 2];
  }

  /// Puts numbers below a pivot, or up to it, before all others; how many these are.
  template <bool UpTo>
  PENEIRA_AVX512 static std::size_t divide(const U* from, std::size_t n, U pivot, U* to) {
    const __m512i border = vector::all(pivot);
    U* low = to;
    U* high = to + n;
    std::size_t i = 0;
    for (; i + vector::lanes <= n; i += vector::lanes) {
      const __m512i x = _mm512_loadu_si512(from + i);
      const mask is_low = low_of<UpTo>(x, border);
      _mm512_storeu_si512(low, vector::compress(is_low, x));  // there are as many free as are left in `from`
      const mask is_high = static_cast<mask>(~is_low);
      const unsigned highs = many(is_high);
      low += vector::lanes - highs;
      high -= highs;
      vector::store(high, vector::first_lanes(highs), vector::compress(is_high, x));
    }
    const mask there = vector::first_lanes(static_cast<unsigned>(n - i));
    const __m512i x = vector::load(there, from + i);
    const mask is_low = static_cast<mask>(low_of<UpTo>(x, border) & there);
    const mask is_high = static_cast<mask>(there & ~is_low);
    vector::store(low, vector::first_lanes(many(is_low)), vector::compress(is_low, x));
    low += many(is_low);
    vector::store(low, vector::first_lanes(many(is_high)), vector::compress(is_high, x));
    return static_cast<std::size_t>(low - to);
  }
  template <bool UpTo>
  PENEIRA_AVX512 [[gnu::always_inline]] static mask low_of(__m512i x, __m512i border) {
    return UpTo ? static_cast<mask>(~vector::below(border, x)) : vector::below(x, border);
  }
  static unsigned many(mask lanes) { return static_cast<unsigned>(std::popcount(static_cast<unsigned>(lanes))); }

  U flip_;
  const Otherwise& otherwise_;
};

}  // namespace peneira::detail

#endif
