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
// If one key makes up a good part of the leaf, its items are put aside first: they would pass every window.
//
// `from` may be `to`. The number of windows below each other is bounded by the width of the key, so there is no input
// that makes this more than a few times slower.
//
// Whole integers without values are sorted by vectors instead (vector_sort.hpp), where the processor has AVX-512.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "peneira/sort/cpu/level_digit.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/sort/cpu/vector_sort.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

template <class K, class V>
void copy_items(view<const K, const V> from, view<K, V> to) {
  if (from.keys == to.keys) return;
  std::copy_n(from.keys, from.size, to.keys);
  if constexpr (view<K, V>::has_values) std::copy_n(from.values, from.size, to.values);
}

/// Item by item into what is sorted already.
template <class K, class V, class Rank>
void sort_few(view<K, V> items, const Rank& rank) {
  for (std::size_t i = 1; i < items.size; ++i) {
    const K key = items.keys[i];
    const auto mine = rank(key);
    std::size_t at = i;
    if (!(mine < rank(items.keys[at - 1]))) continue;
    if constexpr (view<K, V>::has_values) {
      const V value = items.values[i];
      do {
        items.keys[at] = items.keys[at - 1];
        items.values[at] = items.values[at - 1];
      } while (--at != 0 && mine < rank(items.keys[at - 1]));
      items.values[at] = value;
    } else {
      do {
        items.keys[at] = items.keys[at - 1];
      } while (--at != 0 && mine < rank(items.keys[at - 1]));
    }
    items.keys[at] = key;
  }
}

inline constexpr unsigned most_leaf_digit_bits = 11;
using leaf_counts = std::array<std::uint32_t, std::size_t{1} << most_leaf_digit_bits>;

/// The two digits of the window of a leaf.
template <class Rank>
struct leaf_window {
  using number = typename Rank::number;
  Rank rank;
  number low = 0;
  unsigned shift = 0;
  unsigned lower = 0;  ///< bits of the lower digit
  unsigned upper = 0;

  template <class K>
  [[nodiscard]] number above(const K& key) const {
    return static_cast<number>(static_cast<number>(rank(key) - low) >> shift);
  }
  [[nodiscard]] std::size_t lower_digit(number above) const { return above & ((std::size_t{1} << lower) - 1); }
  [[nodiscard]] std::size_t upper_digit(number above) const { return static_cast<std::size_t>(above >> lower); }
};

/// Counts both digits and turns the counts into positions.
template <class K, class Rank>
void count_leaf(const K* keys, std::size_t n, const leaf_window<Rank> window, leaf_counts& lower, leaf_counts& upper) {
  const auto clear = [](leaf_counts& counts, unsigned bits) { std::fill_n(counts.data(), std::size_t{1} << bits, 0); };
  const auto scan = [](leaf_counts& counts, unsigned bits) {
    std::uint32_t position = 0;
    for (std::size_t b = 0; b < std::size_t{1} << bits; ++b) {
      const std::uint32_t count = counts[b];
      counts[b] = position;
      position += count;
    }
  };
  clear(upper, window.upper);
  clear(lower, window.lower);
  std::uint32_t* const low = lower.data();
  std::uint32_t* const high = upper.data();
  if (window.lower == 0) {
    for (std::size_t i = 0; i < n; ++i) ++high[window.upper_digit(window.above(keys[i]))];
  } else {
    PENEIRA_UNROLL(4)
    for (std::size_t i = 0; i < n; ++i) {
      const auto x = window.above(keys[i]);
      ++low[window.lower_digit(x)];
      ++high[window.upper_digit(x)];
    }
  }
  scan(lower, window.lower);
  scan(upper, window.upper);
}

