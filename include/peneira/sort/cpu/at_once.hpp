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
requires(vectors_sort<K, no_value, flipped_rank<bits_of<K>>>) inline constexpr std::size_t most_at_once<K, no_value> =
    avx512::register_sort<bits_of<K>>::most;
#endif

/// Whether nothing about a call asks for more than few items in the order of their whole keys, where they are: other
/// checks and the plan would take several times as long.
template <class K, class V>
[[gnu::always_inline]] inline bool may_sort_at_once(view<const K, const V> in, view<K, V> out,
                                                    const sort_options& options) {
  const std::size_t n = in.size;
  if (n > most_at_once<K, V> || in.keys != out.keys || out.size < n || !is_usable(in.keys)) return false;
  if (!options.strategy.empty() || options.first_bit != 0 || options.last_bit != 0) return false;
  if constexpr (view<K, V>::has_values) {
    if (in.values != out.values || !is_usable(in.values)) return false;
    if (overlap(in.keys, n * sizeof(K), in.values, n * sizeof(V))) return false;
  }
  return true;
}

/// Sorts few items where they are, and looks whether some more are sorted already. False: they are as they were. Takes
/// no more than registers hold, and is not inlined, so that its caller needs none of what it does.
template <class K, class V>
[[gnu::noinline]] bool sort_at_once(K* keys, V* values, std::size_t n, bool descending) {
  const view<const K, const V> in{keys, values, n};
  const view<K, V> out{keys, values, n};
  bool sorted = true;
  with_rank<K>(
      order_of<K>(descending), {0, 8 * sizeof(K)}, [&](const auto& rank) __attribute__((always_inline)) {
        if (sort_tiny(in, out, rank)) return;
        const bool fits = fits_registers<K, V>(n, rank);
        if (!fits && n <= tuning::cpu_sort_few) return sort_few(out, rank);
        sorted = n <= tuning::cpu_sort_few_sorted &&
                 std::is_sorted(keys, keys + n, [&rank](K a, K b) { return rank(a) < rank(b); });
        if (!sorted && fits) sorted = sort_in_registers(in, out, rank);
      });
  return sorted;
}

}  // namespace peneira::detail
