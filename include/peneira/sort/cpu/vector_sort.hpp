// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of numbers that fit a cache, by AVX-512: a quicksort, and a network of registers for what is left.
//
//   numbers  --vectors, those below the pivot compressed, and the others--> |below|  |others|  --each part again-->
//   few of them  --up to 32 registers, whose lanes are compared--> sorted
//
// One of the two parts goes to another array, and the other stays, on top of what was read: there, whole vectors may be
// stored. No branch of a loop depends on a number. The pivot is the median of a vector of numbers from all over; where
// nothing is below it, its equals are put aside. Parts that many pivots divided badly are handed to another sort.
#pragma once

#include "peneira/cpu/simd/avx512.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Whether such keys are sorted by vectors, where the processor has them and all bits count.
template <class K, class V, class Rank>
inline constexpr bool vectors_sort = false;
#if defined(PENEIRA_AVX512)
template <class K, class U>
inline constexpr bool vectors_sort<K, no_value, flipped_rank<U>> = sizeof(K) == 4 || sizeof(K) == 8;
template <class K, class U>
inline constexpr bool vectors_sort<K, no_value, part_rank<U>> = sizeof(K) == 4 || sizeof(K) == 8;
#endif

/// Whether vectors sort them here.
template <class K, class V, class Rank>
[[gnu::always_inline]] inline bool vectors_sort_here(const Rank& rank) {
  if constexpr (vectors_sort<K, V, Rank>) {
    return rank.whole() && has_avx512();
  } else {
    return false;
  }
}

}  // namespace peneira::detail

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
  /// The lanes that are not loaded have another number.
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i load(mask which, const U* from, U others = static_cast<U>(-1)) {
    if constexpr (words) {
      return _mm512_mask_loadu_epi32(all(others), which, from);
    } else {
      return _mm512_mask_loadu_epi64(all(others), which, from);
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
    return ordered<Other>(x, exchanged<Other>(x));
  }
  /// The same, given what each lane is compared with: those that have the highest bit of Other get the higher number,
  /// the others the lower.
  template <unsigned Other>
  PENEIRA_AVX512 [[gnu::always_inline]] static __m512i ordered(__m512i x, __m512i other) {
    constexpr mask higher = [] {
      unsigned found = 0;
      for (unsigned i = 0; i < lanes; ++i) found |= ((i & std::bit_floor(Other)) != 0 ? 1U : 0U) << i;
      return static_cast<mask>(found);
    }();
    const __m512i low = least(x, other);
    if constexpr (words) {
      return _mm512_mask_max_epu32(low, higher, x, other);
    } else {
      return _mm512_mask_max_epu64(low, higher, x, other);
    }
  }
  /// Puts the lanes of two registers in turn, as cards are shuffled.
  PENEIRA_AVX512 [[gnu::always_inline]] static void shuffle(__m512i& a, __m512i& b) {
    alignas(64) static constexpr auto from = [] {
      std::array<std::array<U, lanes>, 2> lane{};
      for (unsigned i = 0; i < 2 * lanes; ++i) lane[i / lanes][i % lanes] = (i % 2) * lanes + i / 2;
      return lane;
    }();
    const __m512i first = _mm512_load_si512(from[0].data());
    const __m512i second = _mm512_load_si512(from[1].data());
    const __m512i x = a;
    if constexpr (words) {
      a = _mm512_permutex2var_epi32(x, first, b);
      b = _mm512_permutex2var_epi32(x, second, b);
    } else {
      a = _mm512_permutex2var_epi64(x, first, b);
      b = _mm512_permutex2var_epi64(x, second, b);
    }
  }
};

/// Sorts numbers in registers, as a table of which a register is a row and a lane a column:
///
///   rows --compared with each other--> columns in order --neighbours merged, 1, 2, 4 and 8 wide--> all --turned-->
///   rows
///
/// Rows are compared without moving a number; columns that are merged lie beside each other, the lower numbers to the
/// left. A number that is the k-th comes to be in column k / Rows and row k % Rows, and the table is turned at the end.
template <class U>
struct register_sort {
  using vector = number_vector<U>;
  static constexpr unsigned lanes = vector::lanes;
  static constexpr unsigned most_registers = tuning::cpu_sort_register_items / lanes;
  static constexpr std::size_t most = std::size_t{most_registers} * lanes;
  static_assert(std::has_single_bit(most));

  /// Sorts the lanes of a register.
  PENEIRA_AVX512 [[gnu::always_inline]] static void sort_lanes(__m512i& x) { merge_columns<1, 1>(&x); }

