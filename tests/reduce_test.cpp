// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// reduce on the CPU: what it refuses, what it plans, how exact it is, and that it repeats itself.
#include <bit>
#include <cmath>

#include "peneira/reduce.hpp"
#include "peneira/segmented_reduce.hpp"
#include "tests/monoids.hpp"
#include "tests/support.hpp"

namespace peneira::test {

TEST(reduce, gives_the_identity_of_nothing) {
  const std::vector<float> none;
  float most = 0;
  reduce(cpu{}, none, &most, max{});
  EXPECT_EQ(most, -std::numeric_limits<float>::infinity());
  indexed<float> where{};
  reduce(cpu{}, none, &where, arg_max{});
  EXPECT_EQ(where.index, indexed<float>::none);
}

TEST(reduce, combines_into_a_wider_type) {
  const std::vector<std::uint8_t> bytes(1000000, 255);
  std::uint64_t sum = 0;
  reduce(cpu{.threads = 3}, bytes, &sum, plus{});
  EXPECT_EQ(sum, 255000000U);
}

TEST(reduce, tells_the_first_of_equal_extremes) {
  for (const unsigned threads : host_space::thread_counts) {
    std::vector<std::int32_t> items(600000, 5);
    items[123456] = items[123457] = items[555555] = 9;
    items[77] = items[400000] = -3;
    indexed<std::int32_t> found{};
    reduce(cpu{.threads = threads}, items, &found, arg_max{});
    EXPECT_EQ(found, (indexed<std::int32_t>{9, 123456}));
    reduce(cpu{.threads = threads}, items, &found, arg_min{});
    EXPECT_EQ(found, (indexed<std::int32_t>{-3, 77}));
  }
}

TEST(reduce, rejects_what_cannot_be_right) {
  std::vector<std::uint32_t> items(100, 1);
  std::uint32_t sum = 7;
  expect_parts(message_of([&] { reduce(cpu{}, items, static_cast<std::uint32_t*>(nullptr), plus{}); }),
               {"reduce", "result", "null"});
  for (const std::size_t at : {std::size_t{0}, std::size_t{99}}) {
    expect_parts(message_of([&] { reduce(cpu{}, items, items.data() + at, plus{}); }), {"reduce", "result", "overlap"});
  }
  EXPECT_NO_THROW(reduce(cpu{}, pn::items(items.data(), 99), items.data() + 99, plus{}));
  expect_parts(message_of([&] { reduce(cpu{}, items, &sum, plus{}, {.strategy = "by_hand"}); }),
               {"reduce", "strategy", "by_hand", reduce_cpu_strategies::names()});
  EXPECT_EQ(sum, 7U);
}

struct expected_reduce {
  std::size_t n;
  std::size_t item_bytes;
  unsigned threads;
  std::string_view strategy;
  std::uint64_t used;  ///< threads
};

TEST(reduce_plan, choices_are_pinned) {
  for (const auto& [n, item_bytes, threads, strategy, used] :
       {expected_reduce{0, 4, 8, "sequential", 1}, expected_reduce{31, 4, 8, "sequential", 1},
        expected_reduce{32, 4, 8, "slices", 1}, expected_reduce{65535, 4, 8, "slices", 1},
        expected_reduce{65536, 4, 8, "slices", 2}, expected_reduce{100 * mi, 4, 8, "slices", 8},
        expected_reduce{100 * mi, 1, 16, "slices", 16}, expected_reduce{65536, 16, 8, "slices", 8},
        expected_reduce{100 * mi, 4, 1, "slices", 1}}) {
    const plan made = explain(
        [n = n, item_bytes = item_bytes](auto& on) {
          if (item_bytes == 1) {
            reduce(on, items(static_cast<const std::uint8_t*>(nullptr), n), static_cast<std::uint8_t*>(nullptr), max{});
          } else if (item_bytes == 4) {
            reduce(on, items(static_cast<const float*>(nullptr), n), static_cast<float*>(nullptr), plus{});
          } else {
            reduce(on, items(static_cast<const matrix*>(nullptr), n), static_cast<matrix*>(nullptr), product{});
          }
        },
        host{.threads = threads});
    EXPECT_EQ(made.strategy, strategy) << n << " items\n" << to_string(made);
    EXPECT_EQ(made.primitive, "reduce");
    EXPECT_EQ(made.place, "cpu");
    EXPECT_FALSE(made.why.empty());
    EXPECT_EQ(made.at("reduce").grid, used) << n << " items of " << item_bytes;
  }
}

TEST(reduce_plan, states_the_bytes_that_the_call_takes) {
  std::vector<float> items(600000, 1);
  float sum = 0;
  for (const unsigned threads : host_space::thread_counts) {
    reduce_cpu_strategies::for_each([&](auto strategy) {
      const auto call = [&](auto&& on) { reduce(on, items, &sum, plus{}, {.strategy = strategy.name}); };
      const plan made = explain(call, host::here().with_threads(threads));
      counting_memory memory;
      call(cpu{.threads = threads, .memory = &memory});
      EXPECT_EQ(memory.total, made.temporary_bytes) << to_string(made);
      EXPECT_EQ(memory.outstanding, 0);
      if (memory.calls == 0) return;
      memory.fail_at = memory.calls + 1;
      EXPECT_THROW(call(cpu{.threads = threads, .memory = &memory}), std::bad_alloc);
      EXPECT_EQ(memory.outstanding, 0);
    });
  }
}

/// A sum that carries along what each addition lost (Neumaier).
template <class T>
double exact_sum(const std::vector<T>& items) {
  double sum = 0;
  double lost = 0;
  for (const double x : items) {
    const double next = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
  return sum + lost;
}

/// Numbers of both signs over many magnitudes.
template <class T>
std::vector<T> rough_items(std::size_t n, random& next) {
  std::vector<T> items(n);
  for (T& x : items) {
    x = static_cast<T>(std::ldexp(next.unit() - 0.4, static_cast<int>(next.below(20))));
  }
  return items;
}

template <class T>
class float_sums : public ::testing::Test {};
using floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(float_sums, floats);

TYPED_TEST(float_sums, keep_their_bound) {
  using T = TypeParam;
  random next(seed());
  for (const std::size_t n : {10U, 1000U, 65537U, 3000001U}) {
    const std::vector<T> items = rough_items<T>(n, next);
    double magnitudes = 0;
    for (const T x : items) magnitudes += std::abs(x);
    for (const unsigned threads : host_space::thread_counts) {
      T sum = 0;
      reduce(cpu{.threads = threads}, items, &sum, plus{});
      const plan made = explain([&](auto& on) { reduce(on, items, &sum, plus{}); }, host{.threads = threads});
      const auto p = static_cast<double>(made.at("reduce").grid);
      const double lanes = 4 * detail::pack<T>::lanes;  // accumulators of a short slice; a long one has more
      const double steps = static_cast<double>(n) / p / lanes + lanes + 8 + p;
      const double bound = steps * std::numeric_limits<T>::epsilon() / 2 * magnitudes;
      EXPECT_LE(std::abs(sum - exact_sum(items)), bound) << n << " items, " << threads << " threads";
    }
  }
}

TYPED_TEST(float_sums, repeat_their_bits) {
  using T = TypeParam;
  random next(seed() + 1);
  for (const std::size_t n : {1000U, 300007U, 2000003U}) {
    const std::vector<T> items = rough_items<T>(n, next);
    for (const unsigned threads : host_space::thread_counts) {
      T first = 0;
      reduce(cpu{.threads = threads}, items, &first, plus{});
      for (int k = 0; k < 10; ++k) {
        std::vector<T> elsewhere(n);  // nor does the address matter
        std::copy(items.begin(), items.end(), elsewhere.begin());
        T again = 0;
        reduce(cpu{.threads = threads}, elsewhere, &again, plus{});
        using bits = detail::bits_of<T>;
        EXPECT_EQ(std::bit_cast<bits>(first), std::bit_cast<bits>(again)) << n << " items, " << threads << " threads";
      }
    }
  }
}

TEST(reduce, more_than_32_bits_of_items) {
  const char* const wanted = std::getenv("PENEIRA_HUGE");
  if (wanted == nullptr || std::string_view(wanted) != "1") GTEST_SKIP() << "set PENEIRA_HUGE=1 (needs 5 GB)";
  const std::size_t n = (std::size_t{1} << 32U) + 12345;
  std::vector<std::uint8_t> bytes(n, 1);
  bytes[n - 5] = 200;
  reduce_cpu_strategies::for_each([&](auto strategy) {
    std::uint64_t sum = 0;
    reduce(cpu{.threads = 2}, bytes, &sum, plus{}, {.strategy = strategy.name});
    EXPECT_EQ(sum, n + 199) << strategy.name;
    indexed<std::uint8_t> most{};
    reduce(cpu{.threads = 2}, bytes, &most, arg_max{}, {.strategy = strategy.name});
    EXPECT_EQ(most, (indexed<std::uint8_t>{200, n - 5})) << strategy.name;
  });
  const std::vector<std::uint64_t> offsets{3, std::uint64_t{1} << 31U, (std::uint64_t{1} << 32U) + 7, n - 2};
  std::vector<std::uint64_t> sums(3);
  segmented_reduce_cpu_strategies::for_each([&](auto strategy) {
    segmented_reduce(cpu{.threads = 2}, bytes, offsets, sums, plus{}, {.strategy = strategy.name});
    EXPECT_EQ(sums[0], offsets[1] - offsets[0]) << strategy.name;
    EXPECT_EQ(sums[1], offsets[2] - offsets[1]) << strategy.name;
    EXPECT_EQ(sums[2], offsets[3] - offsets[2] + 199) << strategy.name;
  });
}

}  // namespace peneira::test
