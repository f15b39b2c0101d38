// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of two to eight keys, or up to ten items with values, in general registers and without a branch that depends
// on a key.
//
//   keys            --ranks--> numbers --a network of the fewest comparisons--> numbers --keys of ranks--> keys
//   items, stable   --each in registers--> neighbours that are out of order exchanged, until none are --> items
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// The most items of a tiny sort.
inline constexpr std::size_t most_in_tiny_sort = 8;

/// Which two are compared next, for so many numbers (D. E. Knuth, The Art of Computer Programming, 5.3.4).
struct compared {
  unsigned char low;
  unsigned char high;
};
template <std::size_t N>
struct tiny_network;
template <>
struct tiny_network<2> {
  static constexpr std::array<compared, 1> steps{{{0, 1}}};
};
template <>
struct tiny_network<3> {
  static constexpr std::array<compared, 3> steps{{{0, 2}, {0, 1}, {1, 2}}};
};
template <>
struct tiny_network<4> {
  static constexpr std::array<compared, 5> steps{{{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}}};
};
template <>
struct tiny_network<5> {
  static constexpr std::array<compared, 9> steps{
      {{0, 3}, {1, 4}, {0, 2}, {1, 3}, {0, 1}, {2, 4}, {1, 2}, {3, 4}, {2, 3}}};
};
template <>
struct tiny_network<6> {
  static constexpr std::array<compared, 12> steps{
      {{0, 5}, {1, 3}, {2, 4}, {1, 2}, {3, 4}, {0, 3}, {2, 5}, {0, 1}, {2, 3}, {4, 5}, {1, 2}, {3, 4}}};
};
template <>
struct tiny_network<7> {
  static constexpr std::array<compared, 16> steps{{{0, 6},
                                                   {2, 3},
                                                   {4, 5},
                                                   {0, 2},
                                                   {1, 4},
                                                   {3, 6},
                                                   {0, 1},
                                                   {2, 5},
                                                   {3, 4},
                                                   {1, 2},
                                                   {4, 6},
                                                   {2, 3},
                                                   {4, 5},
                                                   {1, 2},
                                                   {3, 4},
                                                   {5, 6}}};
};
template <>
struct tiny_network<8> {
  static constexpr std::array<compared, 19> steps{{{0, 2},
                                                   {1, 3},
                                                   {4, 6},
                                                   {5, 7},
                                                   {0, 4},
                                                   {1, 5},
                                                   {2, 6},
                                                   {3, 7},
                                                   {0, 1},
                                                   {2, 3},
                                                   {4, 5},
                                                   {6, 7},
                                                   {2, 4},
                                                   {3, 5},
                                                   {1, 4},
                                                   {3, 6},
                                                   {1, 2},
                                                   {3, 4},
                                                   {5, 6}}};
};

/// Says that a number is in a general register, where comparing two and exchanging them takes least; otherwise GCC may
/// read several that were just written as one vector, which waits for all of them.
template <class U>
[[gnu::always_inline]] inline void keep_in_register(U& x) {
  asm("" : "+r"(x));
}

/// Sorts N keys by their numbers in an order.
template <std::size_t N, class U>
[[gnu::always_inline]] inline void sort_tiny_numbers(const void* from, void* to, const key_order<U>& by) {
  std::array<U, N> x;
  std::memcpy(x.data(), from, sizeof x);
  PENEIRA_UNROLL(10)
  for (std::size_t i = 0; i < N; ++i) {
    keep_in_register(x[i]);
    x[i] = by(x[i]);
  }
  [&]<std::size_t... Step>(std::index_sequence<Step...>) __attribute__((always_inline)) {
    constexpr auto steps = tiny_network<N>::steps;
    const auto order = [](U & a, U & b) __attribute__((always_inline)) {
      const U differing = (a ^ b) & (U{0} - static_cast<U>(b < a));  // a mask, lest a compiler make a branch of it
      a ^= differing;
      b ^= differing;
    };
    (order(x[steps[Step].low], x[steps[Step].high]), ...);
  }
  (std::make_index_sequence<tiny_network<N>::steps.size()>());
  PENEIRA_UNROLL(10)
  for (std::size_t i = 0; i < N; ++i) {
    x[i] = by.back(x[i]);
    keep_in_register(x[i]);
  }
  std::memcpy(to, x.data(), sizeof x);
}

/// Sorts two to most_in_tiny_sort keys. What is read may be of another type of that size. The order comes by its parts,
/// which fit registers.
template <class U>
[[gnu::noinline]] void sort_tiny_numbers(const void* from, std::size_t n, void* to, U flip_negative, U flip, U add) {
  const key_order<U> by{flip_negative, flip, add};
  switch (n) {
    case 2:
      return sort_tiny_numbers<2, U>(from, to, by);
    case 3:
      return sort_tiny_numbers<3, U>(from, to, by);
    case 4:
      return sort_tiny_numbers<4, U>(from, to, by);
    case 5:
      return sort_tiny_numbers<5, U>(from, to, by);
    case 6:
      return sort_tiny_numbers<6, U>(from, to, by);
    case 7:
      return sort_tiny_numbers<7, U>(from, to, by);
    default:
      return sort_tiny_numbers<8, U>(from, to, by);
  }
}

