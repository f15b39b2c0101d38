// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Several columns of one length, which move together: what gather and scatter take beside one column or pairs.
#pragma once

#include <string>
#include <tuple>
#include <type_traits>

#include "peneira/error.hpp"
#include "peneira/view.hpp"

namespace peneira {

/// Columns of one length. Does not own them; table() makes one.
template <class... Columns>
struct table_of {
  std::tuple<Columns...> columns;  ///< a view each
  std::size_t size = 0;            ///< how many rows there are
};

/// Some columns, each a contiguous range or items(pointer, n), as one. Throws std::invalid_argument where their sizes
/// differ.
///
/// ```cpp
/// std::vector<float> prices{3, 1, 2};
/// std::vector<char> names{'c', 'a', 'b'};
/// const auto rows = pn::table(prices, names);
/// ```
template <class First, class... Others>
auto table(First&& first, Others&&... others) {
  const auto make = [](const auto&... columns) {
    static_assert(!(std::remove_cvref_t<decltype(columns)>::has_values || ...), "table: each argument is one column");
    const std::size_t sizes[] = {columns.size...};
    for (std::size_t c = 1; c < sizeof...(columns); ++c) {
      if (sizes[c] == sizes[0]) continue;
      detail::reject("table", "column " + std::to_string(c),
                     "has " + std::to_string(sizes[c]) + " entries, but column 0 has " + std::to_string(sizes[0]));
    }
    return table_of<std::remove_cvref_t<decltype(columns)>...>{{columns...}, sizes[0]};
  };
  return make(detail::as_view(static_cast<First&&>(first)), detail::as_view(static_cast<Others&&>(others))...);
}

namespace detail {

/// What a call that moves columns was given, as a table.
template <class K, class V>
auto as_table(const view<K, V>& given) {
  if constexpr (view<K, V>::has_values) {
    using both = table_of<view<K>, view<V>>;
    return both{{view<K>{given.keys, nullptr, given.size}, view<V>{given.values, nullptr, given.size}}, given.size};
  } else {
    return table_of<view<K>>{{view<K>{given.keys, nullptr, given.size}}, given.size};
  }
}
template <class... Columns>
table_of<Columns...> as_table(const table_of<Columns...>& given) {
  return given;
}

template <class T>
inline constexpr bool is_table = false;
template <class... Columns>
inline constexpr bool is_table<table_of<Columns...>> = true;

/// The types of what as_table makes of an argument.
template <class T>
struct table_types {
  static constexpr bool is_there = array_of<T>::is_array;
  static constexpr bool is_const = array_of<T>::is_const || is_temporary<T>;
  using keys =
      std::conditional_t<array_of<T>::has_values, std::tuple<typename array_of<T>::key, typename array_of<T>::value>,
                         std::tuple<typename array_of<T>::key>>;
};
template <class T>
requires is_table<std::remove_cvref_t<T>>
struct table_types<T> {
  template <class Table>
  struct of;
  template <class... Keys>
  struct of<table_of<view<Keys>...>> {
    static constexpr bool is_const = (std::is_const_v<Keys> || ...);
    using keys = std::tuple<std::remove_const_t<Keys>...>;
  };
  static constexpr bool is_there = true;
  static constexpr bool is_const = of<std::remove_cvref_t<T>>::is_const;
  using keys = typename of<std::remove_cvref_t<T>>::keys;
};

}  // namespace detail
}  // namespace peneira
