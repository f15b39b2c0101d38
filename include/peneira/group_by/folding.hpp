// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a group gathers of its items, one after the other, and how two that were gathered apart are merged. Sums of
// floats are kept in twice their precision, so that a loop over the items is closer than a pairwise sum: float in a
// double, double in two of them, of which the second has what the first had to round away. The same on every place.
#pragma once

#include <type_traits>

#include "peneira/ops.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Two doubles whose sum is the value.
struct double_sum {
  double high;
  double low;
};

/// What is gathered by an operator: results themselves, in their order.
template <class Op, class Result>
struct gathering {
  using state = Result;
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  PENEIRA_HD static state nothing(const Op& op) {
    return op.template identity<Result>();
  }
  PENEIRA_HD static state first(const Op& /*op*/, const Result& x) {
    return x;
  }
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  PENEIRA_HD static void add(const Op& op, state& to, const Result& x) {
    to = op(to, x);
  }
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  PENEIRA_HD static void merge(const Op& op, state& to, const state& from) {
    to = op(to, from);
  }
  PENEIRA_HD static Result result(const state& from) {
    return from;
  }
};
template <>
struct gathering<plus, float> {
  using state = double;
  PENEIRA_HD static state nothing(const plus& /*op*/) { return -0.0; }  // which leaves -0 as it is
  PENEIRA_HD static state first(const plus& /*op*/, float x) { return x; }
  PENEIRA_HD static void add(const plus& /*op*/, state& to, float x) { to += x; }
  PENEIRA_HD static void merge(const plus& /*op*/, state& to, state from) { to += from; }
  PENEIRA_HD static float result(state from) { return static_cast<float>(from); }
};
template <>
struct gathering<plus, double> {
  using state = double_sum;
  PENEIRA_HD static state nothing(const plus& /*op*/) { return {-0.0, 0}; }
  PENEIRA_HD static state first(const plus& /*op*/, double x) { return {x, 0}; }
  PENEIRA_HD static void add(const plus& /*op*/, state& to, double x) {
    const double sum = to.high + x;
    const double part = sum - to.high;
    to.low += (to.high - (sum - part)) + (x - part);  // exactly what the sum has rounded away
    to.high = sum;
  }
  PENEIRA_HD static void merge(const plus& op, state& to, const state& from) {
    add(op, to, from.high);
    to.low += from.low;
  }
  PENEIRA_HD static double result(const state& from) {
    const double sum = from.high + from.low;
    const bool is_finite = sum - sum == 0;
    return is_finite ? sum : from.high;  // of infinity, what was rounded away is no number
  }
};

/// Whether an operator makes something of an item and its position.
template <class Op, class T>
inline constexpr bool has_lift = requires(const Op& op, const T& item) {
  op.lift(item, std::uint64_t{});
};

/// One result of one column, whose items move with their keys.
template <class T, class Result, class Op>
struct value_folding {
  using moved = T;
  using by = gathering<Op, Result>;
  using state = typename by::state;
  static constexpr bool by_position = false;
  static constexpr bool results_move = sizeof(Result) <= 16;
  static constexpr std::size_t result_bytes = sizeof(Result);
  static constexpr bool commutative = is_commutative<Op>;

  Op op;
  Result* results;

  [[nodiscard]] PENEIRA_HD state nothing() const { return by::nothing(op); }
  [[nodiscard]] PENEIRA_HD state first(const T& item) const { return by::first(op, static_cast<Result>(item)); }
  PENEIRA_HD void add(state& to, const T& item) const { by::add(op, to, static_cast<Result>(item)); }
  PENEIRA_HD void merge(state& to, const state& from) const { by::merge(op, to, from); }
  PENEIRA_HD void write(std::size_t at, const state& from) const { results[at] = by::result(from); }
  /// Keys of groups with their results, to be sorted.
  template <class K>
  view<K, Result> with_keys(K* keys, std::size_t groups) const {
    return {keys, results, groups};
  }
};

/// No result: the groups' keys are all that is wanted.
struct key_folding {
  using moved = no_value;
  struct state {};
  static constexpr bool by_position = false;
  static constexpr bool results_move = true;
  static constexpr std::size_t result_bytes = 0;
  static constexpr bool commutative = true;

  PENEIRA_HD static state nothing() { return {}; }
  PENEIRA_HD static state first(no_value /*item*/) { return {}; }
  PENEIRA_HD static void add(state& /*to*/, no_value /*item*/) {}
  PENEIRA_HD static void merge(state& /*to*/, state /*from*/) {}
  PENEIRA_HD static void write(std::size_t /*at*/, state /*from*/) {}
  template <class K>
  static view<K> with_keys(K* keys, std::size_t groups) {
    return {keys, nullptr, groups};
  }
};

