// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums of floats by group: as close as is promised, with the same bits for any number of threads, whatever the strategy
// does; and which floats are one key.
#include <cmath>

#include "peneira/group_by.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

template <class T>
class group_by_floats : public ::testing::Test {
 protected:
  /// Sums of values of mixed magnitudes and signs, by every strategy and number of threads.
  static void check(std::size_t n, std::size_t groups, random& next) {
    std::vector<std::uint32_t> keys(n);
    std::vector<T> values(n);
    std::vector<long double> sums(groups);
    std::vector<long double> magnitudes(groups);
    for (std::size_t i = 0; i < n; ++i) {
      const auto key = static_cast<std::uint32_t>(next.below(groups));
      keys[i] = key;
      values[i] = static_cast<T>(std::ldexp(next.unit() - 0.25, static_cast<int>(next.below(20)) - 10));
      sums[key] += values[i];
      magnitudes[key] += std::abs(static_cast<long double>(values[i]));
    }
    group_by_cpu_strategies::for_each([&](auto strategy) {
      std::vector<T> first;
      for (const unsigned threads : host_space::thread_counts) {
        std::vector<std::uint32_t> unique_keys(groups);
        std::vector<T> results(groups);
        const std::size_t found =
            group_by(cpu{.threads = threads}, keys, values, unique_keys, results, plus{}, {.strategy = strategy.name});
        for (std::size_t g = 0; g < found; ++g) {
          const long double bound = 2 * std::numeric_limits<T>::epsilon() * magnitudes[unique_keys[g]];
          EXPECT_LE(std::abs(results[g] - sums[unique_keys[g]]), bound) << strategy.name;
        }
        if (first.empty()) first = results;
        EXPECT_TRUE(same(first, results)) << strategy.name << " with " << threads << " threads";
      }
    });
  }
};
using float_types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(group_by_floats, float_types);

TYPED_TEST(group_by_floats, sums_are_close_and_do_not_depend_on_threads) {
  random next(seed());
  for (const std::size_t groups : {std::size_t{1}, std::size_t{10}, std::size_t{5000}, std::size_t{100000}}) {
    this->check(sanitized ? 70000 : 300000, groups, next);
  }
}

TYPED_TEST(group_by_floats, infinities_stay) {
  constexpr TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  const std::vector<std::uint8_t> keys{0, 0, 0, 1, 1, 2};
  const std::vector<TypeParam> values{1, infinity, 2, infinity, -infinity, 3};
  std::vector<std::uint8_t> unique_keys(3);
  std::vector<TypeParam> sums(3);
  ASSERT_EQ(group_by(cpu{}, keys, values, unique_keys, sums, plus{}), 3U);
  EXPECT_EQ(sums[0], infinity);
  EXPECT_TRUE(std::isnan(sums[1]));
  EXPECT_EQ(sums[2], 3);
}

TYPED_TEST(group_by_floats, zeros_are_one_key_and_nans_are_one) {
  constexpr TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const TypeParam other = std::numeric_limits<TypeParam>::signaling_NaN();
  const std::vector<TypeParam> keys{nan, TypeParam(-0.0), 1, other, TypeParam(0.0), -nan, -1};
  const std::vector<std::uint32_t> values{1, 2, 4, 8, 16, 32, 64};
  group_by_cpu_strategies::for_each([&](auto strategy) {
    std::vector<TypeParam> unique_keys(7);
    std::vector<std::uint32_t> sums(7);
    ASSERT_EQ(group_by(cpu{}, keys, values, unique_keys, sums, plus{}, {.strategy = strategy.name}), 4U);
    EXPECT_EQ(unique_keys[0], -1);
    EXPECT_EQ(unique_keys[1], 0);
    EXPECT_FALSE(std::signbit(unique_keys[1]));
    EXPECT_EQ(unique_keys[2], 1);
    EXPECT_TRUE(std::isnan(unique_keys[3]));
    sums.resize(4);
    EXPECT_EQ(sums, (std::vector<std::uint32_t>{64, 18, 4, 41}));
  });
}

}  // namespace peneira::test
