// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A slice of a gather or a scatter by one thread: a block of positions is checked, and while it is in the cache, each
// column moves by it.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>

#include "peneira/cpu/fold.hpp"
#include "peneira/error.hpp"
#include "peneira/ops.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Positions that are checked before items move by them.
inline constexpr std::size_t position_block = 1024;

/// The highest of some positions, of which there are any.
template <class Number>
[[gnu::always_inline]] inline Number highest_of(const Number* positions, std::size_t count) {
  if (count > tuning::cpu_short_steps) return fold_items<Number>(positions, 0, count, max{});
  Number highest = positions[0];
  for (std::size_t i = 1; i < count; ++i) highest = std::max(highest, positions[i]);
  return highest;
}

/// Throws std::invalid_argument for a position from `begin` to before `end` that is not below `limit`.
template <class Position>
void check_positions(std::string_view call, const Position* positions, std::size_t begin, std::size_t end,
                     std::size_t limit) {
  using number = std::make_unsigned_t<Position>;
  if (limit > std::numeric_limits<number>::max()) return;
  const auto first_wrong = static_cast<number>(limit);
  const auto* const numbers = reinterpret_cast<const number*>(positions);
  if (begin == end || highest_of(numbers + begin, end - begin) < first_wrong) [[likely]]
    return;
  for (std::size_t i = begin; i < end; ++i) {
    if (numbers[i] < first_wrong) continue;
    reject(call, "positions",
           "has " + std::to_string(positions[i]) + " as number " + std::to_string(i) +
               ", counted from 0, but there are " + std::to_string(limit) + " items");
  }
}

/// One column's items from `begin` to before `end`, gathered or scattered.
template <bool Gather, class T, class Position>
void move_column(const T* in, const Position* positions, std::size_t begin, std::size_t end, T* out) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto there = static_cast<std::size_t>(positions[i]);
    std::memcpy(out + (Gather ? i : there), in + (Gather ? there : i), sizeof(T));
  }
}

/// All columns' items from `begin` to before `end`; positions are below `limit`, or an error.
template <bool Gather, class Position, class... Ins, class... Outs>
void move_slice(const std::tuple<Ins...>& in, const Position* positions, std::size_t begin, std::size_t end,
                const std::tuple<Outs...>& out, std::size_t limit) {
  for (std::size_t at = begin; at < end; at += position_block) {
    const std::size_t stop = std::min(end, at + position_block);
    check_positions(Gather ? "gather" : "scatter", positions, at, stop, limit);
    std::apply(
        [&](const auto&... from) {
          std::apply(
              [&](const auto&... to) {
                (move_column<Gather, typename std::remove_cvref_t<decltype(to)>::key_type>(from.keys, positions, at,
                                                                                           stop, to.keys),
                 ...);
              },
              out);
        },
        in);
  }
}

}  // namespace peneira::detail
