// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Few keys, sorted in registers of AVX-512 by a network of comparisons, in which nothing depends on the keys.
#pragma once

#include "peneira/sort/cpu/number_vector.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/tuning/cpu.hpp"
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

#if defined(PENEIRA_AVX512)

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

/// Whether registers sort keys as they are: integers.
template <class K, class V, class Rank>
inline constexpr bool registers_sort =
    vectors_sort<K, V, Rank>&& std::is_same_v<Rank, flipped_rank<typename Rank::number>>;

#endif

/// Whether so many keys are sorted in registers.
template <class K, class V, class Rank>
[[gnu::always_inline]] inline bool fits_registers([[maybe_unused]] std::size_t n, [[maybe_unused]] const Rank& rank) {
#if defined(PENEIRA_AVX512)
  if constexpr (registers_sort<K, V, Rank>) {
    return n <= register_sort<typename Rank::number>::most && vectors_sort_here<K, V>(rank);
  }
#endif
  return false;
}

/// Sorts them there. False, and nothing is done, where they do not fit.
template <class K, class V, class Rank>
[[gnu::always_inline]] inline bool sort_in_registers(view<const K, const V> from, [[maybe_unused]] view<K, V> to,
                                                     const Rank& rank) {
  const bool fits = fits_registers<K, V>(from.size, rank);
#if defined(PENEIRA_AVX512)
  if constexpr (registers_sort<K, V, Rank>) {
    if (fits) register_sort<typename Rank::number>::sort_few(from.keys, from.size, to.keys, rank.flip, rank.flip);
  }
#endif
  return fits;
}

}  // namespace peneira::detail
