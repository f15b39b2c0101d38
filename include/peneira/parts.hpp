// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a partition goes by: a predicate, a pivot, or a function that says which of three parts an item is in.
#pragma once

#include <concepts>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/key_fit.hpp"
#include "peneira/ops.hpp"

namespace peneira {

/// Three parts around a pivot: the keys below it, those equal to it, and those above it. NaN is above all numbers, and
/// equal to a pivot that is NaN. Numbers of another type than the keys are compared as numbers, exactly, or do not
/// compile.
template <class Key>
struct around {
  Key pivot;  ///< what keys are compared with

  /// 0: below, 1: equal, 2: above.
  template <class T>
  PENEIRA_HD std::uint32_t operator()(const T& key) const {
    // All are asked and added up: a branch would be a guess.
    const auto one_if = [](bool holds) { return holds ? 1U : 0U; };
    if (detail::is_nan(pivot)) return one_if(detail::is_nan(key));
    return one_if(!is_before(key, pivot)) + (one_if(is_before(pivot, key)) | one_if(detail::is_nan(key)));
  }

 private:
  template <class A, class B>
  PENEIRA_HD static bool is_before(const A& a, const B& b) {
    if constexpr (detail::splitter_key<A, B>::is_number && !std::is_same_v<A, B>) {
      return detail::number_less(detail::as_number(a), detail::as_number(b));
    } else {
      return a < b;
    }
  }
};
template <class Key>
around(Key) -> around<Key>;

namespace detail {

/// A predicate as a bin function: what it holds for comes first.
template <class F>
struct two_parts {
  static constexpr std::uint32_t ways = 2;
  F f;

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return ways; }
  template <class Key>
  PENEIRA_HD std::uint32_t operator()(const Key& key) const {
    return 1U - static_cast<std::uint32_t>(f(key));
  }
};

template <class F>
inline constexpr bool never_misses<two_parts<F>> = true;
template <class F>
inline constexpr bool asks_caller<two_parts<F>> = true;

/// A function that gives 0, 1 or 2 as a bin function.
template <class F>
struct three_parts {
  static constexpr std::uint32_t ways = 3;
  F f;

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return ways; }
  template <class Key>
  PENEIRA_HD auto operator()(const Key& key) const {
    return f(key);
  }
};
template <class Key>
inline constexpr bool never_misses<three_parts<around<Key>>> = true;

/// The bin function that a partition goes by: two parts of a function that returns bool, three of any other integer.
template <class Key, class F>
struct parts_by {
  static constexpr bool answers = requires(const F& f, const Key& key) { f(key); };
  static_assert(answers, "partition: f must take the keys of in");
  template <class T, bool Asked>
  struct returned {
    using type = std::remove_cvref_t<decltype(std::declval<const F&>()(std::declval<const T&>()))>;
  };
  template <class T>
  struct returned<T, false> {
    using type = bool;
  };
  using answer = typename returned<Key, answers>::type;
  static constexpr bool numbers = std::is_integral_v<answer> || std::is_enum_v<answer>;
  static_assert(!answers || numbers, "partition: f must return bool for two parts, or an integer or enum for three");
  static constexpr bool copied = std::is_copy_constructible_v<F>;
  static_assert(copied, "partition: f is copied; one that cannot be is given as std::cref(f)");
  static constexpr bool good = answers && numbers && copied;
  using type = std::conditional_t<std::is_same_v<answer, bool>, two_parts<F>, three_parts<F>>;
};
template <class Key, class Pivot>
struct parts_by<Key, around<Pivot>> {
  static constexpr bool good = splitter_key<Key, Pivot>::good;
  using type = three_parts<around<Pivot>>;
};

}  // namespace detail
}  // namespace peneira
