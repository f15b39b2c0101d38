// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators are monoids: an associative function and its identity. Yours need only the same two members. Two more
// are optional: `commutative = true` lets a call combine items in whatever order is fast, and lift(item, index) makes
// what is combined out of an item and its position, where a conversion will not do. op.hpp makes one of a function.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "peneira/config.hpp"

namespace peneira {

/// An associative operator on T with an identity: op(identity<T>(), x) == x. One of yours may also say `commutative =
/// true`, so that items are combined in whatever order is fast, and have lift(item, index), which makes what is
/// combined out of an item and its position, where a conversion will not do. pn::op makes one of a function, and calls
/// take std::plus<>, std::multiplies<>, std::bit_and<>, std::logical_or<> and their like for those here.
///
/// ```cpp
/// struct gcd {
///   static constexpr bool commutative = true;
///   PENEIRA_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
///     return b == 0 ? a : (*this)(b, a % b);
///   }
///   template <class T>
///   PENEIRA_HD static T identity() { return 0; }
/// };
/// // pn::reduce(on, numbers, &result, gcd{});
/// ```
template <class Op, class T>
concept monoid = requires(const Op op, T a, T b) {
  { op(a, b) } -> std::convertible_to<T>;
  { op.template identity<T>() } -> std::convertible_to<T>;
};

namespace detail {

/// The ends of a type, infinite where it has infinities; constants, which a device may read.
template <class T>
inline constexpr T greatest = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                   : std::numeric_limits<T>::max();
template <class T>
inline constexpr T least = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                : std::numeric_limits<T>::lowest();

/// Whether a value is not equal to itself, as NaN is not; never of integers, nor where it cannot be compared.
template <class T>
PENEIRA_HD constexpr bool is_nan(const T& x) {
  if constexpr (!std::is_integral_v<T> && requires {
                  { x != x } -> std::convertible_to<bool>;  // NOLINT(misc-redundant-expression)
                }) {
    return x != x;  // NOLINT(misc-redundant-expression)
  } else {
    return false;
  }
}

/// An integer as what wraps around where its own type, or what it is promoted to, would overflow; anything else as is.
template <class T>
PENEIRA_HD constexpr decltype(auto) wrapping(const T& x) {
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<std::make_unsigned_t<std::common_type_t<T, int>>>(x);
  } else {
    return (x);
  }
}

/// What commutative operators with a number as their identity have in common.
template <int Identity>
struct from_identity {
  static constexpr bool commutative = true;
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return T(Identity);
  }
};
/// The same of operators that ask of an item only whether it is true.
template <int Identity>
struct of_truth : from_identity<Identity> {
  template <class T>
  PENEIRA_HD static constexpr bool lift(const T& item, std::uint64_t /*index*/) {
    return static_cast<bool>(item);
  }
};

}  // namespace detail

/// a + b; of nothing, 0. The result's type must hold the sum, or integers wrap around: std::uint64_t for many integers
/// of 32 bits.
struct plus : detail::from_identity<0> {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(detail::wrapping(a) + detail::wrapping(b));
  }
};

/// a * b; of nothing, 1. Integers wrap around.
struct multiplies : detail::from_identity<1> {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(detail::wrapping(a) * detail::wrapping(b));
  }
};

/// The smaller, and NaN if one of them is: so of items with a NaN, as in numpy. Of nothing, the type's greatest value
/// (infinity where there is one).
struct min {
  static constexpr bool commutative = true;
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return b < a || detail::is_nan(b) ? b : a;
  }
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return detail::greatest<T>;
  }
};

/// The greater, and NaN if one of them is: so of items with a NaN, as in numpy. Of nothing, the type's lowest value
/// (minus infinity where there is one).
struct max {
  static constexpr bool commutative = true;
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return a < b || detail::is_nan(b) ? b : a;
  }
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return detail::least<T>;
  }
};

/// a & b; of nothing, all bits set.
struct bit_and {
  static constexpr bool commutative = true;
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a & b);
  }
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return static_cast<T>(~T(0));
  }
};

/// a | b; of nothing, no bit set.
struct bit_or : detail::from_identity<0> {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a | b);
  }
};

/// a ^ b; of nothing, no bit set.
struct bit_xor : detail::from_identity<0> {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a ^ b);
  }
};

/// Whether all items are true; of nothing, true.
struct logical_and : detail::of_truth<1> {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a && b);
  }
};

/// Whether any item is true; of nothing, false.
struct logical_or : detail::of_truth<0> {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a || b);
  }
};

/// An item and its position in the input: the result of arg_min and arg_max.
template <class T>
struct indexed {
  using value_type = T;                                     ///< of the items
  static constexpr std::uint64_t none = ~std::uint64_t{0};  ///< the index where there were no items

  T value;              ///< the item
  std::uint64_t index;  ///< its position in the whole input

  friend constexpr bool operator==(const indexed&, const indexed&) = default;
};

namespace detail {

/// The better item by Better, and of equal ones the first; NaN is better than any number.
template <class Better>
struct arg_best {
  static constexpr bool commutative = true;
  template <class T>
  PENEIRA_HD constexpr indexed<T> operator()(const indexed<T>& a, const indexed<T>& b) const {
    const bool b_first = b.index < a.index;
    const bool b_wins = wins(b.value, a.value) || (b_first && !wins(a.value, b.value));
    return b_wins ? b : a;
  }
  template <class Indexed>
  PENEIRA_HD static constexpr Indexed identity() {
    return {Better::template identity<typename Indexed::value_type>(), Indexed::none};
  }
  template <class T>
  PENEIRA_HD static constexpr indexed<T> lift(const T& item, std::uint64_t index) {
    return {item, index};
  }

 private:
  template <class T>
  PENEIRA_HD static constexpr bool wins(const T& a, const T& b) {
    return Better::better(a, b) || (is_nan(a) && !is_nan(b));
  }
};

struct less_is_better : min {
  template <class T>
  PENEIRA_HD static constexpr bool better(const T& a, const T& b) {
    return a < b;
  }
};
struct more_is_better : max {
  template <class T>
  PENEIRA_HD static constexpr bool better(const T& a, const T& b) {
    return b < a;
  }
};

}  // namespace detail

/// The smallest item and its position, the first of equal ones; if there is a NaN, the first of these. The result is
/// indexed<T>.
struct arg_min : detail::arg_best<detail::less_is_better> {};
/// The greatest item and its position, the first of equal ones; if there is a NaN, the first of these. The result is
/// indexed<T>.
struct arg_max : detail::arg_best<detail::more_is_better> {};

namespace detail {

/// Whether an operator says that the order of its arguments does not matter.
template <class Op>
inline constexpr bool is_commutative = requires {
  requires Op::commutative;
};

/// What an operator combines, made of the item at an index.
template <class Result, class Op, class T>
PENEIRA_HD constexpr Result lifted(const Op& op, const T& item, std::uint64_t index) {
  if constexpr (requires { op.lift(item, index); }) {
    return static_cast<Result>(op.lift(item, index));
  } else {
    return static_cast<Result>(item);
  }
}

}  // namespace detail
}  // namespace peneira
