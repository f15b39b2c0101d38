// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the arguments of group_by and distinct must be, and what they become: columns, and what is gathered of them.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "peneira/aggregates.hpp"
#include "peneira/arguments.hpp"
#include "peneira/error.hpp"
#include "peneira/group_by/folding.hpp"
#include "peneira/key_order.hpp"
#include "peneira/op.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// What the compiler can see of a call's keys.
template <class Place, class Keys, class UniqueKeys>
struct group_keys_arguments {
  using key = typename array_of<Keys>::key;
  static constexpr bool arrays =
      at_place<Place>::good && readable_column<Keys>::good && writable_column<UniqueKeys>::good;
  static constexpr bool alike = std::is_same_v<key, typename array_of<UniqueKeys>::key>;
  static_assert(!arrays || sort_key<key>,
                "group_by: keys are integers or enums of 8 to 64 bits, or floating-point numbers of 16 to 64");
  static_assert(!arrays || !sort_key<key> || alike, "group_by: unique_keys must have the type of keys");
  static constexpr bool good = arrays && sort_key<key> && alike;
};

/// What the compiler can see of one column of values and its results.
template <class T, class Result, class Op>
struct group_column_arguments {
  static constexpr bool values = std::is_trivially_copyable_v<T> && sizeof(T) <= 16;
  static_assert(values, "group_by: values are trivially copyable and of 1 to 16 bytes");
  static constexpr bool results = std::is_trivially_copyable_v<Result> && sizeof(Result) <= 32;
  static_assert(results, "group_by: results are trivially copyable and of 1 to 32 bytes");
  using by = std::remove_cvref_t<decltype(operator_of<Result>(std::declval<const Op&>()))>;
  static constexpr bool combines = monoid<by, Result>;
  static_assert(combines,
                "group_by: op must combine two results and have identity<Result>(), as pn::plus has; "
                "pn::op{identity, f} makes one of a function, and std::plus<> and its like will do");
  static constexpr bool good = values && results && combines;
};

/// The keys of a call and where groups go.
template <class K>
struct group_request {
  std::string_view name;
  view<const K> keys;
  view<K> unique_keys;
  group_room room;
};

/// The same, checked with so many columns at most beside them.
template <class Place, class K, std::size_t Columns>
struct group_call : group_request<K> {
  using group_request<K>::name;
  using group_request<K>::keys;
  using group_request<K>::room;
  std::array<named_array, Columns + 3> arrays{};
  std::size_t known = 0;

  group_call(std::string_view call, view<const K> from, view<K> to, std::string_view to_name)
      : group_request<K>{call, from, to, {to.size, {to_name}}} {
    add({"keys"}, from.keys, from.size, from.size * sizeof(K), false);
    write({to_name}, to);
  }
  /// A column that is read, with an entry for each key.
  template <class T>
  void read(const argument_name& column, view<T> values) {
    if (values.size != keys.size) {
      reject(name, column.text(),
             "has " + std::to_string(values.size) + " entries, but there are " + std::to_string(keys.size) + " keys");
    }
    add(column, values.keys, values.size, values.size * sizeof(T), false);
  }
  /// A column that is written, with an entry for each group; all are checked once all are known.
  template <class T>
  void write(const argument_name& column, view<T> results) {
    room.limit(results.size, column);
    const std::size_t most = std::min(results.size, keys.size);
    add(column, results.keys, most, most * sizeof(T), true);
  }
  /// Where the number of groups goes.
  template <class Count>
  void number(const Count* count) {
    check_count<Place>(name, count, keys.size);
    arrays[known++] = {{"count"}, count, sizeof(Count), true};
  }
  /// Throws where arrays overlap.
  void check() const { check_apart(name, std::span(arrays).first(known)); }

 private:
  template <class T>
  void add(const argument_name& column, const T* at, std::size_t count, std::size_t bytes, bool written) {
    if (column.aggregate == 0) {
      check_address<Place>(name, column.what, at, count);
    } else {
      check_address<Place>(name, column.text(), at, count);
    }
    arrays[known++] = {column, at, bytes, written};
  }
};

/// The keys of a call, as they are and as they go out.
template <class Place, std::size_t Columns, class Keys, class UniqueKeys>
auto group_call_of(std::string_view call, Keys& keys, UniqueKeys& unique_keys, std::string_view name) {
  const auto from = as_view(keys);
  using key = typename decltype(from)::key_type;
  return group_call<Place, key, Columns>(call, view<const key>{from.keys, nullptr, from.size}, as_view(unique_keys),
                                         name);
}

/// The columns that parts of aggregates stand for, and what is checked of them.
template <class Values, class Op, class Results, class Call>
auto column_of(const operator_aggregate<Values, Op, Results>& part, Call& call, unsigned number) {
  using of = operator_aggregate<Values, Op, Results>;
  using arguments = group_column_arguments<typename of::value, typename of::result, Op>;
  static_assert(arguments::good);
  call.read({"values", number}, part.values);
  call.write({"results", number}, part.results);
  return operator_column<typename of::value, typename of::result, typename arguments::by>{
      operator_of<typename of::result>(part.op), part.values.keys, part.results.keys};
}
template <class Results, class Call>
auto column_of(const count_aggregate<Results>& part, Call& call, unsigned number) {
  call.write({"results", number}, part.results);
  return count_column<typename Results::key_type>{part.results.keys};
}
template <class Values, class Results, class Call>
auto column_of(const mean_aggregate<Values, Results>& part, Call& call, unsigned number) {
  call.read({"values", number}, part.values);
  call.write({"results", number}, part.results);
  return mean_column<typename Values::key_type, typename Results::key_type>{part.values.keys, part.results.keys};
}

/// What some columns gather, by positions of a type.
template <class Position, class First, class... Others>
columns_folding<Position, First, Others...> folding_of(const First& first, const Others&... others) {
  if constexpr (sizeof...(Others) == 0) {
    return {first};
  } else {
    return {first, folding_of<Position>(others...)};
  }
}

}  // namespace peneira::detail
