// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators are monoids: an associative function and its identity. Yours need only the same two members.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "peneira/config.hpp"

namespace peneira {

/// An associative operator on T with an identity: op(identity<T>(), x) == x.
template <class Op, class T>
concept monoid = requires(const Op op, T a, T b) {
  { op(a, b) } -> std::convertible_to<T>;
  { op.template identity<T>() } -> std::convertible_to<T>;
};

/// a + b; 0
struct plus {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a + b);
  }
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return T(0);
  }
};

/// a * b; 1
struct multiplies {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a * b);
  }
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return T(1);
  }
};

/// The smaller; the type's greatest value (infinity where there is one)
struct min {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
};

/// The greater; the type's lowest value (minus infinity where there is one)
struct max {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
  }
};

/// a & b; all bits set
struct bit_and {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a & b);
  }
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return static_cast<T>(~T(0));
  }
};

/// a | b; no bit set
struct bit_or {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a | b);
  }
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return T(0);
  }
};

/// a ^ b; no bit set
struct bit_xor {
  template <class T>
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(a ^ b);
  }
  template <class T>
  PENEIRA_HD static constexpr T identity() {
    return T(0);
  }
};

}  // namespace peneira
