// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators out of functions: of yours by op, and those of <functional>, which stand for the ones of ops.hpp.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "peneira/ops.hpp"

namespace peneira {

/// The type of pn::commutative.
struct commutative_t {
  explicit commutative_t() = default;
};
/// Says of pn::op that the order of its arguments does not matter.
inline constexpr commutative_t commutative{};

/// An operator of an identity and a function of two results, which must be associative. Items are combined strictly in
/// their order, unless a third argument, pn::commutative, says that any will do, which is faster. Both are converted to
/// the result's type. On a GPU the function is a `[] PENEIRA_HD (...)` lambda.
///
/// ```cpp
/// std::vector<std::uint32_t> numbers{12, 18, 30};
/// const auto gcd = pn::op{0, [](std::uint32_t a, std::uint32_t b) { return std::gcd(a, b); }, pn::commutative};
/// const std::uint32_t common = pn::reduce(pn::cpu{}, numbers, gcd);                // 6
/// ```
template <class Identity, class Function, bool Commutative = false>
class op {
 public:
  static constexpr bool commutative = Commutative;  ///< whether pn::commutative said so

  /// Combines by f, and gives `identity` for no items.
  constexpr op(Identity identity, Function f) : identity_(std::move(identity)), f_(std::move(f)) {}
  /// The same, in any order.
  constexpr op(Identity identity, Function f, commutative_t /*any order will do*/)
      : op(std::move(identity), std::move(f)) {}

#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
  /// f(a, b).
  template <class T>
  requires requires(const Function& f, const T& a) {
    { f(a, a) } -> std::convertible_to<T>;
  }
  PENEIRA_HD constexpr T operator()(const T& a, const T& b) const {
    return static_cast<T>(f_(a, b));
  }

  /// The identity.
  template <class T>
  requires std::convertible_to<const Identity&, T> PENEIRA_HD constexpr T identity() const {
    return static_cast<T>(identity_);
  }

 private:
  Identity identity_;
  Function f_;
};

template <class Identity, class Function>
op(Identity, Function) -> op<Identity, Function>;
template <class Identity, class Function>
op(Identity, Function, commutative_t) -> op<Identity, Function, true>;

namespace detail {

/// The operator that one of <functional> stands for, and the type that it is for; void: any.
template <class Op>
struct functional {};
template <class Ours, class T>
struct stands_for {
  using type = Ours;
  using argument = T;
};
template <class T>
struct functional<std::plus<T>> : stands_for<plus, T> {};
template <class T>
struct functional<std::multiplies<T>> : stands_for<multiplies, T> {};
template <class T>
struct functional<std::bit_and<T>> : stands_for<bit_and, T> {};
template <class T>
struct functional<std::bit_or<T>> : stands_for<bit_or, T> {};
template <class T>
struct functional<std::bit_xor<T>> : stands_for<bit_xor, T> {};
template <class T>
struct functional<std::logical_and<T>> : stands_for<logical_and, T> {};
template <class T>
struct functional<std::logical_or<T>> : stands_for<logical_or, T> {};

template <class Op>
concept of_functional = requires {
  typename functional<Op>::type;
};

/// What a call combines results by.
template <class Result, class Op>
constexpr decltype(auto) operator_of(const Op& given) {
  if constexpr (of_functional<Op>) {
    using argument = typename functional<Op>::argument;
    static_assert(std::is_void_v<argument> || std::is_same_v<argument, Result>,
                  "an operator of <functional> is for another type than the result: leave its type out, as in "
                  "std::plus<>");
    return typename functional<Op>::type{};
  } else {
    return (given);
  }
}

/// The type of a result where a call is not told: what the operator makes of an item, or else the item's own.
template <class Op, class T>
constexpr auto natural_result() {
  if constexpr (of_functional<Op>) {
    using argument = typename functional<Op>::argument;
    if constexpr (std::is_void_v<argument>) {
      return natural_result<typename functional<Op>::type, T>();
    } else {
      return std::type_identity<argument>{};
    }
  } else if constexpr (requires(const Op& op, const T& item) { op.lift(item, std::uint64_t{}); }) {
    return std::type_identity<
        std::remove_cvref_t<decltype(std::declval<const Op&>().lift(std::declval<const T&>(), std::uint64_t{}))>>{};
  } else {
    return std::type_identity<T>{};
  }
}

}  // namespace detail
}  // namespace peneira
