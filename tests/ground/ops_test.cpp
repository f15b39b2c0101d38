// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "peneira/ops.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include "peneira/op.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

template <class T>
std::vector<T> probes() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values{T(0), T(1), T(3), limits::lowest(), limits::max(), T(limits::max() / 3)};
  if constexpr (limits::has_infinity) {
    values.push_back(limits::infinity());
    values.push_back(-limits::infinity());
  }
  return values;
}

template <class Op, class T>
void expect_monoid() {
  static_assert(monoid<Op, T>);
  const T identity = Op::template identity<T>();
  for (const T x : probes<T>()) {
    EXPECT_EQ(Op{}(identity, x), x);
    EXPECT_EQ(Op{}(x, identity), x);
  }
}

template <class T>
class monoids : public ::testing::Test {};
using numbers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                 std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(monoids, numbers);

TYPED_TEST(monoids, have_identities) {
  expect_monoid<plus, TypeParam>();
  expect_monoid<multiplies, TypeParam>();
  expect_monoid<min, TypeParam>();
  expect_monoid<max, TypeParam>();
  if constexpr (std::is_integral_v<TypeParam>) {
    expect_monoid<bit_and, TypeParam>();
    expect_monoid<bit_or, TypeParam>();
    expect_monoid<bit_xor, TypeParam>();
  }
}

TYPED_TEST(monoids, compute) {
  using T = TypeParam;
  EXPECT_EQ(plus{}(T(40), T(2)), T(42));
  EXPECT_EQ(multiplies{}(T(6), T(7)), T(42));
  EXPECT_EQ(min{}(T(6), T(7)), T(6));
  EXPECT_EQ(max{}(T(6), T(7)), T(7));
  if constexpr (std::is_integral_v<T>) {
    EXPECT_EQ(bit_and{}(T(12), T(10)), T(8));
    EXPECT_EQ(bit_or{}(T(12), T(10)), T(14));
    EXPECT_EQ(bit_xor{}(T(12), T(10)), T(6));
  }
}

TEST(logical, operators_ask_whether_items_are_true) {
  EXPECT_TRUE(logical_and{}(true, true));
  EXPECT_FALSE(logical_and{}(true, false));
  EXPECT_TRUE(logical_or{}(false, true));
  EXPECT_FALSE(logical_or{}(false, false));
  EXPECT_TRUE(logical_and::identity<bool>());
  EXPECT_FALSE(logical_or::identity<bool>());
  EXPECT_EQ(logical_and::identity<std::uint32_t>(), 1U);
  EXPECT_EQ(logical_and{}(4, 8), 1);
  // An item is judged before it is converted: a half is true, though as an integer it is 0.
  EXPECT_EQ(detail::lifted<int>(logical_and{}, 0.5F, 0), 1);
  EXPECT_EQ(detail::lifted<int>(logical_or{}, 0.0F, 0), 0);
  EXPECT_EQ(detail::lifted<std::uint8_t>(logical_or{}, 256, 0), 1);
}

TYPED_TEST(monoids, find_extremes_with_their_position) {
  using T = TypeParam;
  const auto at = [](int value, std::uint64_t index) { return indexed<T>{T(value), index}; };
  EXPECT_EQ(arg_max{}(at(3, 1), at(4, 2)), at(4, 2));
  EXPECT_EQ(arg_max{}(at(4, 2), at(3, 1)), at(4, 2));
  EXPECT_EQ(arg_min{}(at(3, 1), at(4, 2)), at(3, 1));
  EXPECT_EQ(arg_min{}(at(4, 2), at(3, 1)), at(3, 1));
  // Of equal ones the first, in whatever order they come.
  EXPECT_EQ(arg_max{}(at(4, 2), at(4, 9)), at(4, 2));
  EXPECT_EQ(arg_max{}(at(4, 9), at(4, 2)), at(4, 2));
  EXPECT_EQ(arg_min{}(at(4, 9), at(4, 2)), at(4, 2));
  for (const T x : probes<T>()) {  // the identity never wins, not even against the type's own extreme
    const indexed<T> item{x, 5};
    EXPECT_EQ(arg_max{}(arg_max::identity<indexed<T>>(), item), item);
    EXPECT_EQ(arg_max{}(item, arg_max::identity<indexed<T>>()), item);
    EXPECT_EQ(arg_min{}(arg_min::identity<indexed<T>>(), item), item);
    EXPECT_EQ(arg_min{}(item, arg_min::identity<indexed<T>>()), item);
  }
  EXPECT_EQ(detail::lifted<indexed<T>>(arg_max{}, T(7), 42), at(7, 42));
}

