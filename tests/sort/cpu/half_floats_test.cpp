// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Floating-point keys of 16 bits, all 65,536 of them: what they are worth as doubles says whether they are in order.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "peneira/group_by.hpp"
#include "peneira/sort.hpp"
#include "peneira/top_k.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

/// Numbers with so many bits of an exponent, as a caller's own type.
template <int ExponentBits>
struct small_float {
  std::uint16_t bits;
};

}  // namespace peneira::test

template <>
inline constexpr std::uint64_t pn::infinity_bits<pn::test::small_float<5>> = 0x7C00;
template <>
inline constexpr std::uint64_t pn::infinity_bits<pn::test::small_float<8>> = 0x7F80;

namespace peneira::test {

template <class K>
struct exponent_bits {
  static constexpr int count = 5;
};
template <>
struct exponent_bits<small_float<8>> {
  static constexpr int count = 8;
};

/// What a key is worth.
template <class K>
double worth(const K& key) {
  constexpr int exponent_size = exponent_bits<K>::count;
  constexpr int fraction_size = 15 - exponent_size;
  const auto bits = detail::raw_bits(key);
  const double sign = (bits >> 15U) != 0 ? -1 : 1;
  const int exponent = (bits >> fraction_size) & ((1 << exponent_size) - 1);
  const int fraction = bits & ((1 << fraction_size) - 1);
  const int bias = (1 << (exponent_size - 1)) - 1;
  if (exponent == (1 << exponent_size) - 1) return fraction != 0 ? std::nan("") : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_size);
  return sign * std::ldexp(fraction + (1 << fraction_size), exponent - bias - fraction_size);
}

/// Whether a may stand before b: by their worth, -0 before +0, NaN behind all.
template <class K>
bool may_precede(const K& a, const K& b) {
  const double x = worth(a);
  const double y = worth(b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(y);
  return x < y || (x == y && std::signbit(x) >= std::signbit(y));
}

template <class Of>  // std::type_identity of a key: g++ has no typeid of __fp16
class half_floats : public ::testing::Test {
 protected:
  using K = typename Of::type;
  random next_{seed()};

  /// Every key three times, shuffled.
  std::vector<K> all_keys() {
    std::vector<K> keys;
    for (std::uint32_t b = 0; b < 3 * 65536; ++b) keys.push_back(detail::key_of_bits<K>(static_cast<std::uint16_t>(b)));
    for (std::size_t i = keys.size(); i > 1; --i) std::swap(keys[i - 1], keys[next_.below(i)]);
    return keys;
  }
  static std::vector<std::uint16_t> sorted_bits(const std::vector<K>& keys) {
    std::vector<std::uint16_t> bits;
    for (const K& key : keys) bits.push_back(detail::raw_bits(key));
    std::sort(bits.begin(), bits.end());
    return bits;
  }
};

// The compiler's own type where it has one.
#if defined(__STDCPP_FLOAT16_T__) || (defined(__clang__) && defined(__FLT16_MANT_DIG__))
using half = _Float16;
#elif defined(__ARM_FP16_FORMAT_IEEE)
using half = __fp16;
#else
using half = small_float<5>;
#endif
using half_types = ::testing::Types<std::type_identity<half>, std::type_identity<small_float<8>>>;
TYPED_TEST_SUITE(half_floats, half_types, );

TYPED_TEST(half_floats, are_sorted) {
  const std::vector<typename TypeParam::type> keys = this->all_keys();
  for (const bool descending : {false, true}) {
    std::vector<typename TypeParam::type> out(keys.size());
    sort(cpu{}, keys, out, {.descending = descending});
    EXPECT_EQ(this->sorted_bits(out), this->sorted_bits(keys));
    if (descending) std::reverse(out.begin(), out.end());
    for (std::size_t i = 1; i < out.size(); ++i) ASSERT_TRUE(may_precede(out[i - 1], out[i])) << i;
  }
}

TYPED_TEST(half_floats, few_are_sorted) {
  const std::vector<typename TypeParam::type> keys = this->all_keys();
  for (std::size_t n = 0; n < 100; ++n) {
    std::vector<typename TypeParam::type> some(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(n));
    sort(cpu{}, some);
    for (std::size_t i = 1; i < n; ++i) ASSERT_TRUE(may_precede(some[i - 1], some[i])) << i << " of " << n;
  }
}

TYPED_TEST(half_floats, are_keys_of_top_k) {
  const std::vector<typename TypeParam::type> keys = this->all_keys();
  std::vector<typename TypeParam::type> sorted(keys.size());
  std::vector<typename TypeParam::type> best(10000);
  sort(cpu{}, keys, sorted, {.descending = true});
  top_k(cpu{}, keys, best.size(), best);
  for (std::size_t i = 0; i < best.size(); ++i) ASSERT_EQ(detail::raw_bits(best[i]), detail::raw_bits(sorted[i])) << i;
}

TYPED_TEST(half_floats, are_keys_of_groups) {
  const std::vector<typename TypeParam::type> keys = this->all_keys();
  const std::vector<std::uint32_t> ones(keys.size(), 1);
  std::vector<typename TypeParam::type> groups(keys.size());
  std::vector<std::uint32_t> counts(keys.size());
  const std::size_t found = group_by(cpu{}, keys, ones, groups, counts, plus{});
  const std::size_t nans = 2 * ((std::size_t{1} << (15 - exponent_bits<typename TypeParam::type>::count)) - 1);
  ASSERT_EQ(found, 65536 - 1 - nans + 1);  // both zeros are one group, and all NaNs
  for (std::size_t g = 0; g < found; ++g) {
    const double key = worth(groups[g]);
    ASSERT_EQ(counts[g], 3 * (std::isnan(key) ? nans : key == 0 ? 2 : 1)) << key;
    ASSERT_TRUE(g == 0 || may_precede(groups[g - 1], groups[g])) << g;
  }
}

}  // namespace peneira::test
