// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "peneira/ops.hpp"

#include <functional>
#include <limits>

#include "tests/support.hpp"

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

}  // namespace peneira::test