/// NaN wins, from either side, and of several the first; against the identity too.
template <class T>
void expect_nan_wins() {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const T x : probes<T>()) {
    EXPECT_TRUE(std::isnan(min{}(x, nan)) && std::isnan(min{}(nan, x))) << x;
    EXPECT_TRUE(std::isnan(max{}(x, nan)) && std::isnan(max{}(nan, x))) << x;
    const indexed<T> number{x, 1};
    for (const std::uint64_t at : {0U, 2U}) {
      const indexed<T> none{nan, at};
      EXPECT_EQ(arg_min{}(number, none).index, at);
      EXPECT_EQ(arg_min{}(none, number).index, at);
      EXPECT_EQ(arg_max{}(number, none).index, at);
      EXPECT_EQ(arg_max{}(none, number).index, at);
    }
  }
  EXPECT_EQ(arg_max{}(indexed<T>{nan, 9}, indexed<T>{nan, 4}).index, 4U);
  EXPECT_EQ(arg_min{}(indexed<T>{nan, 4}, indexed<T>{nan, 9}).index, 4U);
  EXPECT_EQ(arg_min{}(arg_min::identity<indexed<T>>(), indexed<T>{nan, 9}).index, 9U);
  EXPECT_TRUE(std::isnan(min{}(min::identity<T>(), nan)) && std::isnan(max{}(nan, max::identity<T>())));
}

TEST(extremes, of_numbers_and_nan_are_nan) {
  expect_nan_wins<float>();
  expect_nan_wins<double>();
  expect_nan_wins<long double>();
}

/// A type that has an order and nothing else.
struct ranked {
  int rank;
  friend bool operator<(const ranked& a, const ranked& b) { return a.rank < b.rank; }
};

TEST(extremes, need_nothing_but_an_order) {
  EXPECT_EQ(min{}(ranked{3}, ranked{2}).rank, 2);
  EXPECT_EQ(max{}(ranked{3}, ranked{2}).rank, 3);
  EXPECT_EQ(arg_max{}(indexed<ranked>{{3}, 1}, indexed<ranked>{{5}, 2}).index, 2U);
}

TEST(operators, say_whether_they_are_commutative) {
  EXPECT_TRUE(detail::is_commutative<plus>);
  EXPECT_TRUE(detail::is_commutative<arg_min>);
  EXPECT_TRUE(detail::is_commutative<logical_or>);
  EXPECT_FALSE(detail::is_commutative<std::plus<int>>);
}

/// A caller's own monoid, of a type that is not a number.
struct longest {
  std::string operator()(const std::string& a, const std::string& b) const { return a.size() < b.size() ? b : a; }
  template <class T>
  static T identity() {
    return {};
  }
};

TEST(monoid, accepts_a_callers_own_and_rejects_what_lacks_an_identity) {
  EXPECT_TRUE((monoid<longest, std::string>));
  EXPECT_FALSE((monoid<std::plus<int>, int>));
}

TEST(monoid, is_what_op_makes_of_a_function) {
  const op adds{0, [](int a, int b) { return a + b; }};
  EXPECT_TRUE((monoid<decltype(adds), int>));
  EXPECT_TRUE((monoid<decltype(adds), std::int8_t>));
  EXPECT_FALSE((monoid<decltype(adds), std::string>));
  EXPECT_FALSE((monoid<decltype(op{0, [](int a) { return a; }}), int>));
  EXPECT_EQ(adds(std::int8_t{3}, std::int8_t{4}), 7);
  EXPECT_EQ(adds.identity<double>(), 0.0);
  EXPECT_FALSE(adds.commutative);
}

/// Those of <functional> stand for ours, and cost nothing.
TEST(operators, of_the_standard_library_are_known) {
  const auto stands_for = []<class Ours>(const auto& given, Ours) {
    return std::is_same_v<std::remove_cvref_t<decltype(detail::operator_of<int>(given))>, Ours>;
  };
  EXPECT_TRUE(stands_for(std::plus<>{}, plus{}));
  EXPECT_TRUE(stands_for(std::plus<int>{}, plus{}));
  EXPECT_TRUE(stands_for(std::multiplies<>{}, multiplies{}));
  EXPECT_TRUE(stands_for(std::bit_and<>{}, bit_and{}));
  EXPECT_TRUE(stands_for(std::bit_or<>{}, bit_or{}));
  EXPECT_TRUE(stands_for(std::bit_xor<>{}, bit_xor{}));
  EXPECT_TRUE(stands_for(std::logical_and<>{}, logical_and{}));
  EXPECT_TRUE(stands_for(std::logical_or<>{}, logical_or{}));
  EXPECT_TRUE(stands_for(arg_min{}, arg_min{}));
}

TEST(ops, integers_wrap_around) {
  EXPECT_EQ(multiplies{}(std::int64_t{1} << 62U, std::int64_t{6}), std::int64_t{-1} << 63U);
  EXPECT_EQ(plus{}(std::numeric_limits<std::int32_t>::max(), 1), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(multiplies{}(std::uint16_t{65535}, std::uint16_t{65535}), 1);
}

}  // namespace peneira::test
