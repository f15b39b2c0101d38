// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A sort of few items by the call itself: no plan, and no checks but those that tell that nothing else is to be done.
#pragma once

#include <algorithm>

#include "peneira/arguments.hpp"
#include "peneira/key_order.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/sort/cpu/register_sort.hpp"
#include "peneira/sort/cpu/small_sort.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Items that may be sorted without a plan: more where all fit registers.
template <class K, class V>
inline constexpr std::size_t most_at_once = tuning::cpu_sort_few_sorted;
#if defined(PENEIRA_AVX512)
template <class K>
requires(vectors_sort<K, no_value, flipped_rank<bits_of<K>>> &&
         !is_float_key<K>) inline constexpr std::size_t most_at_once<K, no_value> = register_sort<bits_of<K>>::most;
#endif

/// Sorts few items by their whole keys where they are, and looks whether some more are sorted already, if nothing about
/// the call asks for more: other checks and the plan would take several times as long. False: they are as they were.
template <class K, class V>
[[gnu::always_inline]] inline bool sorts_at_once(view<const K, const V> in, view<K, V> out,
                                                 const key_order<bits_of<K>>& by, const sort_options& options) {
  constexpr bool with_values = view<K, V>::has_values;
  const std::size_t n = in.size;
  if (n > most_at_once<K, V> || in.keys != out.keys || out.size < n || !is_usable(in.keys)) return false;
  if (!options.strategy.empty() || options.first_bit != 0 || options.last_bit != 0) return false;
  if constexpr (with_values) {
    if (in.values != out.values || !is_usable(in.values)) return false;
    if (overlap(in.keys, n * sizeof(K), in.values, n * sizeof(V))) return false;
  }
  if (n < 2) return true;
  bool sorted = true;
  with_rank<K>(
      by, {0, 8 * sizeof(K)}, [&](const auto& rank) __attribute__((always_inline)) {
        const bool fits = n >= tuning::cpu_sort_registers_from && fits_registers<K, V>(n, rank);
        if (!fits && n <= tuning::cpu_sort_few) return sort_few(out.part(0, n), rank);
        sorted = n <= tuning::cpu_sort_few_sorted &&
                 std::is_sorted(out.keys, out.keys + n, [&rank](K a, K b) { return rank(a) < rank(b); });
        if (!sorted && fits) sorted = sort_in_registers(in, out.part(0, n), rank);
      });
  return sorted;
}

}  // namespace peneira::detail
