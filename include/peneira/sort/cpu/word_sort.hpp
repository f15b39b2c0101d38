// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Up to a hundred items or so that registers do not hold as they are, sorted in registers as other numbers:
//
//   keys of 1 and 2 bytes   --widened--> numbers of 4 bytes --network--> keys
//   items, stable           --words of a rank and a position--> network --> positions --copies of items--> items
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/sort/cpu/register_sort.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Numbers that are counted together, and the most that a small sort can take: what comes of halving them twice.
inline constexpr std::size_t most_counted = tuning::cpu_sort_counted;
inline constexpr std::size_t most_small = 4 * most_counted;
static_assert(most_counted % 16 == 0 && most_small <= 128);

template <class K, class V>
void copy_items(view<const K, const V> from, view<K, V> to) {
  if (from.keys == to.keys) return;
  std::copy_n(from.keys, from.size, to.keys);
  if constexpr (view<K, V>::has_values) std::copy_n(from.values, from.size, to.values);
}

/// The same of so few that a loop is short.
template <class K, class V>
[[gnu::always_inline]] inline void copy_few(view<const K, const V> from, view<K, V> to) {
  if (from.keys == to.keys) return;
  for (std::size_t i = 0; i < from.size; ++i) to.keys[i] = from.keys[i];
  if constexpr (view<K, V>::has_values) {
    for (std::size_t i = 0; i < from.size; ++i) to.values[i] = from.values[i];
  }
}

/// The same from the last to the first; `to` may be the items themselves.
template <class K, class V>
void reverse_items(view<const K, const V> from, view<K, V> to) {
  const auto turn = [n = from.size](const auto* column, auto* into) {
    if (column == into) {
      std::reverse(into, into + n);
    } else {
      std::reverse_copy(column, column + n, into);
    }
  };
  turn(from.keys, to.keys);
  if constexpr (view<K, V>::has_values) turn(from.values, to.values);
}

/// A copy of items that are to be overwritten.
template <class K, class V>
class small_copy {
  static constexpr bool has_values = view<K, V>::has_values;

 public:
  explicit small_copy(view<const K, const V> items) {
    std::memcpy(keys_.data(), items.keys, items.size * sizeof(K));
    if constexpr (has_values) std::memcpy(values_.data(), items.values, items.size * sizeof(V));
  }
  [[nodiscard]] view<const K, const V> items(std::size_t n) const {
    view<const K, const V> all{reinterpret_cast<const K*>(keys_.data()), nullptr, n};
    if constexpr (has_values) all.values = reinterpret_cast<const V*>(values_.data());
    return all;
  }

 private:
  alignas(K) std::array<std::byte, most_small * sizeof(K)> keys_;
  alignas(V) std::array<std::byte, has_values ? most_small * sizeof(V) : 1> values_;
};

/// Moves items to the positions that were found for them.
template <class K, class V>
void gather_small(view<const K, const V> from, const std::uint8_t* position, view<K, V> to) {
  for (std::size_t i = 0; i < from.size; ++i) to.keys[i] = from.keys[position[i]];
  if constexpr (view<K, V>::has_values) {
    for (std::size_t i = 0; i < from.size; ++i) to.values[i] = from.values[position[i]];
  }
}

/// Moves items to the positions that were found for them; `to` may be the items themselves.
template <class K, class V>
void place_small(view<const K, const V> from, const std::uint8_t* position, view<K, V> to) {
  if (from.keys != to.keys) return gather_small(from, position, to);
  const small_copy<K, V> copy(from);
  gather_small(copy.items(from.size), position, to);
}

#if defined(PENEIRA_AVX512)

/// Sorts up to most_small keys of less than 4 bytes, of which all bits count, as wider numbers in registers.
template <class K, class Rank>
[[gnu::noinline]] void sort_widened(const K* from, std::size_t n, K* to, const Rank& rank) {
  std::array<std::uint32_t, most_small> x;
  for (std::size_t i = 0; i < n; ++i) x[i] = rank(from[i]);
  sort_in_network<std::uint32_t>(x.data(), n, x.data(), {}, {});
  for (std::size_t i = 0; i < n; ++i) to[i] = rank.template back<K>(static_cast<typename Rank::number>(x[i]));
}

/// Moves positions, which are in the order of the highest bits of their ranks, to the order of all bits. Few move.
template <class K, class Rank>
void order_positions(const K* keys, std::uint8_t* position, std::size_t n, const Rank& rank) {
  for (std::size_t i = 1; i < n; ++i) {
    const std::uint8_t mine = position[i];
    const auto number = rank(keys[mine]);
    std::size_t at = i;
    for (; at != 0 && number < rank(keys[position[at - 1]]); --at) position[at] = position[at - 1];
    position[at] = mine;
  }
}

/// Sorts up to most_small items by their positions, which are sorted in registers: as the lowest bits of words, above
/// which are as many bits of the ranks as there is room for. False, and nothing is done, where these tell few apart.
template <class K, class V, class Rank>
[[gnu::noinline]] bool sort_words(view<const K, const V> from, view<K, V> to, const Rank& rank) {
  using number = typename Rank::number;
  constexpr unsigned position_bits = 8;
  constexpr unsigned rank_bits = 64 - position_bits;
  static_assert(most_small <= 1U << position_bits);
  const std::size_t n = from.size;
  std::array<std::uint64_t, most_small> x;
  number low = rank(from.keys[0]);
  number high = low;
  number before = low;
  bool falls = false;
  bool always_falls = true;
  x[0] = low;
  for (std::size_t i = 1; i < n; ++i) {
    const number mine = rank(from.keys[i]);
    low = std::min(low, mine);
    high = std::max(high, mine);
    falls |= mine < before;
    always_falls &= mine < before;
    before = mine;
    x[i] = mine;
  }
  if (!falls) return copy_items(from, to), true;
  if (always_falls) return reverse_items(from, to), true;
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<number>(high - low)));
  const unsigned lost = bits > rank_bits ? bits - rank_bits : 0;
  for (std::size_t i = 0; i < n; ++i) x[i] = (x[i] - low) >> lost << position_bits | i;
  sort_in_network<std::uint64_t>(x.data(), n, x.data(), {}, {});
  std::array<std::uint8_t, most_small> position;
  for (std::size_t i = 0; i < n; ++i) position[i] = static_cast<std::uint8_t>(x[i]);
  if (lost != 0) {
    std::size_t alike = 0;
    for (std::size_t i = 1; i < n; ++i) alike += x[i] >> position_bits == x[i - 1] >> position_bits ? 1U : 0U;
    if (alike > n / 8) return false;
    order_positions(from.keys, position.data(), n, rank);
  }
  place_small(from, position.data(), to);
  return true;
}

#endif

}  // namespace peneira::detail
