// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Floats on a GPU: how exact their sums are, that these repeat their bits, and that NaN is the least and the greatest.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "tests/reduce/gpu/support.cuh"

namespace peneira::test {

using reduces = device_reduce_space::reduces;
using segmented_reduces = device_reduce_space::segmented_reduces;

class gpu_float_sums : public gpu_test {};

/// Numbers of both signs over many magnitudes.
std::vector<float> rough_numbers(std::size_t n, random& next) {
  std::vector<float> numbers(n);
  for (float& x : numbers) {
    x = static_cast<float>(std::ldexp(next.unit() - 0.4, static_cast<int>(next.below(20))));
  }
  return numbers;
}

/// A sum of floats that keeps what each addition loses, and the sum of magnitudes.
struct exact_sum {
  double sum = 0;
  double lost = 0;
  double magnitudes = 0;
  exact_sum(const float* from, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double x = from[i];
      const double next = sum + x;
      lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
      sum = next;
      magnitudes += std::abs(x);
    }
  }
  /// Whether a float is at most `steps` roundings off.
  [[nodiscard]] ::testing::AssertionResult near(float got, double steps) const {
    const double unit = std::numeric_limits<float>::epsilon() / 2;
    const double off = std::abs(static_cast<double>(got) - (sum + lost));
    if (off <= steps * unit * magnitudes) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << got << " is off by " << off / (unit * magnitudes) << " roundings";
  }
};

TEST_F(gpu_float_sums, of_all_items_keep_their_bound_and_repeat_their_bits) {
  random next(seed());
  for (const std::size_t n : {10U, 1000U, 65537U, 3000001U, 40000003U}) {
    const std::vector<float> numbers = rough_numbers(n, next);
    const exact_sum exact(numbers.data(), 0, n);
    const watched<float> in(numbers, 1);
    for_each_name<reduces>([&](std::string_view name) {
      std::vector<float> first;
      for (int run = 0; run < 5; ++run) {
        const guarded<float, device_space> sum(1);
        reduce(gpu{}, in.get(), sum.data(), plus{}, {.strategy = name});
        if (run == 0) first = sum.read();
        EXPECT_TRUE(same(first, sum.read())) << n << " items, run " << run;
      }
      EXPECT_TRUE(exact.near(first[0], static_cast<double>(n) / 512 + 128)) << n << " items";
    });
  }
}

TEST_F(gpu_float_sums, of_segments_keep_their_bound_and_repeat_their_bits) {
  random next(seed() + 1);
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {3U, 57U, 5000U}) {
      const auto bounds = make_segments(shape, 1000000, size, 0, next);
      const std::vector<std::uint32_t> offsets(bounds.begin(), bounds.end());
      const watched<float> in(rough_numbers(offsets.back(), next), 1);
      const watched<std::uint32_t> table(offsets);
      for_each_name<segmented_reduces>([&](std::string_view name) {
        SCOPED_TRACE(to_string(shape));
        std::vector<float> first;
        for (int run = 0; run < 5; ++run) {
          const guarded<float, device_space> sums(offsets.size() - 1);
          segmented_reduce(gpu{}, in.get(), table.get(), items(sums.data(), sums.size()), plus{}, {.strategy = name});
          if (run == 0) first = sums.read();
          ASSERT_TRUE(same(first, sums.read())) << "run " << run;
        }
        for (std::size_t s = 0; s < first.size(); ++s) {
          const exact_sum exact(in.host().data(), offsets[s], offsets[s + 1]);
          const double steps = static_cast<double>(offsets[s + 1] - offsets[s]) / 32 + 128;
          ASSERT_TRUE(exact.near(first[s], steps)) << "segment " << s;
        }
      });
    }
  }
}

/// Segments of one small power of two, of which the last is shorter and begins with a number that swallows the others
/// one by one.
TEST_F(gpu_float_sums, of_even_segments_keep_their_bound) {
  for (const std::size_t size : {2U, 64U, 512U}) {
    const std::size_t n = 20 * size - 1;
    std::vector<float> numbers(n, 1);
    numbers[n - size + 1] = 16777216;
    const watched<float> in(numbers, 1);
    const guarded<float, device_space> sums(20);
    segmented_reduce(gpu{}, in.get(), every{size}, items(sums.data(), 20), plus{}, {.strategy = "even"});
    const std::vector<float> got = sums.read();
    for (std::size_t s = 0; s < 20; ++s) {
      const exact_sum exact(numbers.data(), s * size, std::min(n, (s + 1) * size));
      EXPECT_TRUE(exact.near(got[s], 24)) << "segment " << s << " of " << size;
    }
  }
}

/// One result of an operator, by every strategy of reduce.
template <class Result, class T, class Op, class Check>
void check_each(const std::vector<T>& numbers, const Op& op, const Check& check) {
  const watched<T> in(numbers, 1);
  for_each_name<reduces>([&](std::string_view name) {
    const guarded<Result, device_space> found(1);
    reduce(gpu{}, in.get(), found.data(), op, {.strategy = name});
    check(found.read()[0]);
  });
}

