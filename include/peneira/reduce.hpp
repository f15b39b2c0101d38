// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// reduce: combine all items of an array by an operator.
#pragma once

#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/error.hpp"
#include "peneira/op.hpp"
#include "peneira/ops.hpp"
#include "peneira/place.hpp"
#include "peneira/reduce/strategies.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// reduce by a plan, of arguments that were checked. Apart from the call, so that one of few items is short.
template <class List, class T, class Place, class Result, class Op>
[[gnu::noinline]] void reduce_by_plan(Place& on, const T* in, Result* result, const Op& op,
                                      const reduce_problem& problem, std::string_view strategy) {
  const auto choose = [&](const auto& machine) { return choose_reduce(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    if constexpr (monoid<Op, Result>) {  // or else the compiler would say much more than the sentence below
      chosen.template run<T, Result>(there, decided, in, problem.items, result, op);
    }
  };
  plan_or_run<List>("reduce", on, problem, strategy, choose, run);
}

/// reduce by the strategies of a list.
template <class List, class Place, class In, class Result, class Op>
void reduce_by(Place& on, In& in, Result* result, const Op& given, const reduce_options& options) {
  const auto from = as_view(in);
  const auto& op = operator_of<Result>(given);
  using by = std::remove_cvref_t<decltype(op)>;
  using item = typename decltype(from)::key_type;
  static_assert(std::is_trivially_copyable_v<item> && sizeof(item) <= 16,
                "reduce: items are trivially copyable and of 1 to 16 bytes");
  static_assert(std::is_trivially_copyable_v<Result> && sizeof(Result) <= 32,
                "reduce: the result is trivially copyable and of 1 to 32 bytes");
  static_assert(monoid<by, Result>,
                "reduce: op must combine two results and have identity<Result>(), as pn::plus has; pn::op{identity, f} "
                "makes one of a function, and std::plus<> and its like will do");

  check_address<Place>("reduce", "in", from.keys, from.size);
  check_address<Place>("reduce", "result", result, 1);
  if (overlap(from.keys, from.size * sizeof(item), result, sizeof(Result))) {
    reject("reduce", "result", "overlaps the items");
  }
  const reduce_problem problem{from.size, sizeof(item), sizeof(Result), is_commutative<by>, options.grouping};
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu> && monoid<by, Result>) {
    if (options.strategy.empty() && reduce_strategies::slices::is_small(problem)) {  // what the plan would say
      *result = reduce_few<Result>(from.keys, from.size, op);
      return;
    }
  }
  reduce_by_plan<List, item>(on, from.keys, result, op, problem, options.strategy);
}

}  // namespace detail

/// Combines all items of `in` by `op` and writes the result to *result, which lives at the place: in host memory for a
/// CPU, in device memory for a GPU, where nothing blocks. No items give the operator's identity.
///
/// `in` is a contiguous range or items(pointer, n), of trivially copyable items of 1 to 16 bytes. The result's type is
/// what items are converted to before they are combined, so it may be wider: a sum of bytes goes into a std::uint64_t.
/// `op` is a monoid on it (ops.hpp); one that does not say that it is commutative gets the items in their order.
///
/// The same call gives the same bits on every run, and on one kind of processor with any number of threads, unless the
/// options allow any grouping. Sums of floats on the CPU are at least as close as pairwise ones.
///
/// Throws std::invalid_argument for arguments that cannot be right (a null pointer, a result that overlaps the items),
/// and std::bad_alloc where the temporary memory cannot be had.
///
/// ```cpp
/// std::vector<std::uint8_t> bytes{200, 100, 50};
/// std::uint64_t sum = 0;
/// pn::reduce(pn::cpu{}, bytes, &sum, pn::plus{});                                  // 350
/// pn::indexed<std::uint8_t> least{};
/// pn::reduce(pn::cpu{}, bytes, &least, pn::arg_min{});                             // 50, at 2
/// ```
template <class Place, class In, class Result, class Op>
requires place<std::remove_cvref_t<Place>>
void reduce(Place&& on, In&& in, Result* result, const Op& op, const reduce_options& options = {}) {
  using list =
      std::conditional_t<detail::is_cpu<std::remove_cvref_t<Place>>, reduce_cpu_strategies, reduce_gpu_strategies>;
  if constexpr (detail::at_place<Place>::good && detail::readable_column<In>::good) {
    detail::reduce_by<list>(on, in, result, op, options);
  }
}

/// The same, and returns the result: on the CPU alone, since a call on a GPU does not wait. Its type is what the
/// operator makes of an item (arg_min: indexed<T>) or else the item's own, as with std::reduce; another is chosen by
/// naming it.
///
/// ```cpp
/// std::vector<std::uint8_t> bytes{200, 100, 50};
/// const auto most = pn::reduce(pn::cpu{}, bytes, pn::max{});                       // a std::uint8_t
/// const auto sum = pn::reduce<std::uint64_t>(pn::cpu{}, bytes, std::plus<>{});     // 350, which no byte could hold
/// const auto least = pn::reduce(pn::cpu{}, bytes, pn::arg_min{});                  // least.value at least.index
/// ```
template <class Result = void, class Place, class In, class Op>
requires place<std::remove_cvref_t<Place>>
auto reduce(Place&& on, In&& in, const Op& op, const reduce_options& options = {}) {
  constexpr bool here = detail::is_cpu<std::remove_cvref_t<Place>>;
  static_assert(here,
                "reduce: on a GPU the result is written to device memory when its turn comes, and cannot be returned: "
                "pass a pointer to it, as in pn::reduce(on, in, result, op)");
  if constexpr (here && detail::readable_column<In>::good) {
    using item = typename decltype(detail::as_view(in))::key_type;
    using natural = typename decltype(detail::natural_result<Op, item>())::type;
    std::conditional_t<std::is_void_v<Result>, natural, Result> result{};
    reduce(on, in, &result, op, options);
    return result;
  }
}

/// A result that is no pointer, as it is where one would write a reference: this one says so.
template <class Place, class In, class Result, class Op>
requires place<std::remove_cvref_t<Place>> &&
    (!std::is_pointer_v<std::decay_t<Result>> && !std::is_convertible_v<const Op&, const reduce_options&>)  //
    void reduce(Place&& /*on*/, In&& /*in*/, Result&& /*result*/, const Op& /*op*/,
                const reduce_options& /*options*/ = {}) {
  static_assert(std::is_pointer_v<std::decay_t<Result>>, "reduce: the result is a pointer to what is written: &result");
}

using detail::without_place::reduce;

}  // namespace peneira