  /// Sorts up to `most` numbers, which are flipped when they are read and when they are written. What is read may be of
  /// another type of that size.
  [[gnu::always_inline]] static inline void sort_few(const void* from, std::size_t n, void* to, U flip_read,
                                                     U flip_written) {
    sort_by<1>(static_cast<const U*>(from), n, static_cast<U*>(to), flip_read, flip_written);
  }

 private:
  /// Two numbers of each column in their order.
  PENEIRA_AVX512 [[gnu::always_inline]] static void order(__m512i& a, __m512i& b) {
    const __m512i low = vector::least(a, b);
    b = vector::greatest(a, b);
    a = low;
  }

  /// Sorts each column, by Batcher's merges of odd and even rows.
  template <unsigned Rows>
  PENEIRA_AVX512 [[gnu::always_inline]] static void sort_columns(__m512i* x) {
    if constexpr (Rows > 1) {
      sort_columns<Rows / 2>(x);
      sort_columns<Rows / 2>(x + Rows / 2);
      merge_rows<Rows, 1>(x);
    }
  }
  /// Merges the halves of rows that are so far apart.
  template <unsigned Rows, unsigned Apart>
  PENEIRA_AVX512 [[gnu::always_inline]] static void merge_rows(__m512i* x) {
    if constexpr (2 * Apart < Rows) {
      merge_rows<Rows, 2 * Apart>(x);
      merge_rows<Rows, 2 * Apart>(x + Apart);
      PENEIRA_UNROLL(16)
      for (unsigned i = Apart; i + Apart < Rows; i += 2 * Apart) order(x[i], x[i + Apart]);
    } else {
      order(x[0], x[Apart]);
    }
  }

  /// Merges columns, of which so many beside each other are in order, until all are.
  template <unsigned Rows, unsigned Width>
  PENEIRA_AVX512 [[gnu::always_inline]] static void merge_columns(__m512i* x) {
    if constexpr (Width < lanes) {
      compare_turned<Rows, 2 * Width - 1>(x);
      merge_lanes<Rows, Width / 2>(x);
      merge_within<Rows>(x);
      merge_columns<Rows, 2 * Width>(x);
    }
  }
  /// Compares the first with the last, the second with the one before the last, and so on.
  template <unsigned Rows, unsigned Other>
  PENEIRA_AVX512 [[gnu::always_inline]] static void compare_turned(__m512i* x) {
    if constexpr (Rows == 1) {
      *x = vector::template ordered<Other>(*x);
    } else {
      PENEIRA_UNROLL(16)
      for (unsigned i = 0; i < Rows / 2; ++i) {
        __m512i& a = x[i];
        __m512i& b = x[Rows - 1 - i];
        const __m512i turned = vector::template exchanged<Other>(b);
        b = vector::template ordered<Other>(b, vector::template exchanged<Other>(a));
        a = vector::template ordered<Other>(a, turned);
      }
    }
  }
  /// What is left to compare of columns that are so far apart, and of nearer ones.
  template <unsigned Rows, unsigned Distance>
  PENEIRA_AVX512 [[gnu::always_inline]] static void merge_lanes(__m512i* x) {
    if constexpr (Distance > 0) {
      PENEIRA_UNROLL(32)
      for (unsigned i = 0; i < Rows; ++i) x[i] = vector::template ordered<Distance>(x[i]);
      merge_lanes<Rows, Distance / 2>(x);
    }
  }
  /// The same within columns.
  template <unsigned Rows>
  PENEIRA_AVX512 [[gnu::always_inline]] static void merge_within(__m512i* x) {
    if constexpr (Rows > 1) {
      PENEIRA_UNROLL(16)
      for (unsigned i = 0; i < Rows / 2; ++i) order(x[i], x[i + Rows / 2]);
      merge_within<Rows / 2>(x);
      merge_within<Rows / 2>(x + Rows / 2);
    }
  }

  /// Turns the table: rows that are half of them apart are shuffled like cards, then nearer ones.
  template <unsigned Rows, unsigned Distance = Rows / 2>
  PENEIRA_AVX512 [[gnu::always_inline]] static void turn(__m512i* x) {
    if constexpr (Distance > 0) {
      PENEIRA_UNROLL(32)
      for (unsigned i = 0; i < Rows; ++i) {
        if ((i & Distance) == 0) vector::shuffle(x[i], x[i + Distance]);
      }
      turn<Rows, Distance / 2>(x);
    }
  }

