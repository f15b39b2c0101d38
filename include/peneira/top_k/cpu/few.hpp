// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The k items of lowest rank of few, by one thread, with no memory but the stack. So few are sorted before a sample
// would tell which of them may be wanted:
//
//   sorted       a copy of all --sorted--> its first k
//   as they are  their ranks --sorted--> the k-th, up to which items are taken
//   a few wanted the lowest ranks so far, in order --each look at a pack--> those that are lower still
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

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

/// The items of lowest rank so far, fewer than cpu_top_k_inserted, and where they are in the input.
template <class Rank>
class lowest_ranks {
  using number = typename Rank::number;

 public:
  lowest_ranks() {}  // NOLINT(modernize-use-equals-default): nothing is written before it is needed

  /// Looks at all keys, for k of them.
  template <class K>
  [[gnu::always_inline]] void look_at(const K* keys, std::size_t n, std::size_t k, const Rank& given) {
    using p = pack<number>;
    constexpr std::size_t step = look_keys<number>;
    const Rank rank = given;
    for (std::size_t i = 0; i < k; ++i) insert(i, i, rank(keys[i]));
    const auto look = [&](std::size_t i) {
      const number x = rank(keys[i]);
      if (x < ranks_[k - 1]) insert(i, k - 1, x);
    };
    std::size_t i = k;
    for (; i + step <= n; i += step) {
      std::array<p, look_packs> x;
      load_ranks(keys + i, rank, x);
      const p border = p::all(ranks_[k - 1]);
      typename p::mask low{};
      PENEIRA_UNROLL(4)
      for (std::size_t q = 0; q < look_packs; ++q) low |= p::less(x[q], border);
      if (!any_bit<number>(low)) continue;
      for (std::size_t j = i; j < i + step; ++j) look(j);
    }
    for (; i < n; ++i) look(i);
  }
  /// The places of k of them, by rank or in the order of the input.
  [[nodiscard]] const std::uint16_t* places(std::size_t k, bool by_rank) {
    if (!by_rank) std::sort(places_.begin(), places_.begin() + k);
    return places_.data();
  }

 private:
  /// Behind all that are not higher; what is at `last` is there no more.
  [[gnu::always_inline]] void insert(std::size_t place, std::size_t last, number x) {
    std::size_t at = last;
    for (; at != 0 && x < ranks_[at - 1]; --at) {
      ranks_[at] = ranks_[at - 1];
      places_[at] = places_[at - 1];
    }
    ranks_[at] = x;
    places_[at] = static_cast<std::uint16_t>(place);
  }

  std::array<number, tuning::cpu_top_k_inserted> ranks_;
  std::array<std::uint16_t, tuning::cpu_top_k_inserted> places_;
};

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

/// As many items as `out` has room for, of more than a small sort takes.
template <class K, class V, class Rank>
[[gnu::noinline]] void top_by_insertion(view<const K, const V> in, view<K, V> out, bool sorted, const Rank& rank) {
  const std::size_t k = out.size;
  lowest_ranks<Rank> lowest;
  lowest.look_at(in.keys, in.size, k, rank);
  const std::uint16_t* const from = lowest.places(k, sorted);
  for (std::size_t i = 0; i < k; ++i) out.keys[i] = in.keys[from[i]];
  if constexpr (view<K, V>::has_values) {
    for (std::size_t i = 0; i < k; ++i) out.values[i] = in.values[from[i]];
  }
}

/// The items of lowest rank of few, as many as `out` has room for.
template <class K, class V, class Rank>
[[gnu::always_inline]] inline void top_of_few(view<const K, const V> in, view<K, V> out, bool sorted,
                                              const Rank& rank) {
  if (out.size == 0) return;
  if (in.size > small_items<Rank> && out.size <= tuning::cpu_top_k_inserted) {
    return top_by_insertion(in, out, sorted, rank);
  }
  if (sorted) return top_by_sorting(in, out, rank);
  if (out.size == in.size) return copy_items<K, V>(in, out);
  top_by_threshold(in, out, rank);
}

}  // namespace peneira::detail
