// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What group_by gathers of a key on a rank, as something that goes to another rank and is merged there.
#pragma once

#include <type_traits>

#include "peneira/group_by.hpp"

namespace peneira::detail {

/// An operator that makes something of an item and its position: of the position in the whole.
template <class Op>
struct numbered_op {
  Op op;
  std::uint64_t begin;  ///< of this rank's items

  template <class T>
  T operator()(const T& a, const T& b) const {
    return op(a, b);
  }
  template <class T>
  T identity() const {
    return op.template identity<T>();
  }
  template <class T>
  auto lift(const T& item, std::uint64_t position) const {
    return op.lift(item, begin + position);
  }
};
template <class T, class Op>
auto numbered(const Op& op, std::uint64_t begin) {
  if constexpr (has_lift<Op, T>) {
    return numbered_op<Op>{op, begin};
  } else {
    return op;
  }
}

/// What a folding gathers, as something that goes between ranks with a key.
template <class Folding>
using gathered_by = std::conditional_t<std::is_empty_v<typename Folding::state>, no_value, typename Folding::state>;

/// Gathers as Folding does, and keeps what was gathered instead of results.
template <class Folding>
struct kept_folding {
  using moved = typename Folding::moved;
  using state = typename Folding::state;
  static constexpr bool by_position = Folding::by_position;
  static constexpr bool results_move = false;
  static constexpr std::size_t result_bytes = 0;

  Folding by;
  gathered_by<Folding>* kept;

  [[nodiscard]] state first(const moved& item) const { return by.first(item); }
  void add(state& to, const moved& item) const { by.add(to, item); }
  void merge(state& to, const state& from) const { by.merge(to, from); }
  void write(std::size_t at, const state& from) const {
    if constexpr (!std::is_empty_v<state>) kept[at] = from;
  }
};

/// Merges what was gathered apart, and keeps that.
template <class Folding, class Position>
struct merged_folding {
  using moved = Position;
  using state = typename Folding::state;
  static constexpr bool by_position = true;
  static constexpr bool results_move = false;
  static constexpr std::size_t result_bytes = 0;

  Folding by;
  const gathered_by<Folding>* arrived;
  gathered_by<Folding>* kept;

  [[nodiscard]] state first(Position position) const { return at(position); }
  void add(state& to, Position position) const { by.merge(to, at(position)); }
  void merge(state& to, const state& from) const { by.merge(to, from); }
  void write(std::size_t to, const state& from) const {
    if constexpr (!std::is_empty_v<state>) kept[to] = from;
  }

 private:
  [[nodiscard]] state at(Position position) const {
    if constexpr (std::is_empty_v<state>) {
      return {};
    } else {
      return arrived[position];
    }
  }
};

}  // namespace peneira::detail
