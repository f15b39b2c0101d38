// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Several results of several columns, for group_by to make in one pass over the keys.
#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/op.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// A column of values, an operator, and where the results go.
template <class Values, class Op, class Results>
struct operator_aggregate {
  using value = typename Values::key_type;
  using result = typename Results::key_type;
  Values values;
  Op op;
  Results results;
};
/// Where the numbers of items go.
template <class Results>
struct count_aggregate {
  using result = typename Results::key_type;
  Results results;
};
/// A column of values, and where their means go.
template <class Values, class Results>
struct mean_aggregate {
  using value = typename Values::key_type;
  using result = typename Results::key_type;
  Values values;
  Results results;
};

template <class T>
inline constexpr bool is_aggregate = false;
template <class Values, class Op, class Results>
inline constexpr bool is_aggregate<operator_aggregate<Values, Op, Results>> = true;
template <class Results>
inline constexpr bool is_aggregate<count_aggregate<Results>> = true;
template <class Values, class Results>
inline constexpr bool is_aggregate<mean_aggregate<Values, Results>> = true;

}  // namespace detail

/// One result a group of aggregates: `op` combines the group's `values`, as group_by does it with one column.
template <class Values, class Op, class Results>
auto aggregate(const Values& values, const Op& op, Results&& results) {
  static_assert(detail::readable_column<const Values&>::good && detail::writable_column<Results>::good);
  const auto from = detail::as_view(values);
  const auto to = detail::as_view(results);
  return detail::operator_aggregate<decltype(from), Op, decltype(to)>{from, op, to};
}

/// One result a group of aggregates: how many items it has, as an integer of 32 or 64 bits.
template <class Results>
auto count(Results&& results) {
  static_assert(detail::writable_column<Results>::good);
  const auto to = detail::as_view(results);
  using number = typename decltype(to)::key_type;
  static_assert(std::is_integral_v<number> && sizeof(number) >= 4, "count: results are integers of 32 or 64 bits");
  return detail::count_aggregate<decltype(to)>{to};
}

/// One result a group of aggregates: the mean of its `values`, summed as doubles of twice their precision.
template <class Values, class Results>
auto mean(const Values& values, Results&& results) {
  static_assert(detail::readable_column<const Values&>::good && detail::writable_column<Results>::good);
  const auto from = detail::as_view(values);
  const auto to = detail::as_view(results);
  static_assert(std::is_arithmetic_v<typename decltype(from)::key_type>, "mean: values are numbers");
  static_assert(std::is_floating_point_v<typename decltype(to)::key_type>, "mean: results are float or double");
  return detail::mean_aggregate<decltype(from), decltype(to)>{from, to};
}

/// Several results of a group_by: any number of aggregate, count and mean.
///
/// ```cpp
/// std::vector<std::uint32_t> shop{7, 3, 7}, shops(3), sales(3);
/// std::vector<float> price{5, 20, 7.5};
/// std::vector<double> total(3), average(3);
/// const std::size_t n = pn::group_by(pn::cpu{}, shop, shops,
///                                    pn::aggregates{pn::aggregate(price, pn::plus{}, total), pn::count(sales),
///                                                   pn::mean(price, average)});       // 2: shops 3 and 7
/// ```
template <class... Parts>
struct aggregates {
  std::tuple<Parts...> parts;  ///< what aggregate, count and mean returned

  /// Of at least one part.
  explicit aggregates(Parts... all) : parts(all...) {
    static_assert(sizeof...(Parts) != 0 && (detail::is_aggregate<Parts> && ...),
                  "aggregates: its parts are made by pn::aggregate, pn::count and pn::mean");
  }
};

namespace detail {

template <class T>
inline constexpr bool is_aggregates = false;
template <class... Parts>
inline constexpr bool is_aggregates<aggregates<Parts...>> = true;

}  // namespace detail

}  // namespace peneira
