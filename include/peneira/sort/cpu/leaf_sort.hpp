// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of a bin that fits a cache, by one thread, stable. Two passes of a radix sort from the lower digit to the
// higher, over no more bits than are likely to tell the items apart, from the highest that differs downwards:
//
//   from --lower digit--> scratch --higher digit--> to --items that these bits did not tell apart: again--> to
//
//   key  [ the same in all | window: about log2(n) + 5 bits, two digits | rarely looked at ]
//
// If one key makes up a good part of the leaf, its items are put aside first: they would pass every window. If items
// that differ share their window, as a few probes tell, a leaf of few items is sorted by merging instead; a smaller one
// always is (small_sort.hpp).
//
// `from` may be `to`. The number of windows below each other is bounded by the width of the key, so there is no input
// that makes this more than a few times slower.
//
// Whole keys of 4 and 8 bytes without values are sorted by vectors instead, where the processor has AVX2 or AVX-512
// (vector_leaf.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "peneira/sort/cpu/few_values.hpp"
#include "peneira/sort/cpu/leaf_probes.hpp"
#include "peneira/sort/cpu/leaf_window.hpp"
#include "peneira/sort/cpu/level_digit.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/sort/cpu/small_sort.hpp"
#include "peneira/sort/cpu/vector_leaf.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

template <class K, class V, class Rank>
void sort_leaf(view<const K, const V> from, view<K, V> scratch, view<K, V> to, const Rank& rank);

/// Sorts what a window did not tell apart. Where the order is wrong, the items around share their window: a run, which
/// is sorted by itself.
template <class K, class V, class Rank>
void sort_runs(view<K, V> items, view<K, V> scratch, const leaf_window<Rank>& window) {
  constexpr std::size_t step = look_keys<typename Rank::number>;
  const std::size_t n = items.size;
  const K* const keys = items.keys;
  for (std::size_t i = 1; i < n;) {
    if (i + step <= n && !any_breaks(keys + i - 1, window.rank)) {
      i += step;
      continue;
    }
    const std::size_t stop = std::min(n, i + step);
    for (; i < stop; ++i) {
      if (!(window.rank(keys[i]) < window.rank(keys[i - 1]))) continue;
      const auto shared = window.above(keys[i]);
      std::size_t begin = i - 1;
      std::size_t end = i + 1;
      while (begin != 0 && window.above(keys[begin - 1]) == shared) --begin;
      while (end != n && window.above(keys[end]) == shared) ++end;
      const view<K, V> run = items.part(begin, end - begin);
      sort_leaf<K, V>(run, scratch.part(0, run.size), run, window.rank);
      i = end;
    }
  }
}

/// Sorts a leaf by a window of its keys.
template <class K, class V, class Rank>
[[gnu::noinline]] void sort_window(view<const K, const V> from, view<K, V> scratch, view<K, V> to, const Rank& rank,
                                   const extent<typename Rank::number>& found) {
  const std::size_t n = from.size;
  const leaf_window<Rank> window = window_of(n, rank, found);
  const auto lower_digit = [window](const K& key) { return window.lower_digit(window.above(key)); };
  const auto upper_digit = [window](const K& key) { return window.upper_digit(window.above(key)); };

  leaf_counts lower_counts;
  leaf_counts upper_counts;
  count_leaf(from.keys, n, window, lower_counts, upper_counts);
  if (window.lower != 0) {
    scatter_leaf(from, scratch, lower_digit, lower_counts);
    scatter_leaf<K, V>(scratch, to, upper_digit, upper_counts);
  } else if (from.keys != to.keys) {
    scatter_leaf(from, to, upper_digit, upper_counts);
  } else {
    scatter_leaf(from, scratch, upper_digit, upper_counts);
    copy_items<K, V>(scratch, to);
  }
  if (window.shift != 0) sort_runs(to, scratch, window);
}

/// Sorts a leaf of which many items have one rank: they are put between the others, which are sorted by themselves.
/// False, and nothing is done, if they are not many.
template <class K, class V, class Rank>
[[gnu::noinline]] bool sort_around(view<const K, const V> from, view<K, V> scratch, view<K, V> to, const Rank& rank,
                                   typename Rank::number frequent) {
  const std::size_t n = from.size;
  std::size_t smaller = 0;
  std::size_t larger = 0;
  PENEIRA_UNROLL(4)
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = rank(from.keys[i]);
    smaller += x < frequent ? 1 : 0;
    larger += frequent < x ? 1 : 0;
  }
  if (n - smaller - larger < n / 8) return false;
  const view<K, V> target = from.keys == to.keys ? scratch : to;
  std::size_t low = 0;
  std::size_t middle = smaller;
  std::size_t high = n - larger;
  PENEIRA_UNROLL(4)
  for (std::size_t i = 0; i < n; ++i) {
    const K key = from.keys[i];
    const auto x = rank(key);
    const std::size_t is_low = x < frequent ? 1 : 0;
    const std::size_t is_high = frequent < x ? 1 : 0;
    const std::size_t at = middle + ((low - middle) & (0 - is_low)) + ((high - middle) & (0 - is_high));
    target.keys[at] = key;
    if constexpr (view<K, V>::has_values) target.values[at] = from.values[i];
    low += is_low;
    high += is_high;
    middle += 1 - is_low - is_high;
  }
  if (from.keys == to.keys) copy_items<K, V>(scratch.part(0, n), to);
  const view<K, V> first = to.part(0, smaller);
  const view<K, V> last = to.part(n - larger, larger);
  sort_leaf<K, V>(first, scratch.part(0, smaller), first, rank);
  sort_leaf<K, V>(last, scratch.part(0, larger), last, rank);
  return true;
}

