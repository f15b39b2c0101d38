// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of up to a hundred items or so, stable, without memory of its own but the stack. The fewest are left to
// tiny_sort.hpp, what vectors sort to register_sort.hpp and word_sort.hpp; where there are none, and of few items whose
// words would take longer to make:
//
//   keys --their ranks--> numbers --each chunk: how many are less than each--> chunks in order --merged--> items
//
// Ranks are sorted as plain numbers, so that one code serves all keys of a size; what carries values, or is compared by
// some bits alone, is moved at the end by the numbers' positions. How many of a chunk are less than a number is counted
// by packs, and two ends of a merge are taken at once. No branch depends on a key, but for a look whether all of them
// ascend or descend already.
#pragma once

#include <algorithm>
#include <array>

#include "peneira/cpu/simd/packs.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/sort/cpu/register_sort.hpp"
#include "peneira/sort/cpu/tiny_sort.hpp"
#include "peneira/sort/cpu/word_sort.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Items that it takes by their ranks: more where these take longer to compute, and tell less by their highest bits.
template <class Rank>
inline constexpr std::size_t small_items = most_small;
template <class U>
inline constexpr std::size_t small_items<flipped_rank<U>> = most_small / 2;

/// Item by item into what is sorted already.
template <class K, class V, class Rank>
[[gnu::always_inline]] inline void sort_few(view<K, V> items, const Rank& rank) {
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

/// How often a number is followed by a smaller one, and by a larger one.
struct steps_of_numbers {
  std::size_t falls = 0;
  std::size_t rises = 0;

  /// Reads whole packs, of which what lies behind the n numbers equals the last.
  template <class U>
  [[gnu::always_inline]] static steps_of_numbers in(const U* x, std::size_t n) {
    using p = pack<U>;
    p falls = p::all(0);
    p rises = p::all(0);
    for (std::size_t i = 0; i + 1 < n; i += p::lanes) {
      const p a = p::load(x + i);
      const p b = p::load(x + i + 1);
      falls.lane -= p::less(b, a);
      rises.lane -= p::less(a, b);
    }
    return {falls.fold(plus{}), rises.fold(plus{})};
  }
};

/// Merges the two halves of some items, each of which is sorted, from both ends at once. Masks choose, lest a compiler
/// make branches of it.
template <class K, class V, class Rank>
void merge_halves(view<const K, const V> from, view<K, V> to, const Rank& by) {
  const Rank rank = by;  // of its own, which no write can alias
  const std::size_t n = from.size;
  const K* const x = from.keys;
  const auto put = [&](std::size_t at, std::size_t i) {
    to.keys[at] = x[i];
    if constexpr (view<K, V>::has_values) to.values[at] = from.values[i];
  };
  const std::size_t half = n / 2;
  std::size_t left = 0;
  std::size_t right = half;
  std::size_t left_last = half - 1;
  std::size_t right_last = n - 1;
  for (std::size_t k = 0; k < half; ++k) {
    const std::size_t from_right = rank(x[right]) < rank(x[left]) ? 1 : 0;
    put(k, left + ((right - left) & (0 - from_right)));
    right += from_right;
    left += 1 - from_right;
    const std::size_t from_left = rank(x[right_last]) < rank(x[left_last]) ? 1 : 0;
    put(n - 1 - k, right_last + ((left_last - right_last) & (0 - from_left)));
    left_last -= from_left;
    right_last -= 1 - from_left;
  }
  if (n % 2 != 0) put(half, left == left_last ? left : right);
}

/// Up to most_small numbers and, if Indexed, the position that each had at first.
template <class U, bool Indexed>
class small_numbers {
  using p = pack<U>;
  static constexpr std::size_t room = most_small + p::lanes + 1;
  struct row {
    alignas(pack_bytes) std::array<U, room> number;
    std::array<std::uint8_t, Indexed ? most_small : 1> position;
  };

 public:
  small_numbers() {}  // NOLINT(modernize-use-equals-default): nothing is written before it is needed

  /// The numbers are at number(i), n of them, of which n is not 0, and behind them copies of the last.
  [[nodiscard]] U* numbers() { return rows_[0].number.data(); }
  [[nodiscard]] steps_of_numbers steps(std::size_t n) {
    U* const x = numbers();
    std::fill_n(x + n, p::lanes + 1, x[n - 1]);
    return steps_of_numbers::in(x, n);
  }

  /// Sorts them; the row that they are in then. So many are followed by a smaller one.
  [[nodiscard]] const row& sort(std::size_t n, std::size_t falls) {
    row& a = rows_[0];
    row& b = rows_[1];
    if (turns_once(a, n, falls)) {
      merge_ends(a, n, b);
      return b;
    }
    return sort_by_chunks(a, b, n);
  }

 private:
  /// Whether they ascend and then descend; few others get to the look at all of them. Of two runs that ascend the
  /// second is turned round first, where no positions go along.
  [[gnu::always_inline]] static bool turns_once(row& a, std::size_t n, std::size_t falls) {
    U* const x = a.number.data();
    if (n < tuning::cpu_sort_turned) return false;
    if (!Indexed && falls == 1) {
      std::size_t second = 1;
      while (!(x[second] < x[second - 1])) ++second;
      std::reverse(x + second, x + n);
      return true;
    }
    const std::size_t highest = n - 1 - falls;
    const std::size_t middle = highest + falls / 2;
    const auto falls_at = [x](std::size_t i) { return x[i + 1] < x[i] ? 1U : 0U; };
    if ((falls_at(highest) & falls_at(middle) & falls_at(n - 2)) == 0) return false;
    std::size_t first = n - 1;
    while (first != highest && falls_at(first - 1) != 0) --first;
    return first == highest;
  }

  /// Merges what ascends with what descends behind it: the least is at one of the two ends.
  static void merge_ends(const row& from, std::size_t n, row& to) {
    std::size_t left = 0;
    std::size_t right = n - 1;
    const U* const x = from.number.data();
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t from_right = x[right] < x[left] ? 1 : 0;
      const std::size_t at = left + ((right - left) & (0 - from_right));
      to.number[k] = x[at];
      if constexpr (Indexed) to.position[k] = static_cast<std::uint8_t>(at);
      right -= from_right;
      left += 1 - from_right;
    }
  }

  [[gnu::always_inline]] static row& sort_by_chunks(row& a, row& b, std::size_t n) {
    const std::size_t half = n / 2;
    if (n <= most_counted) {
      order_chunk(a, 0, n, b);
      return b;
    }
    if (n <= 2 * most_counted) {
      order_chunk(a, 0, half, b);
      order_chunk(a, half, n - half, b);
      merge(b, 0, n, a);
      return a;
    }
    for (const std::size_t begin : {std::size_t{0}, half}) {
      const std::size_t size = begin == 0 ? half : n - half;
      order_chunk(a, begin, size / 2, b);
      order_chunk(a, begin + size / 2, size - size / 2, b);
      merge(b, begin, size, a);
    }
    merge(a, 0, n, b);
    return b;
  }

  /// How many of n numbers are less than each of some packs of them.
  template <std::size_t Packs>
  [[gnu::always_inline]] static void count_less(const U* x, std::size_t n, const U* mine, U* less) {
    std::array<p, Packs> number;
    std::array<p, Packs> count;
    for (std::size_t k = 0; k < Packs; ++k) {
      number[k] = p::load(mine + k * p::lanes);
      count[k] = p::all(0);
    }
    for (std::size_t j = 0; j < n; ++j) {
      const p one = p::all(x[j]);
      PENEIRA_UNROLL(4)
      for (std::size_t k = 0; k < Packs; ++k) count[k].lane -= p::less(one, number[k]);
    }
    for (std::size_t k = 0; k < Packs; ++k) count[k].store(less + k * p::lanes);
  }

  /// Moves a chunk of up to most_counted numbers to its order in another row: each behind those that are less, and
  /// those that equal it and came before.
  static void order_chunk(const row& from, std::size_t begin, std::size_t n, row& to) {
    const U* const x = from.number.data() + begin;
    std::array<U, most_counted> less;
    std::size_t i = 0;
    for (; i + 2 * p::lanes < n; i += 4 * p::lanes) count_less<4>(x, n, x + i, less.data() + i);
    if (i + p::lanes < n) {
      count_less<2>(x, n, x + i, less.data() + i);
    } else if (i < n) {
      count_less<1>(x, n, x + i, less.data() + i);
    }
    std::array<std::uint8_t, most_counted> equal{};
    for (std::size_t k = 0; k < n; ++k) {
      const auto below = static_cast<std::size_t>(less[k]);
      const std::size_t at = begin + below + equal[below]++;
      to.number[at] = x[k];
      if constexpr (Indexed) to.position[at] = static_cast<std::uint8_t>(begin + k);
    }
  }

  /// Merges the two halves of some numbers.
  static void merge(row& from, std::size_t begin, std::size_t n, row& to) {
    using value = std::conditional_t<Indexed, std::uint8_t, no_value>;
    const auto part = [&](row& of) {
      view<U, value> all{of.number.data(), nullptr, n};
      if constexpr (Indexed) all.values = of.position.data();
      return all.part(begin, n);
    };
    merge_halves<U, value>(part(from), part(to), flipped_rank<U>{});
  }

  std::array<row, 2> rows_;
};