template <class T>
void expect_nan_of_all(std::uint64_t from) {
  random next(from);
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const std::size_t n : {1U, 33U, 1000U, 70000U, 3000001U}) {
    for (const bool all : {false, true}) {
      std::vector<T> numbers(n, nan);
      std::size_t first = all ? 0 : n;
      if (!all) {
        for (T& x : numbers) x = static_cast<T>(next.unit() - 0.5);
        for (int k = 0; k < 3; ++k) {
          const std::size_t at = next.below(n);
          numbers[at] = nan;
          first = std::min(first, at);
        }
      }
      SCOPED_TRACE(std::to_string(first) + " of " + std::to_string(n));
      check_each<T>(numbers, min{}, [](T x) { EXPECT_TRUE(std::isnan(x)) << x; });
      check_each<T>(numbers, max{}, [](T x) { EXPECT_TRUE(std::isnan(x)) << x; });
      const auto is_first = [&](const indexed<T>& x) {
        EXPECT_TRUE(std::isnan(x.value)) << x.value;
        EXPECT_EQ(x.index, first);
      };
      check_each<indexed<T>>(numbers, arg_min{}, is_first);
      check_each<indexed<T>>(numbers, arg_max{}, is_first);
    }
  }
  const T infinity = std::numeric_limits<T>::infinity();
  check_each<T>(std::vector<T>{}, min{}, [&](T x) { EXPECT_EQ(x, infinity); });
  check_each<T>(std::vector<T>{}, max{}, [&](T x) { EXPECT_EQ(x, -infinity); });
}

class gpu_nan : public gpu_test {};

TEST_F(gpu_nan, is_the_least_and_the_greatest) {
  expect_nan_of_all<float>(seed() + 2);
  expect_nan_of_all<double>(seed() + 3);
}

TEST_F(gpu_nan, is_the_least_and_the_greatest_of_its_segment_alone) {
  random next(seed() + 4);
  for (const segment_shape shape : segment_shapes) {
    for (const std::size_t size : {3U, 57U, 5000U}) {
      const auto bounds = make_segments(shape, 300000, size, 0, next);
      const std::vector<std::uint32_t> offsets(bounds.begin(), bounds.end());
      std::vector<float> numbers = rough_numbers(offsets.back(), next);
      for (std::size_t i = next.below(50); i < numbers.size(); i += 1 + next.below(3 * size)) {
        numbers[i] = std::numeric_limits<float>::quiet_NaN();
      }
      const watched<float> in(numbers, 1);
      const watched<std::uint32_t> table(offsets);
      const std::vector<float> least = wanted_of<float>(numbers, offsets, min{});
      const std::vector<indexed<float>> most = wanted_of<indexed<float>>(numbers, offsets, arg_max{});
      for_each_name<segmented_reduces>([&](std::string_view name) {
        SCOPED_TRACE(to_string(shape));
        const guarded<float, device_space> low(least.size());
        const guarded<indexed<float>, device_space> high(most.size());
        segmented_reduce(gpu{}, in.get(), table.get(), items(low.data(), low.size()), min{}, {.strategy = name});
        segmented_reduce(gpu{}, in.get(), table.get(), items(high.data(), high.size()), arg_max{}, {.strategy = name});
        const std::vector<float> got_low = low.read();
        const std::vector<indexed<float>> got_high = high.read();
        for (std::size_t s = 0; s < least.size(); ++s) {
          ASSERT_TRUE(std::isnan(least[s]) ? std::isnan(got_low[s]) : got_low[s] == least[s]) << "segment " << s;
          ASSERT_EQ(got_high[s].index, most[s].index) << "segment " << s;
        }
      });
    }
  }
}

class gpu_operators : public gpu_test {};

/// A function with an identity, in order and in any order, and an operator of the standard library. Not in a test's own
/// body, where nvcc takes no such lambdas.
void expect_functions() {
  random next(seed() + 5);
  const std::vector<std::uint32_t> numbers = random_words(100003, next);
  const std::uint32_t most = *std::max_element(numbers.begin(), numbers.end());
  const watched<std::uint32_t> in(numbers);
  const auto greater = [] PENEIRA_HD(std::uint32_t a, std::uint32_t b) { return a < b ? b : a; };
  const guarded<std::uint32_t, device_space> found(3);
  reduce(gpu{}, in.get(), found.data(), op{0, greater});
  reduce(gpu{}, in.get(), found.data() + 1, op{0, greater, commutative});
  reduce(gpu{}, in.get(), found.data() + 2, std::bit_or<>{});
  const auto bits = reference::reduce<std::uint32_t>(numbers.data(), 0, numbers.size(), bit_or{});
  EXPECT_EQ(found.read(), (std::vector<std::uint32_t>{most, most, bits}));
  const guarded<std::uint32_t, device_space> all(2);
  segmented_reduce(gpu{}, in.get(), every{100000}, items(all.data(), 2), op{0, greater, commutative});
  EXPECT_EQ(std::max(all.read()[0], all.read()[1]), most);
}

TEST_F(gpu_operators, are_functions_and_those_of_the_standard_library_too) {
  expect_functions();
}

}  // namespace peneira::test
