// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The number that every sort orders a key by, as sort_options says it, and the product that bins are found with.
#include "peneira/key_order.hpp"

#include <cmath>

#include "peneira/bits.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// The ordered number of a key.
template <class K>
auto number_of_key(K key, bool descending = false) {
  return detail::order_of<K>(descending)(detail::raw_bits(key));
}

/// Numbers order as keys do, there is a way back, and descending all their bits are flipped.
template <class K>
void expect_order(K a, K b) {
  using bits = detail::bits_of<K>;
  ASSERT_EQ(a < b, number_of_key(a) < number_of_key(b)) << +a << " and " << +b;
  for (const bool descending : {false, true}) {
    const auto by = detail::order_of<K>(descending);
    ASSERT_EQ(by.back(number_of_key(a, descending)), detail::raw_bits(a)) << +a;
    const auto less = by.less(static_cast<bits>(7));
    ASSERT_EQ(less(detail::raw_bits(a)), static_cast<bits>(by(detail::raw_bits(a)) - 7)) << +a;
    ASSERT_EQ(less.back(less(detail::raw_bits(a))), detail::raw_bits(a)) << +a;
  }
  ASSERT_EQ(number_of_key(a, true), static_cast<bits>(~number_of_key(a))) << +a;
}

TEST(key_order, of_integers_is_theirs) {
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      expect_order(static_cast<std::int8_t>(a), static_cast<std::int8_t>(b));
      expect_order(static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b));
    }
  }
  random next(seed());
  for (int k = 0; k < 10000; ++k) {
    expect_order(static_cast<std::int64_t>(next()), static_cast<std::int64_t>(next() >> next.below(64)));
    expect_order(static_cast<std::uint32_t>(next()), static_cast<std::uint32_t>(next() >> next.below(64)));
  }
  EXPECT_TRUE(detail::order_of<std::uint64_t>(false).plain());
  EXPECT_FALSE(detail::order_of<std::uint64_t>(true).plain());
}

/// -infinity is 0; -0 comes right before +0; behind +infinity the NaNs without a sign by ascending bits, then those
/// with one by descending bits, so that every number is taken.
template <class K>
void expect_order_of_floats() {
  using bits = detail::bits_of<K>;
  using limits = std::numeric_limits<K>;
  const auto of_bits = [](bits raw) { return number_of_key(detail::key_of_bits<K>(raw)); };
  const bits sign = detail::raw_bits(K(-0.0));
  const bits infinity = detail::raw_bits(limits::infinity());
  EXPECT_EQ(number_of_key(-limits::infinity()), 0U);
  EXPECT_EQ(number_of_key(limits::lowest()), 1U);
  EXPECT_EQ(number_of_key(K(-0.0)) + 1, number_of_key(K(0.0)));
  EXPECT_EQ(number_of_key(limits::max()) + 1, number_of_key(limits::infinity()));
  EXPECT_EQ(number_of_key(limits::infinity()) + 1, of_bits(infinity + 1)) << "the first NaN";
  EXPECT_EQ(of_bits(sign - 1) + 1, of_bits(static_cast<bits>(~bits{0}))) << "the last without a sign, the next";
  EXPECT_EQ(of_bits((sign | infinity) + 1), static_cast<bits>(~bits{0})) << "the last";
  random next(seed());
  for (int k = 0; k < 20000; ++k) {
    const auto a = detail::key_of_bits<K>(static_cast<bits>(next()));
    const auto b = next.below(4) == 0 ? static_cast<K>(-a) : detail::key_of_bits<K>(static_cast<bits>(next()));
    const auto same_zeros = a == b && detail::raw_bits(a) != detail::raw_bits(b);
    if (!std::isnan(a) && !std::isnan(b) && !same_zeros) expect_order(a, b);
    EXPECT_TRUE(!std::isnan(a) || std::isnan(b) || number_of_key(a) > number_of_key(b));
    EXPECT_EQ(detail::order_of<K>(false).back(number_of_key(a)), detail::raw_bits(a));
  }
}

TEST(key_order, of_floats_has_a_place_for_all_of_them) {
  expect_order_of_floats<float>();
  expect_order_of_floats<double>();
}

/// Any bits of a number, up to all of them.
TEST(bit_range, is_what_a_shift_and_a_mask_leave) {
  random next(seed());
  for (unsigned first = 0; first < 64; ++first) {
    for (unsigned count = 1; first + count <= 64; ++count) {
      const std::uint64_t x = next();
      std::uint64_t wanted = 0;
      for (unsigned b = 0; b < count; ++b) wanted |= (x >> (first + b) & 1U) << b;
      ASSERT_EQ((detail::bit_range<std::uint64_t>{first, count}(x)), wanted) << first << ", " << count;
      if (first + count > 16) continue;
      ASSERT_EQ((detail::bit_range<std::uint16_t>{first, count}(static_cast<std::uint16_t>(x))), wanted);
    }
  }
}

/// The high half of a product, whichever way it is taken: by halves as on paper.
TEST(multiply_high, is_the_high_half_of_the_product) {
  random next(seed());
  const auto drawn = [&] { return next.below(4) == 0 ? ~std::uint64_t{0} : next() >> next.below(64); };
  for (int k = 0; k < 20000; ++k) {
    const std::uint64_t a = drawn();
    const std::uint64_t b = drawn();
    constexpr std::uint64_t half = 0xFFFFFFFFU;
    const std::uint64_t low = (a & half) * (b & half) >> 32U;
    const std::uint64_t one = (a >> 32U) * (b & half) + low;
    const std::uint64_t other = (a & half) * (b >> 32U) + (one & half);
    ASSERT_EQ(detail::multiply_high(a, b), (a >> 32U) * (b >> 32U) + (one >> 32U) + (other >> 32U)) << a << " * " << b;
    const auto narrow = static_cast<std::uint32_t>(a);
    ASSERT_EQ(detail::multiply_high_32(narrow, b), detail::multiply_high(narrow, b)) << narrow << " * " << b;
    ASSERT_EQ(detail::multiply_high_32_in_halves(narrow, b), detail::multiply_high(narrow, b)) << narrow << " * " << b;
    ASSERT_EQ(detail::multiply_high_half(narrow, static_cast<std::uint32_t>(b)),
              std::uint64_t{narrow} * static_cast<std::uint32_t>(b) >> 32U);
  }
}

}  // namespace peneira::test