/// Sorts more than cpu_sort_few and up to most_small items as numbers. Alike: equal ranks are equal items.
template <bool Alike, class K, class V, class Rank>
[[gnu::noinline]] void sort_numbers(view<const K, const V> from, view<K, V> to, const Rank& rank) {
  using number = typename Rank::number;
  const std::size_t n = from.size;
  if (n <= tuning::cpu_sort_few) __builtin_unreachable();  // or GCC warns of numbers that nobody wrote
  small_numbers<number, !Alike> numbers;
  number* const x = numbers.numbers();
  for (std::size_t i = 0; i < n; ++i) x[i] = rank(from.keys[i]);
  const steps_of_numbers steps = numbers.steps(n);
  if (steps.falls == 0) return copy_items(from, to);
  if (Alike ? steps.rises == 0 : steps.falls == n - 1) return reverse_items(from, to);
  const auto& sorted = numbers.sort(n, steps.falls);
  if constexpr (Alike) {
    for (std::size_t i = 0; i < n; ++i) to.keys[i] = rank.template back<K>(sorted.number[i]);
  } else {
    place_small(from, sorted.position.data(), to);
  }
}

/// Sorts up to most_small items of `from` into `to`, which may be the same.
template <class K, class V, class Rank>
[[gnu::always_inline]] inline void sort_small(view<const K, const V> from, view<K, V> to, const Rank& rank) {
  const std::size_t n = from.size;
  if (n < 2) return copy_items(from, to);
  if (sort_tiny(from, to, rank)) return;
  if (sort_in_registers(from, to, rank)) return;
  constexpr bool keys_alone = !view<K, V>::has_values;
#if defined(PENEIRA_AVX512)
  if (n > most_in_tiny_sort && has_avx2()) {
    if constexpr (keys_alone && Rank::of_whole_items && sizeof(K) < 4) {
      if (rank.whole()) return sort_widened(from.keys, n, to.keys, rank);
    }
    if (n >= tuning::cpu_sort_words(sizeof(typename Rank::number)) && sort_words(from, to, rank)) return;
  }
#endif
  if (n <= tuning::cpu_sort_few) {
    copy_items(from, to);
    return sort_few(to, rank);
  }
  if constexpr (keys_alone) {
    if (rank.whole()) return sort_numbers<true>(from, to, rank);
  }
  sort_numbers<false>(from, to, rank);
}

}  // namespace peneira::detail
