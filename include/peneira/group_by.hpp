// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group_by: combine the values of each key of an array by an operator, or several columns by several. distinct: the
// keys alone.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>

#include "peneira/aggregates.hpp"
#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/error.hpp"
#include "peneira/group_by/strategies.hpp"
#include "peneira/op.hpp"
#include "peneira/place.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// What the compiler can see of a call's keys.
template <class Place, class Keys, class UniqueKeys>
struct group_keys_arguments {
  using key = typename array_of<Keys>::key;
  static constexpr bool arrays =
      at_cpu<Place>::good && readable_column<Keys>::good && writable_column<UniqueKeys>::good;
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
  std::array<named_array, Columns + 2> arrays{};
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

/// A call that was checked, as what Folding gathers of it.
template <class Place, class K, class Folding>
std::size_t group_by_plan(Place& on, const group_request<K>& call, const typename Folding::moved* values,
                          const Folding& by, const group_by_options& options) {
  using moved = typename Folding::moved;
  group_by_problem problem;
  problem.items = call.keys.size;
  problem.room = call.room.size;
  problem.key_bytes = sizeof(K);
  problem.moved_bytes = view<K, moved>::has_values ? sizeof(moved) : 0;
  problem.entry_bytes = sizeof(group_entry<bits_of<K>, typename Folding::state>);
  problem.result_bytes = Folding::result_bytes;
  problem.results_move = Folding::results_move;
  problem.by_position = Folding::by_position;
  problem.groups = options.groups;
  const group_arrays<K, moved> given{call.keys.keys, values,    call.keys.size,    call.unique_keys.keys,
                                     call.room.size, call.name, call.room.argument};
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
    using chosen = group_by_strategies::sorted;
    if (options.strategy.empty() && chosen::is_small(given.items)) return chosen::run_small<K, Folding>(given, by);
  }
  std::size_t groups = 0;
  const auto choose = [&](const auto& machine) { return choose_group_by(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    if (given.items != 0) groups = chosen.template run<K, Folding>(there, decided, given, by);
  };
  plan_or_run<group_by_cpu_strategies>(call.name, on, problem, options.strategy, choose, run);
  return groups;
}

/// Calls use(Position{}) with what numbers so many items.
template <class Use>
std::size_t with_positions(std::size_t items, const Use& use) {
  return items <= std::numeric_limits<std::uint32_t>::max() ? use(std::uint32_t{}) : use(std::uint64_t{});
}

/// The keys of a call, as they are and as they go out.
template <class Place, std::size_t Columns, class Keys, class UniqueKeys>
auto group_call_of(std::string_view call, Keys& keys, UniqueKeys& unique_keys, std::string_view name) {
  const auto from = as_view(keys);
  using key = typename decltype(from)::key_type;
  return group_call<Place, key, Columns>(call, view<const key>{from.keys, nullptr, from.size}, as_view(unique_keys),
                                         name);
}

/// group_by of one column.
template <class Place, class Keys, class Values, class UniqueKeys, class Results, class Op>
std::size_t group_by_one(Place& on, Keys& keys, Values& values, UniqueKeys& unique_keys, Results& results,
                         const Op& given_op, const group_by_options& options) {
  const auto items = as_view(values);
  const auto out = as_view(results);
  using item = typename decltype(items)::key_type;
  using result = typename decltype(out)::key_type;
  auto call = group_call_of<Place, 2>("group_by", keys, unique_keys, "unique_keys");
  call.read({"values"}, items);
  call.write({"results"}, out);
  call.check();
  const auto op = operator_of<result>(given_op);
  using by = std::remove_cvref_t<decltype(op)>;
  if constexpr (has_lift<by, item>) {
    return with_positions(items.size, [&]<class Position>(Position /*type*/) {
      using column = operator_column<item, result, by>;
      const columns_folding<Position, column> folding{column{op, items.keys, out.keys}};
      return group_by_plan(on, call, nullptr, folding, options);
    });
  } else {
    const value_folding<item, result, by> folding{op, out.keys};
    return group_by_plan(on, call, items.keys, folding, options);
  }
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

/// group_by of several columns.
template <class Place, class Keys, class UniqueKeys, class... Parts>
std::size_t group_by_several(Place& on, Keys& keys, UniqueKeys& unique_keys, const aggregates<Parts...>& parts,
                             const group_by_options& options) {
  auto call = group_call_of<Place, 2 * sizeof...(Parts)>("group_by", keys, unique_keys, "unique_keys");
  unsigned number = 0;
  const auto next = [&] { return ++number; };
  const auto columns =
      std::apply([&](const auto&... part) { return std::tuple{column_of(part, call, next())...}; }, parts.parts);
  call.check();
  return with_positions(call.keys.size, [&]<class Position>(Position /*type*/) {
    const auto folding = std::apply([](const auto&... all) { return folding_of<Position>(all...); }, columns);
    return group_by_plan(on, call, nullptr, folding, options);
  });
}

}  // namespace detail

/// Combines the values of each key by `op`: writes every key that there is to `unique_keys`, once, and to `results`
/// what the values of its items come to. Returns how many groups there are.
///
/// `keys` and `values` are contiguous ranges, or items(pointer, n), of one size; keys lie in any order. `unique_keys`
/// and `results` have room for all groups, may have more, and lie apart from the input. Keys are those of sort: both
/// zeros are one key, +0, and all NaNs are one, behind all numbers. Values, results and `op` are as for reduce. A
/// group's items are combined in their order; of arg_min and arg_max the index is the position in `values`.
///
/// Groups come in ascending order of their keys; with {.groups = order::any} in an order that depends on the keys
/// alone, which is less work. The same call gives the same bits on every run, and on one kind of processor with any
/// number of threads. Sums of float and double are made in twice their precision, so they are closer than pairwise
/// ones.
///
/// Throws std::invalid_argument for arguments that cannot be right, and where there are more groups than room, with
/// their number; std::bad_alloc where the temporary memory cannot be had. Runs on the CPU.
///
/// ```cpp
/// std::vector<std::uint32_t> shop{7, 3, 7, 7}, shops(4);
/// std::vector<float> price{5, 20, 7.5, 2.5}, total(4);
/// const std::size_t n = pn::group_by(pn::cpu{}, shop, price, shops, total, pn::plus{});   // 2: 3 and 7; 20 and 15
/// ```
template <class Place, class Keys, class Values, class UniqueKeys, class Results, class Op>
requires place<std::remove_cvref_t<Place>>  //
    std::size_t group_by(Place&& on, Keys&& keys, Values&& values, UniqueKeys&& unique_keys, Results&& results,
                         const Op& op, const group_by_options& options = {}) {
  if constexpr (!detail::group_keys_arguments<Place, Keys, UniqueKeys>::good) {
  } else if constexpr (detail::readable_column<Values>::good && detail::writable_column<Results>::good) {
    using item = typename detail::array_of<Values>::key;
    using result = typename detail::array_of<Results>::key;
    if constexpr (detail::group_column_arguments<item, result, Op>::good) {
      return detail::group_by_one(on, keys, values, unique_keys, results, op, options);
    }
  }
  return 0;
}

/// The same with several results of several columns, in one pass over the keys: `parts` are aggregates{...} of
/// aggregate(values, op, results), count(results) and mean(values, results).
template <class Place, class Keys, class UniqueKeys, class... Parts>
requires place<std::remove_cvref_t<Place>>  //
    std::size_t group_by(Place&& on, Keys&& keys, UniqueKeys&& unique_keys, const aggregates<Parts...>& parts,
                         const group_by_options& options = {}) {
  if constexpr (detail::group_keys_arguments<Place, Keys, UniqueKeys>::good) {
    return detail::group_by_several(on, keys, unique_keys, parts, options);
  }
  return 0;
}

/// Writes every key of `in`, which lie in any order, to `out` once, and returns how many there are. Keys, order,
/// options and errors are those of group_by. Of keys that are sorted, or grouped, unique does the same with less work.
///
/// ```cpp
/// std::vector<std::int32_t> in{7, -3, 7, 7}, out(4);
/// const std::size_t n = pn::distinct(pn::cpu{}, in, out);                          // 2: -3 7
/// ```
template <class Place, class In, class Out>
requires place<std::remove_cvref_t<Place>>  //
    std::size_t distinct(Place&& on, In&& in, Out&& out, const group_by_options& options = {}) {
  if constexpr (detail::group_keys_arguments<Place, In, Out>::good) {
    using where = std::remove_reference_t<Place>;
    const auto call = detail::group_call_of<where, 0>("distinct", in, out, "out");
    call.check();
    return detail::group_by_plan(on, call, nullptr, detail::key_folding{}, options);
  }
  return 0;
}

using detail::without_place::distinct;
using detail::without_place::group_by;

}  // namespace peneira