/// Sorts chunks and merges them, for items of which the highest bits tell little: `from` into `to`, which may be the
/// same; `other` is free.
template <class K, class V, class Rank>
void sort_by_merging(view<const K, const V> from, view<K, V> to, view<K, V> other, const Rank& rank) {
  const std::size_t n = from.size;
  if (n <= most_small) return sort_small(from, to, rank);
  const std::size_t half = n / 2;
  sort_by_merging(from.part(0, half), other.part(0, half), to.part(0, half), rank);
  sort_by_merging(from.part(half, n - half), other.part(half, n - half), to.part(half, n - half), rank);
  merge_halves<K, V>(other.part(0, n), to, rank);
}

/// Whether keys are sorted from the last to the first. Those of equal ranks must not be, unless they are alike.
template <class V, class K, class Rank>
bool is_turned(const K* keys, std::size_t n, const Rank& rank) {
  const bool alike = !view<K, V>::has_values && rank.whole();
  return alike ? all_follow<follows::never_rises>(keys, n, rank) : all_follow<follows::always_falls>(keys, n, rank);
}

/// Sorts numbers by a window of them, of which as many others are free.
template <class U>
struct by_windows {
  void operator()(view<U> numbers, view<U> other) const {
    const flipped_rank<U> plain;
    sort_window<U, no_value>(numbers, other, numbers, plain, extent_of(numbers.keys, numbers.size, plain));
  }
};

/// Sorts a leaf so small that vectors take hardly longer to sort it than to look at all its keys, unless a look at few
/// of them tells that there are better ways. False, and nothing is done, then.
template <class K, class V, class Rank>
bool sort_plainly(view<const K, const V> from, view<K, V> scratch, view<K, V> to, const Rank& rank) {
  if constexpr (vectors_sort<K, V, Rank>) {
    const std::size_t n = from.size;
    if (!vectors_sort_here<K, V>(rank) || n > tuning::cpu_sort_whole_items(sizeof(K))) return false;
    if (all_follow<follows::never_falls>(from.keys, n, rank) || is_turned<V>(from.keys, n, rank)) return false;
    const leaf_probes<typename Rank::number> probes(from.keys, n, rank);
    typename Rank::number frequent = 0;
    if (probes.few_values() || probes.find_frequent(frequent)) return false;
    if (probes.bounds().bits() <= tuning::cpu_sort_one_digit_bits) return false;
    const by_windows<typename Rank::number> otherwise;
    sort_by_vectors(from.keys, scratch.keys, to.keys, n, rank, otherwise);
    return true;
  } else {
    return false;
  }
}

/// Sorts `from` into `to`, which may be the same, with as much scratch. At most 2^32 - 1 items.
template <class K, class V, class Rank>
void sort_leaf(view<const K, const V> from, view<K, V> scratch, view<K, V> to, const Rank& rank) {
  const std::size_t n = from.size;
  if (n > most_in_tiny_sort && sort_in_registers(from, to, rank)) return;
  if (n <= small_items<Rank>) return sort_small(from, to, rank);
  if (sort_plainly(from, scratch, to, rank)) return;
  const auto found = extent_of(from.keys, n, rank);
  if (found.sorted) return copy_items(from, to);
  if (rank(from.keys[0]) == found.high && rank(from.keys[n - 1]) == found.low && is_turned<V>(from.keys, n, rank)) {
    return reverse_items(from, to);
  }
  const leaf_probes<typename Rank::number> probes(from.keys, n, rank);
  if constexpr (!view<K, V>::has_values && Rank::of_whole_items && sizeof(K) >= 4) {
    if (rank.whole() && n >= tuning::cpu_sort_few_values && probes.few_values()) {
      if (sort_few_values(from.keys, n, to.keys, rank)) return;
    }
  }
  typename Rank::number frequent = 0;
  if (probes.find_frequent(frequent) && sort_around(from, scratch, to, rank, frequent)) return;
  if constexpr (vectors_sort<K, V, Rank>) {
    if (vectors_sort_here<K, V>(rank) && found.bits() > tuning::cpu_sort_one_digit_bits) {
      const by_windows<typename Rank::number> otherwise;
      return sort_bins_by_vectors(from.keys, scratch.keys, to.keys, n, rank, found, probes, otherwise);
    }
  }
  if (n <= tuning::cpu_sort_merged) {
    const unsigned shift = window_of(n, rank, found).shift;
    if (shift != 0 && probes.crowded(found.low, shift)) return sort_by_merging(from, to, scratch, rank);
  }
  sort_window(from, scratch, to, rank, found);
}

}  // namespace peneira::detail
