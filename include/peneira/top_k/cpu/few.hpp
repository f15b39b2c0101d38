// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The k items of lowest rank of few, by one thread, with no memory but the stack. So few are sorted before a sample
// would tell which of them may be wanted:
//
//   sorted       a copy of all --sorted--> its first k
//   as they are  their ranks --sorted--> the k-th, up to which items are taken
//   a few wanted the lowest ranks so far, in order --a look at each pack--> those that are lower still
//
// Of more items a few wanted are found by the last way too, by each thread of a slice, unless they come in an order in
// which most are lower than all before.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <new>

#include "peneira/cpu/lines.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/key_order.hpp"
#include "peneira/sort/cpu/partitioned.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/sort/cpu/small_sort.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Whether items are so few that a selection takes no memory.
constexpr bool are_few(std::size_t items, std::size_t item_bytes) {
  return items * item_bytes <= tuning::cpu_sort_stack_bytes;
}

/// Room on the stack for a column of items that are few beside keys and values of so many bytes together.
template <class T, std::size_t ItemBytes>
struct few_column {
  alignas(T) std::array<std::byte, tuning::cpu_sort_stack_bytes / ItemBytes * sizeof(T)> bytes;
  [[nodiscard]] T* get() { return reinterpret_cast<T*>(bytes.data()); }
};

/// The items of lowest rank so far, up to cpu_top_k_inserted, and where they are in the input.
template <class Number>
class alignas(line_bytes) lowest_ranks {
 public:
  lowest_ranks() {}  // NOLINT(modernize-use-equals-default): nothing is written before it is needed

  /// Looks at the keys from `begin` to before `end` for k of them, or all where there are fewer. False: it gave up,
  /// since too many were among the lowest for a while.
  template <class K, class Rank>
  [[gnu::always_inline]] bool look_at(const K* keys, std::size_t begin, std::size_t end, std::size_t k,
                                      const Rank& given) {
    using p = pack<Number>;
    constexpr std::size_t step = look_keys<Number>;
    const Rank rank = given;
    count_ = 0;
    std::size_t i = begin;
    for (; i < end && count_ < k; ++i) insert(i, count_++, rank(keys[i]));
    std::size_t left = k * (4 + static_cast<std::size_t>(std::bit_width((end - begin) / k)));  // random keys take half
    const auto look = [&](std::size_t at) {
      const Number x = rank(keys[at]);
      if (!(x < ranks_[k - 1])) return;
      insert(at, k - 1, x);
      left -= left != 0 ? 1 : 0;
    };
    for (; i + step <= end && left != 0; i += step) {
      std::array<p, look_packs> x;
      load_ranks(keys + i, rank, x);
      const p border = p::all(ranks_[k - 1]);
      typename p::mask low{};
      PENEIRA_UNROLL(4)
      for (std::size_t q = 0; q < look_packs; ++q) low |= p::less(x[q], border);
      if (!any_bit<Number>(low)) continue;
      for (std::size_t j = i; j < i + step; ++j) look(j);
    }
    for (; i < end && left != 0; ++i) look(i);
    return i == end;
  }
  /// Those of what was found behind all of these, of which there are k.
  void merge(const lowest_ranks& behind, std::size_t k) {
    for (std::size_t i = 0; i < behind.count_; ++i) {
      if (count_ == k && !(behind.ranks_[i] < ranks_[k - 1])) return;
      count_ += count_ < k ? 1 : 0;
      insert(behind.places_[i], count_ - 1, behind.ranks_[i]);
    }
  }
  /// The places of k of them, by rank or in the order of the input.
  [[nodiscard]] const std::size_t* places(std::size_t k, bool by_rank) {
    if (!by_rank) std::sort(places_.begin(), places_.begin() + k);
    return places_.data();
  }

 private:
  /// Behind all that are not higher; what is at `last` is there no more.
  [[gnu::always_inline]] void insert(std::size_t place, std::size_t last, Number x) {
    std::size_t at = last;
    for (; at != 0 && x < ranks_[at - 1]; --at) {
      ranks_[at] = ranks_[at - 1];
      places_[at] = places_[at - 1];
    }
    ranks_[at] = x;
    places_[at] = place;
  }

  std::size_t count_ = 0;
  std::array<Number, tuning::cpu_top_k_inserted> ranks_;
  std::array<std::size_t, tuning::cpu_top_k_inserted> places_;
};

/// Whether so few are wanted that they are kept in order; of more, or of few items, a sort is sooner done.
constexpr bool few_are_wanted(std::size_t items, std::size_t k) {
  return k != 0 && k <= tuning::cpu_top_k_inserted && k * k <= items / 2;
}

