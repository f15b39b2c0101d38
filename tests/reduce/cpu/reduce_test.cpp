// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// reduce on the CPU: what it refuses, what it plans, how exact it is, and that it repeats itself.
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "peneira/reduce.hpp"
#include "peneira/reduce/reference.hpp"
#include "peneira/segmented_reduce.hpp"
#include "tests/reduce/monoids.hpp"
#include "tests/support/common.hpp"

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
       {expected_reduce{0, 4, 8, "sequential", 1}, expected_reduce{15, 4, 8, "sequential", 1},
        expected_reduce{16, 4, 8, "slices", 1}, expected_reduce{65535, 4, 8, "slices", 1},
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

/// As many roundings as a pairwise sum has, and a few more.
template <class T>
double bound_of(const std::vector<T>& items) {
  double magnitudes = 0;
  for (const T x : items) magnitudes += std::abs(x);
  return (std::log2(static_cast<double>(items.size())) + 16) * std::numeric_limits<T>::epsilon() / 2 * magnitudes;
}

TYPED_TEST(float_sums, keep_their_bound) {
  using T = TypeParam;
  random next(seed());
  for (const std::size_t n : {10U, 15U, 16U, 100U, 1000U, 65537U, 3000001U}) {
    const std::vector<T> items = rough_items<T>(n, next);
    const std::vector<T> alike(n, T(0.1));
    for (const std::vector<T>& in : {items, alike}) {
      const T sum = reduce(cpu{.threads = 2}, in, plus{});
      EXPECT_LE(std::abs(sum - exact_sum(in)), bound_of(in)) << n << " items";
    }
  }
}

/// numpy's sums are 100000.008 and 100000.00000000003.
TYPED_TEST(float_sums, of_a_million_tenths_are_as_close_as_numpys) {
  using T = TypeParam;
  const std::vector<T> tenths(1000000, T(0.1));
  const double off = std::abs(reduce(cpu{}, tenths, plus{}) - exact_sum(tenths));
  EXPECT_LE(off, (std::is_same_v<T, float> ? 0.0066 : 3e-11));
}

template <class Result, class T, class Op>
void expect_any_threads(const std::vector<T>& items, const Op& op, const char* what) {
  const auto wanted = reduce<Result>(cpu{.threads = 1}, items, op);
  for (unsigned threads = 2; threads < 20; ++threads) {
    const std::vector<T> elsewhere(items);  // nor does the address matter
    const auto got = reduce<Result>(cpu{.threads = threads}, elsewhere, op);
    EXPECT_EQ(std::memcmp(&wanted, &got, sizeof got), 0)
        << what << " of " << items.size() << " items, " << threads << " threads";
  }
}

TYPED_TEST(float_sums, have_the_same_bits_with_any_number_of_threads) {
  using T = TypeParam;
  random next(seed() + 1);
  const auto adds = [](auto a, auto b) { return a + b; };
  for (const std::size_t n : {0U, 1U, 17U, 1000U, 70001U, 131072U, 300007U, 2000003U}) {
    std::vector<T> items = rough_items<T>(n, next);
    expect_any_threads<T>(items, plus{}, "sum");
    expect_any_threads<double>(items, plus{}, "sum in double");
    expect_any_threads<double>(items, op{0, adds}, "sum in order");
    for (std::size_t k = 0; k < n; k += 1 + next.below(1000)) items[k] = k % 2 == 0 ? T(0) : -T(0);
    for (T& x : items) x = std::abs(x);
    expect_any_threads<T>(items, min{}, "least");
    for (T& x : items) x = T(1) + x / T(1 << 20) / 1000;
    expect_any_threads<T>(items, multiplies{}, "product");
  }
}

/// NaN at a few places; then nothing but NaN.
TYPED_TEST(float_sums, least_and_greatest_are_nan_where_one_is) {
  using T = TypeParam;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  random next(seed() + 2);
  for (const std::size_t n : {1U, 3U, 17U, 63U, 1000U, 5000U, 300007U}) {
    for (int k = 0; k < 20; ++k) {
      std::vector<T> items = rough_items<T>(n, next);
      std::size_t first = next.below(n);
      items[first] = nan;
      for (std::size_t more = next.below(3); more != 0; --more) {
        const std::size_t at = next.below(n);
        items[at] = -nan;
        first = std::min(first, at);
      }
      if (k == 0) items.assign(n, nan), first = 0;
      const cpu on{.threads = static_cast<unsigned>(1 + next.below(5))};
      EXPECT_TRUE(std::isnan(reduce(on, items, min{}))) << first << " of " << n;
      EXPECT_TRUE(std::isnan(reduce(on, items, max{}))) << first << " of " << n;
      EXPECT_TRUE(std::isnan(reduce<double>(on, items, max{}))) << first << " of " << n;
      for (const auto& [value, index] : {reduce(on, items, arg_min{}), reduce(on, items, arg_max{})}) {
        EXPECT_TRUE(std::isnan(value)) << first << " of " << n;
        EXPECT_EQ(index, first) << n;
      }
      EXPECT_TRUE(std::isnan(reference::reduce<T>(items.data(), 0, n, min{})));
    }
  }
}

TEST(reduce, returns_what_it_would_write) {
  const std::vector<std::uint8_t> bytes{200, 100, 50};
  const auto most = reduce(cpu{}, bytes, max{});
  static_assert(std::is_same_v<decltype(most), const std::uint8_t>);
  EXPECT_EQ(most, 200);
  EXPECT_EQ(reduce(cpu{}, bytes, plus{}), 350 % 256) << "the item's type, as std::reduce has it";
  EXPECT_EQ(reduce<std::uint64_t>(cpu{}, bytes, plus{}, {.strategy = "sequential"}), 350U);
  EXPECT_EQ(reduce(cpu{}, bytes, arg_min{}), (indexed<std::uint8_t>{50, 2}));
  static_assert(std::is_same_v<decltype(reduce(cpu{}, bytes, logical_or{})), bool>);
  EXPECT_THROW(reduce(cpu{}, bytes, plus{}, {.strategy = "by_hand"}), std::invalid_argument);
  const plan made = explain([&](auto& on) { reduce(on, bytes, plus{}); }, host{.threads = 4});
  EXPECT_EQ(made.strategy, "sequential");
}

TEST(reduce, takes_functions_with_an_identity) {
  random next(seed() + 3);
  std::vector<std::uint32_t> items(70000);
  for (std::uint32_t& x : items) x = static_cast<std::uint32_t>(12 * next.below(1000000));
  const auto gcd = [](std::uint32_t a, std::uint32_t b) { return std::gcd(a, b); };
  const std::uint32_t wanted = std::accumulate(items.begin(), items.end(), 0U, gcd);
  for (const unsigned threads : host_space::thread_counts) {
    EXPECT_EQ(reduce(cpu{.threads = threads}, items, op{0, gcd}), wanted);
    EXPECT_EQ(reduce(cpu{.threads = threads}, items, op{0, gcd, commutative}), wanted);
  }
  EXPECT_FALSE(detail::is_commutative<decltype(op{0, gcd})>);
  EXPECT_TRUE((detail::is_commutative<decltype(op{0, gcd, commutative})>));
  EXPECT_EQ(reduce(cpu{}, std::vector<std::uint32_t>{}, op{7, gcd}), 7U);
  const std::uint32_t offset = 3;  // a function with something in it
  EXPECT_EQ(reduce(cpu{}, items,
                   op{0,
                      [offset](auto a, auto b) {
                        return std::max({a, b, offset});
                      }}),
            std::max(offset, *std::max_element(items.begin(), items.end())));
}

TEST(reduce, takes_the_operators_of_the_standard_library) {
  const std::vector<int> items{6, 3, 5};
  EXPECT_EQ(reduce(cpu{}, items, std::plus<>{}), 14);
  EXPECT_EQ(reduce(cpu{}, items, std::plus<int>{}), 14);
  EXPECT_EQ(reduce(cpu{}, std::vector<float>{0.5F, 1}, std::plus<double>{}), 1.5);
  EXPECT_EQ(reduce(cpu{}, items, std::multiplies<>{}), 90);
  EXPECT_EQ(reduce(cpu{}, items, std::bit_and<>{}), 0);
  EXPECT_EQ(reduce(cpu{}, items, std::bit_or<>{}), 7);
  EXPECT_EQ(reduce(cpu{}, items, std::bit_xor<int>{}), 6 ^ 3 ^ 5);
  EXPECT_EQ(reduce(cpu{}, items, std::logical_and<>{}), true);
  EXPECT_EQ(reduce<int>(cpu{}, items, std::logical_or<>{}), 1);
  long sum = 0;
  reduce(cpu{}, items, &sum, std::plus<>{});
  EXPECT_EQ(sum, 14);
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