  /// By so many registers or as many more as it takes.
  template <unsigned Registers>
  [[gnu::always_inline]] static inline void sort_by(const U* from, std::size_t n, U* to, U flip_read, U flip_written) {
    if constexpr (Registers < most_registers) {
      if (n > std::size_t{Registers} * lanes) return sort_by<2 * Registers>(from, n, to, flip_read, flip_written);
    }
    sort_some<Registers>(from, n, to, flip_read, flip_written);
  }
  /// Not inlined: in a program that is not optimised, each number of registers would add to the stack of the others.
  template <unsigned Registers>
  PENEIRA_AVX512 [[gnu::noinline]] static void sort_some(const U* from, std::size_t n, U* to, U flip_read,
                                                         U flip_written) {
    const U none = static_cast<U>(~flip_read);  // becomes the highest number
    const auto which = [n](unsigned i) {
      const std::size_t before = std::size_t{i} * lanes;
      return n >= before + lanes ? vector::all_lanes
                                 : vector::first_lanes(n > before ? static_cast<unsigned>(n - before) : 0);
    };
    __m512i x[Registers];
    PENEIRA_UNROLL(32)
    for (unsigned i = 0; i < Registers; ++i) {
      x[i] = _mm512_xor_si512(vector::load(which(i), from + std::size_t{i} * lanes, none), vector::all(flip_read));
    }
    sort_columns<Registers>(x);
    merge_columns<Registers, 1>(x);
    turn<Registers>(x);
    PENEIRA_UNROLL(32)
    for (unsigned i = 0; i < Registers; ++i) {
      vector::store(to + std::size_t{i} * lanes, which(i), _mm512_xor_si512(x[i], vector::all(flip_written)));
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

  /// Sorts n numbers, to `to`; `from` is free afterwards. What is written is flipped. `depth`: how often a part may be
  /// divided.
  PENEIRA_AVX512 void run(U* from, U* to, std::size_t n, unsigned depth) const { part(from, to, n, false, depth); }
  void run(U* from, U* to, std::size_t n) const { run(from, to, n, 2 * static_cast<unsigned>(std::bit_width(n))); }

 private:
  /// Sorts `from`. The result goes there if `stays`, or to `other`, which is free.
  PENEIRA_AVX512 void part(U* from, U* other, std::size_t n, bool stays, unsigned depth) const {
    while (n > network::most) {
      if (depth-- == 0) return part_otherwise(from, other, n, stays);
      const U pivot = pivot_of(from, n);
      // Those below the pivot get to where they belong, the others to the other array: which they leave first.
      U* const low = stays ? from : other;
      U* const high = stays ? other : from;
      const std::size_t lows = divide<false>(from, n, pivot, low, high);
      if (lows == 0) {  // those that equal the pivot are sorted
        const std::size_t equals = divide<true>(high, n, pivot, low, high);
        fill(low, equals, pivot ^ flip_);
        from = high;
        other = low + equals;
        n -= equals;
        stays = false;
      } else {
        part(high, low + lows, n - lows, false, depth);
        from = low;
        other = high;
        n = lows;
        stays = true;
      }
    }
    network::sort_few(from, n, stays ? from : other, 0, flip_);
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

  /// Moves numbers below a pivot, or up to it, to `low`, and the others to `high`; how many are low. One of the two is
  /// `from`, of which is overwritten what was read.
  template <bool UpTo>
  PENEIRA_AVX512 static std::size_t divide(const U* from, std::size_t n, U pivot, U* low, U* high) {
    const __m512i border = vector::all(pivot);
    const U* const first = low;
    std::size_t i = 0;
    PENEIRA_UNROLL(4)
    for (; i + vector::lanes <= n; i += vector::lanes) {
      const __m512i x = _mm512_loadu_si512(from + i);
      const mask is_low = low_of<UpTo>(x, border);
      const unsigned lows = many(is_low);
      _mm512_storeu_si512(low, vector::compress(is_low, x));
      _mm512_storeu_si512(high, vector::compress(static_cast<mask>(~is_low), x));
      low += lows;
      high += vector::lanes - lows;
    }
    const mask there = vector::first_lanes(static_cast<unsigned>(n - i));
    const __m512i x = vector::load(there, from + i);
    const mask is_low = static_cast<mask>(low_of<UpTo>(x, border) & there);
    const mask is_high = static_cast<mask>(there & ~is_low);
    vector::store(low, vector::first_lanes(many(is_low)), vector::compress(is_low, x));
    vector::store(high, vector::first_lanes(many(is_high)), vector::compress(is_high, x));
    return static_cast<std::size_t>(low - first) + many(is_low);
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
