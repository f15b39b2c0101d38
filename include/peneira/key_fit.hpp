// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of one type against bounds of another. Integers of any two types are compared as the numbers that they are;
// what a comparison would have to round is refused when it is compiled.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "peneira/config.hpp"

namespace peneira::detail {

/// The integer behind an enum; any other type is its own.
template <class T>
struct number_behind {
  using type = T;
};
template <class T>
requires std::is_enum_v<T>
struct number_behind<T> {
  using type = std::underlying_type_t<T>;
};
template <class T>
using number_of = typename number_behind<std::remove_cv_t<T>>::type;

/// A key, which may be an enum, as its number.
template <class T>
PENEIRA_HD constexpr number_of<T> as_number(const T& key) {
  return static_cast<number_of<T>>(key);
}

template <class T>
inline constexpr bool is_integer = std::is_integral_v<number_of<T>> && sizeof(T) <= 8;
template <class T>
inline constexpr bool is_float = std::is_floating_point_v<T>;

/// Whether every From is a To, exactly.
template <class From, class To>
inline constexpr bool holds_all = [] {
  using from = number_of<From>;
  if constexpr (is_integer<From> && is_integer<To>) {
    return (std::is_unsigned_v<from> || std::is_signed_v<To>)&&std::numeric_limits<from>::digits <=
           std::numeric_limits<To>::digits;
  } else if constexpr ((is_integer<From> || is_float<From>)&&is_float<To>) {
    return std::numeric_limits<from>::digits <= std::numeric_limits<To>::digits;
  } else {
    return false;
  }
}();

template <class T>
PENEIRA_HD constexpr bool is_negative(T number) {
  if constexpr (std::is_signed_v<T>) {
    return number < 0;
  } else {
    return false;
  }
}

/// Whether a comes before b, as numbers, whatever their types.
template <class A, class B>
PENEIRA_HD constexpr bool number_less(A a, B b) {
  if constexpr (is_integer<A> && is_integer<B>) {
    if (is_negative(a) != is_negative(b)) return is_negative(a);
    return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
  } else if constexpr (is_integer<A> || is_integer<B>) {
    return static_cast<double>(a) < static_cast<double>(b);
  } else {
    return a < b;
  }
}

/// Keys of type T for ranges<Bound>.
template <class T, class Bound>
struct range_key {
  static_assert(!(is_float<T> && is_integer<Bound>),
                "ranges: the keys are floating-point, but lo and hi are integers: give lo and hi the type of the keys");
  static_assert(!(is_float<T> && is_float<Bound>) || holds_all<T, Bound>,
                "ranges: the keys are wider than lo and hi: give lo and hi the type of the keys");
  static_assert(!(is_integer<T> && is_float<Bound>) || holds_all<T, Bound>,
                "ranges: lo and hi are floating-point and cannot hold all keys: give them the type of the keys");
  static_assert(is_integer<T> || is_float<T> || std::is_convertible_v<T, Bound>,
                "ranges: keys are integers, enums or floating-point numbers");

  /// Every key is a Bound.
  static constexpr bool converts = std::is_same_v<T, Bound> || holds_all<T, Bound> ||
                                   (!is_integer<T> && !is_float<T> && std::is_convertible_v<T, Bound>);
  static constexpr bool good = converts || (is_integer<T> && is_integer<Bound>);
};

/// Keys of type T for splitters<Bound>.
template <class T, class Bound>
struct splitter_key {
  static constexpr bool is_number = (is_integer<T> || is_float<T>)&&(is_integer<Bound> || is_float<Bound>);
  static constexpr bool exact = is_integer<T> == is_integer<Bound> || (is_integer<T> && holds_all<T, double>) ||
                                (is_integer<Bound> && holds_all<Bound, double>);
  static constexpr bool ordered = requires(const T& key, const Bound& bound) {
    { key < bound } -> std::convertible_to<bool>;
  };
  static constexpr bool good = std::is_same_v<T, Bound> || (is_number ? exact : ordered);
  static_assert(good, "splitters: keys and splitters cannot be compared exactly: give them one type");
};

}  // namespace peneira::detail