/// Sorts two to most_in_tiny_sort keys, of which all bits count.
template <class K, class Rank>
[[gnu::always_inline]] inline void sort_tiny_keys(const K* from, std::size_t n, K* to, const Rank& rank) {
  using number = typename Rank::number;
  if constexpr (sizeof(K) >= 4) {
    const key_order<number> by = order_of_rank(rank);
    sort_tiny_numbers<number>(from, n, to, by.flip_negative, by.flip, by.add);
  } else {
    std::array<std::uint32_t, most_in_tiny_sort> x;
    for (std::size_t i = 0; i < n; ++i) x[i] = rank(from[i]);
    sort_tiny_numbers<std::uint32_t>(x.data(), n, x.data(), 0, 0, 0);
    for (std::size_t i = 0; i < n; ++i) to[i] = rank.template back<K>(static_cast<number>(x[i]));
  }
}

/// Items with values up to which neighbours are exchanged: from there on it takes longer than to count.
inline constexpr std::size_t most_exchanged = 10;

/// Exchanges neighbours that are out of order until none are: all N items are in registers, and equal ones stay.
template <std::size_t N, class K, class V, class Rank>
[[gnu::always_inline]] inline void exchange_neighbours(view<const K, const V> from, view<K, V> to, const Rank& rank) {
  constexpr bool with_values = view<K, V>::has_values;
  std::array<std::uint64_t, N> key;
  std::array<std::uint64_t, N> value;
  PENEIRA_UNROLL(10)
  for (std::size_t i = 0; i < N; ++i) {
    key[i] = raw_bits(from.keys[i]);
    keep_in_register(key[i]);
    if constexpr (with_values) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, from.values + i, sizeof(V));
      value[i] = bits;
      keep_in_register(value[i]);
    }
  }
  const auto number = [&rank](std::uint64_t bits) { return rank(key_of_bits<K>(static_cast<bits_of<K>>(bits))); };
  const auto exchange = [](std::uint64_t& a, std::uint64_t& b, std::uint64_t mask) {
    const std::uint64_t differing = (a ^ b) & mask;
    a ^= differing;
    b ^= differing;
  };
  PENEIRA_UNROLL(10)
  for (std::size_t last = N - 1; last != 0; --last) {
    PENEIRA_UNROLL(10)
    for (std::size_t i = 0; i < last; ++i) {
      const std::uint64_t mask = std::uint64_t{0} - static_cast<std::uint64_t>(number(key[i + 1]) < number(key[i]));
      exchange(key[i], key[i + 1], mask);
      if constexpr (with_values) exchange(value[i], value[i + 1], mask);
    }
  }
  PENEIRA_UNROLL(10)
  for (std::size_t i = 0; i < N; ++i) {
    keep_in_register(key[i]);
    to.keys[i] = key_of_bits<K>(static_cast<bits_of<K>>(key[i]));
    if constexpr (with_values) {
      keep_in_register(value[i]);
      std::memcpy(static_cast<void*>(to.values + i), &value[i], sizeof(V));
    }
  }
}

/// The same of two to most_exchanged items.
template <class K, class V, class Rank>
[[gnu::noinline]] void exchange_neighbours(view<const K, const V> from, view<K, V> to, const Rank& rank) {
  switch (from.size) {
    case 2:
      return exchange_neighbours<2>(from, to, rank);
    case 3:
      return exchange_neighbours<3>(from, to, rank);
    case 4:
      return exchange_neighbours<4>(from, to, rank);
    case 5:
      return exchange_neighbours<5>(from, to, rank);
    case 6:
      return exchange_neighbours<6>(from, to, rank);
    case 7:
      return exchange_neighbours<7>(from, to, rank);
    case 8:
      return exchange_neighbours<8>(from, to, rank);
    case 9:
      return exchange_neighbours<9>(from, to, rank);
    default:
      return exchange_neighbours<10>(from, to, rank);
  }
}

/// Sorts so few items, of which there are at least two. False, and nothing is done, where they are too many, or of a
/// kind for which there is nothing better than to insert them. `to` may be the items themselves.
template <class K, class V, class Rank>
[[gnu::always_inline]] inline bool sort_tiny(view<const K, const V> from, view<K, V> to, const Rank& rank) {
  constexpr bool with_values = view<K, V>::has_values;
  if constexpr (!with_values && Rank::of_whole_items) {
    if (rank.whole()) {
      if (from.size > most_in_tiny_sort) return false;
      sort_tiny_keys(from.keys, from.size, to.keys, rank);
      return true;
    }
  }
  if constexpr (Rank::of_whole_items && (!with_values || sizeof(V) <= 8)) {
    if (from.size > most_exchanged) return false;
    exchange_neighbours(from, to, rank);
    return true;
  }
  return false;
}

}  // namespace peneira::detail
