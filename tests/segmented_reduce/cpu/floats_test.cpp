// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Floats in segments: sums have the same bits with any number of threads and keep their bound, and NaN is told.
#include <cmath>

#include "peneira/segmented_reduce.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

template <class Result, class T, class Segments, class Op>
void expect_any_threads(const std::vector<T>& numbers, const Segments& segments, std::size_t count, const Op& op,
                        const std::string& what) {
  std::vector<Result> wanted(count);
  segmented_reduce(cpu{.threads = 1}, numbers, segments, wanted, op);
  for (unsigned threads = 2; threads < 12; ++threads) {
    std::vector<Result> got(count);
    segmented_reduce(cpu{.threads = threads}, std::vector<T>(numbers), segments, got, op);
    ASSERT_TRUE(same(wanted, got)) << what << ", " << threads << " threads";
  }
}

TEST(segmented_reduce, has_the_same_bits_with_any_number_of_threads) {
  random next(seed() + 2);
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {3U, 23U, 400U, 7000U}) {
      const auto offsets = make_segments(shape, 100000, size, 0, next);
      const auto numbers = rough<float>(offsets.back(), next);
      expect_any_threads<float>(numbers, offsets, offsets.size() - 1, plus{}, to_string(shape));
    }
  }
  const auto adds = [](double a, double b) { return a + b; };
  for (int k = 0; k < (sanitized ? 2 : 10); ++k) {
    const auto offsets = stretches(next);
    const std::size_t count = offsets.size() - 1;
    const std::string what = "round " + std::to_string(k);
    const auto numbers = rough<float>(offsets.back(), next);
    expect_any_threads<float>(numbers, offsets, count, plus{}, what);
    expect_any_threads<double>(numbers, offsets, count, plus{}, what + " in double");
    expect_any_threads<double>(numbers, offsets, count, op{0, adds}, what + " in order");
    expect_any_threads<double>(rough<double>(offsets.back() + 3, next), offsets, count, plus{}, what + " of doubles");
  }
  const auto numbers = rough<float>(200000, next);
  for (const std::size_t size : {5U, 9U, 40U, 130U, 200U, 5000U, 50000U, 150001U}) {
    const std::size_t count = (numbers.size() + size - 1) / size;
    expect_any_threads<float>(numbers, every{size}, count, plus{}, "every " + std::to_string(size));
  }
}

/// The sum of a segment is as close as reduce's bound of as many items.
template <class T>
void expect_bound(const std::vector<std::uint64_t>& offsets, const std::vector<T>& numbers, const std::string& what) {
  std::vector<T> sums(offsets.size() - 1);
  segmented_reduce(cpu{.threads = 3}, numbers, offsets, sums, plus{});
  for (std::size_t s = 0; s < sums.size(); ++s) {
    long double exact = 0;
    long double magnitudes = 0;
    for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) {
      exact += numbers[i];
      magnitudes += std::abs(numbers[i]);
    }
    const std::size_t m = offsets[s + 1] - offsets[s];
    const double steps = m == 0 ? 0 : std::log2(static_cast<double>(m)) + 16;
    ASSERT_LE(std::abs(sums[s] - exact), steps * std::numeric_limits<T>::epsilon() / 2 * magnitudes)
        << what << ", segment " << s << " of " << m << " items";
  }
}

TEST(segmented_reduce, keeps_the_bound_of_a_sum) {
  if (!long_doubles_are_long()) GTEST_SKIP() << "valgrind computes with double instead of long double";
  random next(seed() + 3);
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {57U, 700U}) {
      const auto offsets = make_segments(shape, 100000, size, 0, next);
      expect_bound(offsets, rough<float>(offsets.back(), next), to_string(shape));
      expect_bound(offsets, std::vector<float>(offsets.back(), 0.1F), to_string(shape));
      expect_bound(offsets, std::vector<double>(offsets.back(), 0.1), to_string(shape));
    }
  }
  for (int k = 0; k < 5; ++k) {
    const auto offsets = stretches(next);
    expect_bound(offsets, std::vector<float>(offsets.back(), 0.1F), "stretches");
    expect_bound(offsets, std::vector<double>(offsets.back(), 0.1), "stretches");
  }
}

/// NaN here and there: a segment that has one gives NaN, and its first one's position; the others are as without.
template <class T>
void expect_nan(std::uint64_t from) {
  random next(from);
  for (int k = 0; k < 8; ++k) {
    const auto offsets = stretches(next);
    const std::size_t count = offsets.size() - 1;
    auto numbers = rough<T>(offsets.back(), next);
    for (std::size_t i = next.below(50); i < numbers.size(); i += 1 + next.below(k < 4 ? 5 : 3000)) {
      numbers[i] = std::numeric_limits<T>::quiet_NaN();
    }
    const cpu on{.threads = static_cast<unsigned>(1 + next.below(4))};
    std::vector<T> least(count);
    std::vector<T> most(count);
    std::vector<indexed<T>> first(count);
    segmented_reduce(on, numbers, offsets, least, min{});
    segmented_reduce(on, numbers, offsets, most, max{});
    segmented_reduce(on, numbers, offsets, first, arg_max{});
    for (std::size_t s = 0; s < count; ++s) {
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(offsets[s]);
      const auto end = numbers.begin() + static_cast<std::ptrdiff_t>(offsets[s + 1]);
      const auto nan = std::find_if(begin, end, [](T x) { return std::isnan(x); });
      if (nan != end) {
        ASSERT_TRUE(std::isnan(least[s]) && std::isnan(most[s]) && std::isnan(first[s].value)) << "segment " << s;
        ASSERT_EQ(first[s].index, static_cast<std::uint64_t>(nan - numbers.begin())) << "segment " << s;
      } else if (begin != end) {
        ASSERT_EQ(least[s], *std::min_element(begin, end)) << "segment " << s;
        ASSERT_EQ(most[s], *std::max_element(begin, end)) << "segment " << s;
        const auto at = std::max_element(begin, end);
        ASSERT_EQ(first[s], (indexed<T>{*at, static_cast<std::uint64_t>(at - numbers.begin())})) << "segment " << s;
      } else {
        ASSERT_EQ(least[s], std::numeric_limits<T>::infinity());
        ASSERT_EQ(first[s].index, indexed<T>::none);
      }
    }
  }
}

TEST(segmented_reduce, least_and_greatest_are_nan_where_one_is) {
  expect_nan<float>(seed() + 10);
  expect_nan<double>(seed() + 11);
}

}  // namespace peneira::test
