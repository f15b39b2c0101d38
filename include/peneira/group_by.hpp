// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group_by: combine the values of each key of an array by an operator, or several columns by several. distinct: the
// keys alone.
#pragma once

#include <limits>
#include <tuple>
#include <type_traits>

#include "peneira/aggregates.hpp"
#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/group_by/arguments.hpp"
#include "peneira/group_by/strategies.hpp"
#include "peneira/op.hpp"
#include "peneira/place.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// A call that was checked, as a plan sees it.
template <class Folding, class K>
group_by_problem group_problem_of(const group_request<K>& call, const group_by_options& options) {
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
  problem.state_bytes = sizeof(typename Folding::state);
  problem.keys_vary = is_float_key<K>;
  return problem;
}

/// A call on a CPU that was checked, as what Folding gathers of it. Returns how many groups there are.
template <class Place, class K, class Folding>
std::size_t group_by_plan(Place& on, const group_request<K>& call, const typename Folding::moved* values,
                          const Folding& by, const group_by_options& options) {
  using moved = typename Folding::moved;
  const group_by_problem problem = group_problem_of<Folding>(call, options);
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

/// The same on either place, with the number of groups in *count.
template <class Place, class K, class Folding, class Count>
void group_by_counted(Place& on, const group_request<K>& call, const typename Folding::moved* values, const Folding& by,
                      Count* count, const group_by_options& options) {
  if constexpr (is_cpu<std::remove_cvref_t<Place>>) {
    const std::size_t groups = group_by_plan(on, call, values, by, options);
    if constexpr (runs<Place>) *count = static_cast<Count>(groups);
  } else {
    const group_by_problem problem = group_problem_of<Folding>(call, options);
    const view<const K, const typename Folding::moved> in{call.keys.keys, values, call.keys.size};
    const auto choose = [&](const auto& machine) { return choose_group_by(problem, machine); };
    const auto run = [&](auto chosen, auto& there, const auto& decided) {
      chosen.template run<K, Folding>(there, decided, in, by, call.unique_keys.keys, count, call.room.size);
    };
    plan_or_run<group_by_gpu_strategies>(call.name, on, problem, options.strategy, choose, run);
  }
}

/// Calls use(Position{}) with what numbers so many items.
template <class Use>
auto with_positions(std::size_t items, const Use& use) {
  return items <= std::numeric_limits<std::uint32_t>::max() ? use(std::uint32_t{}) : use(std::uint64_t{});
}

/// group_by of one column.
template <class Place, class Keys, class Values, class UniqueKeys, class Results, class Op, class Count>
void group_by_one(Place& on, Keys& keys, Values& values, UniqueKeys& unique_keys, Results& results, const Op& given_op,
                  Count* count, const group_by_options& options) {
  const auto items = as_view(values);
  const auto out = as_view(results);
  using item = typename decltype(items)::key_type;
  using result = typename decltype(out)::key_type;
  auto call = group_call_of<Place, 2>("group_by", keys, unique_keys, "unique_keys");
  call.read({"values"}, items);
  call.write({"results"}, out);
  call.number(count);
  call.check();
  const auto op = operator_of<result>(given_op);
  using by = std::remove_cvref_t<decltype(op)>;
  if constexpr (has_lift<by, item>) {
    with_positions(items.size, [&]<class Position>(Position /*type*/) {
      using column = operator_column<item, result, by>;
      const columns_folding<Position, column> folding{column{op, items.keys, out.keys}};
      group_by_counted(on, call, nullptr, folding, count, options);
    });
  } else {
    const value_folding<item, result, by> folding{op, out.keys};
    group_by_counted(on, call, items.keys, folding, count, options);
  }
}

/// group_by of several columns.
template <class Place, class Keys, class UniqueKeys, class Count, class... Parts>
void group_by_several(Place& on, Keys& keys, UniqueKeys& unique_keys, const aggregates<Parts...>& parts, Count* count,
                      const group_by_options& options) {
  auto call = group_call_of<Place, 2 * sizeof...(Parts)>("group_by", keys, unique_keys, "unique_keys");
  unsigned number = 0;
  const auto next = [&] { return ++number; };
  const auto columns =
      std::apply([&](const auto&... part) { return std::tuple{column_of(part, call, next())...}; }, parts.parts);
  call.number(count);
  call.check();
  with_positions(call.keys.size, [&]<class Position>(Position /*type*/) {
    const auto folding = std::apply([](const auto&... all) { return folding_of<Position>(all...); }, columns);
    group_by_counted(on, call, nullptr, folding, count, options);
  });
}

}  // namespace detail

