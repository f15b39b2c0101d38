// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Several columns to sort by, each in its direction, with nulls that a mask tells.
#pragma once

#include <string>
#include <tuple>
#include <type_traits>

#include "peneira/error.hpp"
#include "peneira/view.hpp"

namespace peneira {

/// A column to sort rows by; descending, nulls_first and nulls_last make one of any array of keys.
template <class Key, class Mask = const no_value>
struct column {
  view<Key> keys;                ///< a key for each row
  bool descending = false;       ///< whether greater keys come first; nulls stay where they are wanted
  Mask* is_null = nullptr;       ///< for each row, of one byte: whether its key is null; none without a mask
  bool nulls_are_first = false;  ///< before all keys, or behind them
};

/// Columns to sort rows by: the first counts most. columns() makes it.
template <class... Columns>
struct column_set {
  std::tuple<Columns...> all;  ///< a column each
  std::size_t rows = 0;        ///< of every column
};

namespace detail {

template <class T>
inline constexpr bool is_column = false;
template <class Key, class Mask>
inline constexpr bool is_column<column<Key, Mask>> = true;
template <class T>
inline constexpr bool is_column_set = false;
template <class... Columns>
inline constexpr bool is_column_set<column_set<Columns...>> = true;

/// What was given, as a column.
template <class T>
auto as_column(T&& given) {
  if constexpr (is_column<std::remove_cvref_t<T>>) {
    return given;
  } else {
    static_assert(!array_of<T>::has_values, "columns: a column is an array without values");
    const auto keys = as_view(static_cast<T&&>(given));
    return column<std::remove_pointer_t<decltype(keys.keys)>>{keys};
  }
}

template <class T, class Mask>
auto with_nulls(T&& given, Mask&& mask, bool first) {
  const auto of = as_column(static_cast<T&&>(given));
  const auto is_null = as_view(static_cast<Mask&&>(mask));
  using byte = std::remove_pointer_t<decltype(is_null.keys)>;
  static_assert(sizeof(byte) == 1 && std::is_integral_v<byte>,
                "nulls: a mask has one byte a row: 0, or not 0 for a null");
  if (is_null.size != of.keys.size) {
    reject("nulls", "mask",
           "has " + std::to_string(is_null.size) + " entries, but there are " + std::to_string(of.keys.size) + " keys");
  }
  return column<std::remove_pointer_t<decltype(of.keys.keys)>, byte>{of.keys, of.descending, is_null.keys, first};
}

}  // namespace detail

/// The same column, greater keys first.
template <class Column>
auto descending(Column&& given) {
  auto turned = detail::as_column(static_cast<Column&&>(given));
  turned.descending = true;
  return turned;
}

/// The same column, of which the keys that a mask of one byte a row tells (not 0) are null, and before all others.
template <class Column, class Mask>
auto nulls_first(Column&& given, Mask&& mask) {
  return detail::with_nulls(static_cast<Column&&>(given), static_cast<Mask&&>(mask), true);
}

/// The same column, of which the keys that a mask of one byte a row tells (not 0) are null, and behind all others.
template <class Column, class Mask>
auto nulls_last(Column&& given, Mask&& mask) {
  return detail::with_nulls(static_cast<Column&&>(given), static_cast<Mask&&>(mask), false);
}

/// Columns to sort rows by, the first of which counts most: arrays of keys, or what descending, nulls_first and
/// nulls_last make of them. Throws std::invalid_argument where their sizes differ.
template <class... Given>
auto columns(Given&&... given) {
  static_assert(sizeof...(Given) > 0, "columns: there is at least one");
  std::tuple all{detail::as_column(static_cast<Given&&>(given))...};
  const std::size_t rows = std::get<0>(all).keys.size;
  std::apply(
      [&](const auto&... one) {
        const auto check = [&](std::size_t size) {
          if (size == rows) return;
          detail::reject("columns", "column",
                         "has " + std::to_string(size) + " rows, but the first has " + std::to_string(rows));
        };
        (check(one.keys.size), ...);
      },
      all);
  return std::apply(
      [&](const auto&... one) {
        return column_set<std::remove_cvref_t<decltype(one)>...>{all, rows};
      },
      all);
}

}  // namespace peneira