/// Whether ranks may fall from the first to the last, so that most are lower than all before.
template <class K, class V, class Rank>
bool seems_to_fall(view<const K, const V> in, const Rank& rank) {
  constexpr std::size_t parts = 4;
  for (std::size_t i = 0; i < parts; ++i) {
    const K* const keys = in.keys;
    if (!(rank(keys[(in.size - 1) * (i + 1) / parts]) < rank(keys[(in.size - 1) * i / parts]))) return false;
  }
  return true;
}

/// As many items as `out` has room for, if these are few; of more than one thread, each has one of `found`. False, and
/// nothing is written, where another way is better.
template <class K, class V, class Rank>
[[gnu::noinline]] bool top_by_insertion(unsigned threads, lowest_ranks<typename Rank::number>* found,
                                        view<const K, const V> in, view<K, V> out, bool sorted, const Rank& rank) {
  const std::size_t k = out.size;
  if (!few_are_wanted(in.size, k) || seems_to_fall(in, rank)) return false;
  std::atomic<bool> all = true;
  on_each(threads, [&](unsigned m) {
    const auto [begin, end] = slice(in.size, m, threads);
    auto* const mine = new (found + m) lowest_ranks<typename Rank::number>;
    if (!mine->look_at(in.keys, begin, end, k, rank)) all.store(false, std::memory_order_relaxed);
  });
  if (!all.load(std::memory_order_relaxed)) return false;
  for (unsigned m = 1; m < threads; ++m) found[0].merge(found[m], k);
  const std::size_t* const from = found[0].places(k, sorted);
  for (std::size_t i = 0; i < k; ++i) out.keys[i] = in.keys[from[i]];
  if constexpr (view<K, V>::has_values) {
    for (std::size_t i = 0; i < k; ++i) out.values[i] = in.values[from[i]];
  }
  return true;
}
/// The same by one thread.
template <class K, class V, class Rank>
[[gnu::noinline]] bool top_by_insertion(view<const K, const V> in, view<K, V> out, bool sorted, const Rank& rank) {
  lowest_ranks<typename Rank::number> found;
  return top_by_insertion(1, &found, in, out, sorted, rank);
}

/// As many items as `out` has room for, from 1 on: the first of a copy that is sorted.
template <class K, class V, class Rank>
[[gnu::noinline]] void top_by_sorting(view<const K, const V> in, view<K, V> out, const Rank& rank) {
  constexpr bool with_values = view<K, V>::has_values;
  constexpr std::size_t item_bytes = sizeof(K) + (with_values ? sizeof(V) : 0);
  few_column<K, item_bytes> keys;
  [[maybe_unused]] few_column<V, item_bytes> values;
  view<K, V> sorted{keys.get(), nullptr, in.size};
  if constexpr (with_values) sorted.values = values.get();
  copy_items<K, V>(in, sorted);
  sort_strategies::partitioned::run_few<K, V>(sorted, sorted, rank);
  copy_items<K, V>(sorted.part(0, out.size), out);
}

/// The same in the order of the input: by the rank up to which they are wanted.
template <class K, class V, class Rank>
[[gnu::noinline]] void top_by_threshold(view<const K, const V> in, view<K, V> out, const Rank& given) {
  using number = typename Rank::number;
  const Rank rank = given;
  const std::size_t k = out.size;
  few_column<number, sizeof(K)> room;
  number* const ranks = room.get();
  for (std::size_t i = 0; i < in.size; ++i) ranks[i] = rank(in.keys[i]);
  const view<number> all{ranks, nullptr, in.size};
  sort_strategies::partitioned::run_few<number, no_value>(all, all, flipped_rank<number>{});
  const number last = ranks[k - 1];
  auto equal = static_cast<std::size_t>(ranks + k - std::lower_bound(ranks, ranks + k, last));
  std::size_t at = 0;
  for (std::size_t i = 0; at != k; ++i) {
    const number x = rank(in.keys[i]);
    out.keys[at] = in.keys[i];
    if constexpr (view<K, V>::has_values) out.values[at] = in.values[i];
    const std::size_t is_equal = x == last && equal != 0 ? 1 : 0;
    at += x < last ? 1 : is_equal;
    equal -= is_equal;
  }
}

/// The items of lowest rank of few, as many as `out` has room for.
template <class K, class V, class Rank>
[[gnu::always_inline]] inline void top_of_few(view<const K, const V> in, view<K, V> out, bool sorted,
                                              const Rank& rank) {
  if (out.size == 0) return;
  if (in.size > small_items<Rank> && top_by_insertion<K, V>(in, out, sorted, rank)) return;
  if (sorted) return top_by_sorting(in, out, rank);
  if (out.size == in.size) return copy_items<K, V>(in, out);
  top_by_threshold(in, out, rank);
}

}  // namespace peneira::detail