/// Combines the values of each key by `op`: writes every key that there is to `unique_keys`, once, to `results` what
/// the values of its items come to, and to *count how many groups there are, which lives at the place: in device memory
/// for a GPU, where nothing blocks.
///
/// `keys` and `values` are contiguous ranges, or items(pointer, n), of one size; keys lie in any order. `unique_keys`
/// and `results` have room for all groups, may have more, and lie apart from the input. Keys are those of sort: both
/// zeros are one key, +0, and all NaNs are one, behind all numbers. Values, results and `op` are as for reduce. A
/// group's items are combined in their order; of arg_min and arg_max the index is the position in `values`.
///
/// Groups come in ascending order of their keys; with {.groups = order::any} in an order that depends on the keys
/// alone, which on a CPU is less work. The same call gives the same bits on every run, and on one kind of processor
/// with any number of threads. Sums of float and double are made in twice their precision, so they are closer than
/// pairwise ones.
///
/// Throws std::invalid_argument for arguments that cannot be right, and on the CPU where there are more groups than
/// room, with their number; on a GPU those beyond it are not written, and *count tells. std::bad_alloc where the
/// temporary memory cannot be had.
///
/// ```cpp
/// std::vector<std::uint32_t> shop{7, 3, 7, 7}, shops(4);
/// std::vector<float> price{5, 20, 7.5, 2.5}, total(4);
/// std::uint64_t n = 0;
/// pn::group_by(pn::cpu{}, shop, price, shops, total, pn::plus{}, &n);              // 2: 3 and 7; 20 and 15
/// ```
template <class Place, class Keys, class Values, class UniqueKeys, class Results, class Op, class Count>
requires place<std::remove_cvref_t<Place>>
void group_by(Place&& on, Keys&& keys, Values&& values, UniqueKeys&& unique_keys, Results&& results, const Op& op,
              Count* count, const group_by_options& options = {}) {
  if constexpr (!detail::group_keys_arguments<Place, Keys, UniqueKeys>::good) {
  } else if constexpr (detail::readable_column<Values>::good && detail::writable_column<Results>::good) {
    using item = typename detail::array_of<Values>::key;
    using result = typename detail::array_of<Results>::key;
    if constexpr (detail::group_column_arguments<item, result, Op>::good) {
      detail::group_by_one(on, keys, values, unique_keys, results, op, count, options);
    }
  }
}

/// The same, and returns how many groups there are: on the CPU alone, since a call on a GPU does not wait.
///
/// ```cpp
/// std::vector<std::uint32_t> shop{7, 3, 7, 7}, shops(4);
/// std::vector<float> price{5, 20, 7.5, 2.5}, total(4);
/// const std::size_t n = pn::group_by(pn::cpu{}, shop, price, shops, total, pn::plus{});   // 2: 3 and 7; 20 and 15
/// ```
template <class Place, class Keys, class Values, class UniqueKeys, class Results, class Op>
requires place<std::remove_cvref_t<Place>> &&(!detail::is_aggregates<std::remove_cvref_t<UniqueKeys>>)  //
    std::size_t group_by(Place&& on, Keys&& keys, Values&& values, UniqueKeys&& unique_keys, Results&& results,
                         const Op& op, const group_by_options& options = {}) {
  std::size_t groups = 0;
  if constexpr (detail::returns_count<Place>::good) {
    group_by(on, keys, values, static_cast<UniqueKeys&&>(unique_keys), static_cast<Results&&>(results), op, &groups,
             options);
  }
  return groups;
}

/// The same with several results of several columns, in one pass over the keys: `parts` are aggregates{...} of
/// aggregate(values, op, results), count(results) and mean(values, results).
template <class Place, class Keys, class UniqueKeys, class Count, class... Parts>
requires place<std::remove_cvref_t<Place>>
void group_by(Place&& on, Keys&& keys, UniqueKeys&& unique_keys, const aggregates<Parts...>& parts, Count* count,
              const group_by_options& options = {}) {
  if constexpr (detail::group_keys_arguments<Place, Keys, UniqueKeys>::good) {
    detail::group_by_several(on, keys, unique_keys, parts, count, options);
  }
}

/// The same, and returns how many groups there are: on the CPU alone.
template <class Place, class Keys, class UniqueKeys, class... Parts>
requires place<std::remove_cvref_t<Place>>  //
    std::size_t group_by(Place&& on, Keys&& keys, UniqueKeys&& unique_keys, const aggregates<Parts...>& parts,
                         const group_by_options& options = {}) {
  std::size_t groups = 0;
  if constexpr (detail::returns_count<Place>::good) {
    group_by(on, keys, static_cast<UniqueKeys&&>(unique_keys), parts, &groups, options);
  }
  return groups;
}

/// Writes every key of `in`, which lie in any order, to `out` once, and to *count how many there are. Keys, order,
/// options and errors are those of group_by. Of keys that are sorted, or grouped, unique does the same with less work.
///
/// ```cpp
/// std::vector<std::int32_t> in{7, -3, 7, 7}, out(4);
/// std::uint64_t n = 0;
/// pn::distinct(pn::cpu{}, in, out, &n);                                            // 2: -3 7
/// ```
template <class Place, class In, class Out, class Count>
requires place<std::remove_cvref_t<Place>>
void distinct(Place&& on, In&& in, Out&& out, Count* count, const group_by_options& options = {}) {
  if constexpr (detail::group_keys_arguments<Place, In, Out>::good) {
    using where = std::remove_reference_t<Place>;
    auto call = detail::group_call_of<where, 0>("distinct", in, out, "out");
    call.number(count);
    call.check();
    detail::group_by_counted(on, call, nullptr, detail::key_folding{}, count, options);
  }
}

/// The same, and returns how many there are: on the CPU alone.
///
/// ```cpp
/// std::vector<std::int32_t> in{7, -3, 7, 7}, out(4);
/// const std::size_t n = pn::distinct(pn::cpu{}, in, out);                          // 2: -3 7
/// ```
template <class Place, class In, class Out>
requires place<std::remove_cvref_t<Place>>  //
    std::size_t distinct(Place&& on, In&& in, Out&& out, const group_by_options& options = {}) {
  std::size_t groups = 0;
  if constexpr (detail::returns_count<Place>::good) distinct(on, in, static_cast<Out&&>(out), &groups, options);
  return groups;
}

using detail::without_place::distinct;
using detail::without_place::group_by;

}  // namespace peneira
