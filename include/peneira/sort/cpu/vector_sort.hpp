// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of numbers that fit a cache, by AVX-512: a quicksort, and a network of registers for what is left
// (register_sort.hpp).
//
//   numbers  --vectors, those below the pivot compressed, and the others--> |below|  |others|  --each part again-->
//   few of them  --up to 32 registers, whose lanes are compared--> sorted
//
// One of the two parts goes to another array, and the other stays, on top of what was read: there, whole vectors may be
// stored. No branch of a loop depends on a number. The pivot is the median of a vector of numbers from all over; where
// nothing is below it, its equals are put aside. Parts that many pivots divided badly are handed to another sort.
#pragma once

#include "peneira/sort/cpu/register_sort.hpp"

#if defined(PENEIRA_AVX512)

#include <bit>
#include <cstring>
#include <utility>

namespace peneira::detail {

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
