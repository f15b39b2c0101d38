// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Frequent keys of a sort of keys alone: found in a sample, counted instead of sorted, and written from the counts.
//
//   in    5 5 1 9 5 7 5 9        5 is frequent
//         ▼  a look into a table for each key
//   rest  1 9 7 9      5: 4 times
//         ▼  sorted
//   rest  1 7 9 9  ──►  out  1 5 5 5 5 7 9 9
#pragma once

#include <algorithm>

#include "peneira/cpu/scatter/classify.hpp"

namespace peneira::detail {

/// Slots of the table of frequent ranks, one rank each. With 8 bytes of rank and count each, they take 128 KiB.
inline constexpr unsigned frequent_bits = 13;
inline constexpr std::size_t frequent_slots = std::size_t{1} << frequent_bits;
/// The most keys of the sample that fills it.
inline constexpr std::size_t frequent_samples = 8 * frequent_slots;

/// The frequent ranks, ascending, and the table of them. Memory is the caller's.
template <class U>
struct frequent_ranks {
  U* table = nullptr;              ///< frequent_slots
  std::uint64_t* rank = nullptr;   ///< frequent_slots
  std::uint64_t* until = nullptr;  ///< frequent_slots: how many keys have this rank or a lower frequent one
  std::size_t size = 0;

  static std::size_t slot(U x) {
    return static_cast<std::size_t>((std::uint64_t{x} * 0x9E3779B97F4A7C15U) >> (64 - frequent_bits));
  }

  /// From n ranks, ascending. Of two that share a slot, the one that occurs more often has it; `times` is scratch, one
  /// for each slot. Returns the number of samples in the table.
  template <class K, class Rank>
  std::size_t choose(const K* sample, std::size_t n, const Rank& ranked, std::uint64_t* times) {
    std::fill_n(times, frequent_slots, 0);
    const auto each_run = [&](auto&& use) {
      for (std::size_t begin = 0; begin < n;) {
        const U x = ranked(sample[begin]);
        std::size_t end = begin + 1;
        while (end < n && ranked(sample[end]) == x) ++end;
        use(x, end - begin);
        begin = end;
      }
    };
    each_run([&](U x, std::size_t length) {
      if (length <= std::max<std::uint64_t>(1, times[slot(x)])) return;
      times[slot(x)] = length;
      table[slot(x)] = x;
    });
    size = 0;
    std::size_t found = 0;
    each_run([&](U x, std::size_t length) {
      if (times[slot(x)] == 0 || table[slot(x)] != x) return;
      rank[size++] = x;
      found += length;
    });
    for (std::size_t s = 0; s < frequent_slots && size != 0; ++s) {
      if (times[s] == 0) table[s] = static_cast<U>(rank[0]);  // which is never looked for here
    }
    return found;
  }

  /// Counts the frequent keys of n by slots, and writes the others to `rest`, in order. Returns how many those are.
  template <class K, class Rank>
  std::size_t filter(const K* keys, std::size_t n, const Rank& ranked, K* rest, std::uint64_t* counts) const {
    std::fill_n(counts, frequent_slots, 0);
    return filter_more(keys, n, ranked, rest, counts);
  }
  /// The same, and adds to the counts.
  template <class K, class Rank>
  std::size_t filter_more(const K* keys, std::size_t n, const Rank& ranked, K* rest, std::uint64_t* counts) const {
    const U* const ranks = table;
    std::size_t others = 0;
    PENEIRA_UNROLL(4)
    for (std::size_t i = 0; i < n; ++i) {
      prefetch(keys + i);
      const K key = keys[i];
      const U x = ranked(key);
      const std::size_t at = slot(x);
      const std::size_t known = ranks[at] == x ? 1 : 0;
      counts[at] += known;
      rest[others] = key;
      others += 1 - known;
    }
    return others;
  }

  /// Adds up the counts of all members; those of m begin at counts(m).
  template <class Counts>
  void count(unsigned members, const Counts& counts) {
    std::uint64_t total = 0;
    for (std::size_t f = 0; f < size; ++f) {
      for (unsigned m = 0; m < members; ++m) total += counts(m)[slot(static_cast<U>(rank[f]))];
      until[f] = total;
    }
  }

  /// Writes items `first` to before `last` of all keys in order, given the others in order.
  template <class K, class Rank>
  void write(const K* rest, std::size_t others, const Rank& ranked, std::size_t first, std::size_t last, K* out) const {
    const auto rest_before = [&](std::size_t f) {
      const auto less = [&](const K& key, std::uint64_t x) { return ranked(key) < x; };
      return static_cast<std::size_t>(std::lower_bound(rest, rest + others, rank[f], less) - rest);
    };
    std::size_t f = 0;  // the first whose keys do not all lie before
    for (std::size_t step = frequent_slots; step != 0; step /= 2) {
      if (f + step <= size && until[f + step - 1] + rest_before(f + step - 1) <= first) f += step;
    }
    for (std::size_t i = first; i < last; ++f) {
      const std::size_t written = f == 0 ? 0 : until[f - 1];  // of frequent ones
      const std::size_t before = f == size ? others : rest_before(f);
      const std::size_t begin = std::min(last, before + written);
      if (i < begin) {
        std::copy(rest + (i - written), rest + (begin - written), out + i);
        i = begin;
      }
      if (f == size) return;
      const std::size_t end = std::min<std::size_t>(last, before + until[f]);
      std::fill(out + i, out + end, ranked.template back<K>(static_cast<U>(rank[f])));
      i = end;
    }
  }
};

}  // namespace peneira::detail