template <class K, class V, class Digit>
void scatter_leaf(view<const K, const V> from, view<K, V> to, const Digit digit, leaf_counts& next) {
  std::uint32_t* const position = next.data();
  PENEIRA_UNROLL(4)
  for (std::size_t i = 0; i < from.size; ++i) {
    const K key = from.keys[i];
    const std::uint32_t at = position[digit(key)]++;
    to.keys[at] = key;
    if constexpr (view<K, V>::has_values) to.values[at] = from.values[i];
  }
}

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
  const unsigned bits = found.bits();
  const unsigned telling = static_cast<unsigned>(std::bit_width(n)) + tuning::cpu_sort_slack_bits;
  const unsigned used = std::min({bits, telling, 2 * most_leaf_digit_bits});
  const unsigned lower = used <= tuning::cpu_sort_one_digit_bits ? 0 : used / 2;
  const leaf_window<Rank> window{rank, found.low, bits - used, lower, used - lower};
  const auto lower_digit = [window](const K& key) { return window.lower_digit(window.above(key)); };
  const auto upper_digit = [window](const K& key) { return window.upper_digit(window.above(key)); };

  leaf_counts lower_counts;
  leaf_counts upper_counts;
  count_leaf(from.keys, n, window, lower_counts, upper_counts);
  if (lower != 0) {
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

/// Finds a rank that a good part of the items seems to have. False if there is none.
template <class K, class Rank>
bool find_frequent(const K* keys, std::size_t n, const Rank& rank, typename Rank::number& frequent) {
  constexpr unsigned probes = 16;
  std::array<typename Rank::number, probes> seen;
  for (unsigned p = 0; p < probes; ++p) seen[p] = rank(keys[somewhere(n, p, probes)]);
  std::sort(seen.begin(), seen.end());
  for (unsigned p = 3; p < probes; ++p) {
    if (seen[p - 3] != seen[p]) continue;
    frequent = seen[p];
    return true;
  }
  return false;
}

/// Sorts a leaf of which many items have one rank: they are put between the others, which are sorted by themselves.
/// False, and nothing is done, if they are not many.
template <class K, class V, class Rank>
bool sort_around(view<const K, const V> from, view<K, V> scratch, view<K, V> to, const Rank& rank,
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

/// Whether such keys are sorted by vectors, where the processor has them: whole integers without values.
template <class K, class V, class Rank>
inline constexpr bool vectors_sort = false;
#if defined(PENEIRA_AVX512)
template <class K, class U>
inline constexpr bool vectors_sort<K, no_value, flipped_rank<U>> = sizeof(K) == 4 || sizeof(K) == 8;

/// Sorts keys by one digit, the highest, into bins of few keys, and these by vectors; what those would take long for,
/// by windows.
///
///   from --digit--> scratch, as numbers --each bin in registers--> to
template <class K, class U>
[[gnu::noinline]] void sort_by_vectors(const K* from, K* scratch, K* to, std::size_t n, const flipped_rank<U> rank,
                                       const extent<U>& found) {
  const unsigned bits = found.bits();
  const auto wanted = static_cast<unsigned>(std::bit_width(n * sizeof(U) / tuning::cpu_sort_vector_bytes));
  const unsigned used = std::clamp(wanted, 1U, std::min(bits, most_leaf_digit_bits));
  const leaf_window<flipped_rank<U>> window{rank, found.low, bits - used, 0, used};
  leaf_counts nothing;
  leaf_counts next;
  count_leaf(from, n, window, nothing, next);
  auto* const numbers = reinterpret_cast<U*>(scratch);
  PENEIRA_UNROLL(4)
  for (std::size_t i = 0; i < n; ++i) {
    const K key = from[i];
    numbers[next[window.upper_digit(window.above(key))]++] = rank(key);
  }
  const auto by_windows = [](U* some, U* other, std::size_t many) {
    const view<U> all = items(some, many);
    const flipped_rank<U> plain;
    sort_window<U, no_value>(all, items(other, many), all, plain, extent_of(some, many, plain));
  };
  const quick_sort sort(rank.flip, by_windows);
  for (std::size_t b = 0, begin = 0; b < std::size_t{1} << used; ++b) {
    const std::size_t end = next[b];
    sort.run(numbers + begin, reinterpret_cast<U*>(to) + begin, end - begin, sort.most_depth(end - begin));
    begin = end;
  }
}
#endif

/// Sorts `from` into `to`, which may be the same, with as much scratch. At most 2^32 - 1 items.
template <class K, class V, class Rank>
void sort_leaf(view<const K, const V> from, view<K, V> scratch, view<K, V> to, const Rank& rank) {
  const std::size_t n = from.size;
  if (n <= tuning::cpu_sort_few) {
    copy_items(from, to);
    sort_few(to, rank);
    return;
  }
  const auto found = extent_of(from.keys, n, rank);
  if (found.sorted) return copy_items(from, to);
  typename Rank::number frequent = 0;
  if (n >= tuning::cpu_sort_probed && find_frequent(from.keys, n, rank, frequent) &&
      sort_around(from, scratch, to, rank, frequent)) {
    return;
  }
  if constexpr (vectors_sort<K, V, Rank>) {
    if (has_avx512() && found.bits() > tuning::cpu_sort_one_digit_bits) {
      return sort_by_vectors(from.keys, scratch.keys, to.keys, n, rank, found);
    }
  }
  sort_window(from, scratch, to, rank, found);
}

}  // namespace peneira::detail
