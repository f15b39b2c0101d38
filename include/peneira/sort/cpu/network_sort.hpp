// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of up to eight keys alone, by a network.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "peneira/config.hpp"

namespace peneira::detail {

/// Up to Room keys alone that equal ranks make equal, by comparing and exchanging numbers at fixed places: no branch
/// depends on a key. `to` may be the keys themselves.
template <std::size_t Room, class K, class Rank>
[[gnu::always_inline]] inline void sort_by_network(const K* from, std::size_t n, K* to, const Rank& rank) {
  static_assert(Room == 4 || Room == 8);
  using number = typename Rank::number;
  std::array<number, Room> x;
  for (std::size_t i = 0; i < Room; ++i) {
    const number found = rank(from[std::min(i, n - 1)]);
    x[i] = i < n ? found : std::numeric_limits<number>::max();
  }
  const auto order = [&x](std::size_t a, std::size_t b) {
    const number low = std::min(x[a], x[b]);
    x[b] = std::max(x[a], x[b]);
    x[a] = low;
  };
  constexpr std::array<std::array<std::uint8_t, 2>, 19> places{{{0, 1},
                                                                {2, 3},
                                                                {0, 2},
                                                                {1, 3},
                                                                {1, 2},  // four
                                                                {4, 5},
                                                                {6, 7},
                                                                {4, 6},
                                                                {5, 7},
                                                                {5, 6},  // four more
                                                                {0, 4},
                                                                {1, 5},
                                                                {2, 6},
                                                                {3, 7},
                                                                {2, 4},
                                                                {3, 5},
                                                                {1, 2},
                                                                {3, 4},
                                                                {5, 6}}};  // merged
  constexpr std::size_t steps = Room == 4 ? 5 : places.size();
  PENEIRA_UNROLL(19)
  for (std::size_t s = 0; s < steps; ++s) order(places[s][0], places[s][1]);
  for (std::size_t i = 0; i < n; ++i) to[i] = rank.template back<K>(x[i]);
}

}  // namespace peneira::detail
