// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Few keys, sorted in registers of AVX-512 or AVX2 by a network of comparisons, in which nothing depends on the keys.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "peneira/sort/cpu/number_vector_avx2.hpp"
#include "peneira/sort/cpu/number_vector_avx512.hpp"
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
    return rank.whole() && has_avx2();
  } else {
    return false;
  }
}

#if defined(PENEIRA_AVX512)

namespace avx512 {
#define PENEIRA_VECTORS PENEIRA_AVX512
#include "peneira/sort/cpu/register_network.hpp"
#undef PENEIRA_VECTORS
}  // namespace avx512

namespace avx2 {
#define PENEIRA_VECTORS PENEIRA_AVX2
#include "peneira/sort/cpu/register_network.hpp"
#undef PENEIRA_VECTORS
}  // namespace avx2

/// The most numbers that registers of this processor sort; 0 where it has neither kind of vectors.
template <class U>
[[gnu::always_inline]] inline std::size_t most_in_registers() {
  if (has_avx512()) return avx512::register_sort<U>::most;
  return has_avx2() ? avx2::register_sort<U>::most : 0;
}

/// Sorts no more keys than that by their numbers in an order, and writes them as the keys of another one. What is read
/// may be of another type of that size.
template <class U>
[[gnu::always_inline]] inline void sort_in_network(const void* from, std::size_t n, void* to, const key_order<U>& read,
                                                   const key_order<U>& written) {
  if (has_avx512()) {
    avx512::register_sort<U>::sort_few(from, n, to, read, written);
  } else {
    avx2::register_sort<U>::sort_few(from, n, to, read, written);
  }
}

#endif

/// Whether so many keys are sorted in registers.
template <class K, class V, class Rank>
[[gnu::always_inline]] inline bool fits_registers([[maybe_unused]] std::size_t n, [[maybe_unused]] const Rank& rank) {
#if defined(PENEIRA_AVX512)
  if constexpr (vectors_sort<K, V, Rank>) return rank.whole() && n <= most_in_registers<typename Rank::number>();
#endif
  return false;
}

/// Sorts them there. False, and nothing is done, where they do not fit.
template <class K, class V, class Rank>
[[gnu::always_inline]] inline bool sort_in_registers(view<const K, const V> from, [[maybe_unused]] view<K, V> to,
                                                     const Rank& rank) {
  const bool fits = fits_registers<K, V>(from.size, rank);
#if defined(PENEIRA_AVX512)
  if constexpr (vectors_sort<K, V, Rank>) {
    const auto by = order_of_rank(rank);
    if (fits) sort_in_network(from.keys, from.size, to.keys, by, by);
  }
#endif
  return fits;
}

}  // namespace peneira::detail