/// What some columns gather, side by side.
template <class First, class... Others>
struct column_states {
  typename First::state one;
  column_states<Others...> others;
};
template <class Last>
struct column_states<Last> {
  typename Last::state one;
};

/// Results of any columns, which are read where a position says. A column has nothing, first, add, merge and write as
/// this has.
template <class Position, class First, class... Others>
struct columns_folding {
  using moved = Position;
  using state = column_states<First, Others...>;
  static constexpr bool by_position = true;
  static constexpr bool results_move = false;
  static constexpr std::size_t result_bytes = 0;
  static constexpr bool commutative = First::commutative && columns_folding<Position, Others...>::commutative;

  First column;
  columns_folding<Position, Others...> others;

  [[nodiscard]] PENEIRA_HD state nothing() const { return {column.nothing(), others.nothing()}; }
  [[nodiscard]] PENEIRA_HD state first(Position position) const {
    return {column.first(position), others.first(position)};
  }
  PENEIRA_HD void add(state& to, Position position) const {
    column.add(to.one, position);
    others.add(to.others, position);
  }
  PENEIRA_HD void merge(state& to, const state& from) const {
    column.merge(to.one, from.one);
    others.merge(to.others, from.others);
  }
  PENEIRA_HD void write(std::size_t at, const state& from) const {
    column.write(at, from.one);
    others.write(at, from.others);
  }
};
template <class Position, class Last>
struct columns_folding<Position, Last> {
  using moved = Position;
  using state = column_states<Last>;
  static constexpr bool by_position = true;
  static constexpr bool results_move = false;
  static constexpr std::size_t result_bytes = 0;
  static constexpr bool commutative = Last::commutative;

  Last column;

  [[nodiscard]] PENEIRA_HD state nothing() const { return {column.nothing()}; }
  [[nodiscard]] PENEIRA_HD state first(Position position) const { return {column.first(position)}; }
  PENEIRA_HD void add(state& to, Position position) const { column.add(to.one, position); }
  PENEIRA_HD void merge(state& to, const state& from) const { column.merge(to.one, from.one); }
  PENEIRA_HD void write(std::size_t at, const state& from) const { column.write(at, from.one); }
};

/// A column of columns_folding: an operator over values.
template <class T, class Result, class Op>
struct operator_column {
  using by = gathering<Op, Result>;
  using state = typename by::state;
  static constexpr bool commutative = is_commutative<Op>;

  Op op;
  const T* values;
  Result* results;

  [[nodiscard]] PENEIRA_HD state nothing() const { return by::nothing(op); }
  [[nodiscard]] PENEIRA_HD state first(std::uint64_t position) const { return by::first(op, item(position)); }
  PENEIRA_HD void add(state& to, std::uint64_t position) const { by::add(op, to, item(position)); }
  PENEIRA_HD void merge(state& to, const state& from) const { by::merge(op, to, from); }
  PENEIRA_HD void write(std::size_t at, const state& from) const { results[at] = by::result(from); }

 private:
  [[nodiscard]] PENEIRA_HD Result item(std::uint64_t position) const {
    return lifted<Result>(op, values[position], position);
  }
};

/// How many items a group has.
template <class Result>
struct count_column {
  using state = std::uint64_t;
  static constexpr bool commutative = true;

  Result* results;

  PENEIRA_HD static state nothing() { return 0; }
  PENEIRA_HD static state first(std::uint64_t /*position*/) { return 1; }
  PENEIRA_HD static void add(state& to, std::uint64_t /*position*/) { ++to; }
  PENEIRA_HD static void merge(state& to, state from) { to += from; }
  PENEIRA_HD void write(std::size_t at, state from) const { results[at] = static_cast<Result>(from); }
};

/// The sum of a group's values by their number.
template <class T, class Result>
struct mean_column {
  using by = gathering<plus, double>;
  struct state {
    double_sum sum;
    std::uint64_t count;
  };
  static constexpr bool commutative = true;

  const T* values;
  Result* results;

  [[nodiscard]] PENEIRA_HD static state nothing() { return {by::nothing({}), 0}; }
  [[nodiscard]] PENEIRA_HD state first(std::uint64_t position) const {
    return {by::first({}, static_cast<double>(values[position])), 1};
  }
  PENEIRA_HD void add(state& to, std::uint64_t position) const {
    by::add({}, to.sum, static_cast<double>(values[position]));
    ++to.count;
  }
  PENEIRA_HD void merge(state& to, const state& from) const {
    by::merge({}, to.sum, from.sum);
    to.count += from.count;
  }
  PENEIRA_HD void write(std::size_t at, const state& from) const {
    results[at] = static_cast<Result>(by::result(from.sum) / static_cast<double>(from.count));
  }
};

}  // namespace peneira::detail
