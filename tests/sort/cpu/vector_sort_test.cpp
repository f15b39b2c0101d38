// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The networks and the quicksorts of AVX-512 and of AVX2, in every size of their registers and around them, and where
// pivots are bad.
#include "peneira/sort/cpu/vector_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/common.hpp"

namespace peneira::test {

#if defined(PENEIRA_AVX512)

/// A kind of vectors, and the numbers in them.
template <class U>
struct by_avx512 {
  using number = U;
  using network = detail::avx512::register_sort<U>;
  template <class Otherwise>
  using quick_sort = detail::avx512::quick_sort<U, Otherwise>;
  static bool is_here() { return detail::has_avx512(); }
};
template <class U>
struct by_avx2 {
  using number = U;
  using network = detail::avx2::register_sort<U>;
  template <class Otherwise>
  using quick_sort = detail::avx2::quick_sort<U, Otherwise>;
  static bool is_here() { return detail::has_avx2(); }
};

template <class Vectors>
class vector_sort : public testing::Test {
 protected:
  using number = typename Vectors::number;

  void SetUp() override {
    if (!Vectors::is_here()) GTEST_SKIP() << "this processor has no such vectors";
  }

  static std::size_t expect_sorted(const std::vector<number>& numbers, const detail::key_order<number>& written,
                                   unsigned depth);
  static std::vector<number> numbers_below(std::size_t n, number most, random& next) {
    std::vector<number> keys(n);
    for (number& key : keys) key = most == 0 ? static_cast<number>(next()) : static_cast<number>(next.below(most));
    return keys;
  }
  /// An order that only flips.
  static detail::key_order<number> flipped(number flip) { return {0, flip, 0}; }
  /// The orders of numbers, integers with a sign, floats and dates, ascending and descending.
  static std::vector<detail::key_order<number>> orders() {
    constexpr number infinity = sizeof(number) == 4 ? infinity_bits<float> : infinity_bits<double>;
    std::vector<detail::key_order<number>> all{
        {},
        detail::order_of_signed<number>(),
        detail::order_of_floats<number>(infinity),
        detail::order_of_signed<number>().less(1)};  // of dates: the lowest comes last
    for (std::size_t i = 0; i < 4; ++i) all.push_back(detail::reversed(all[i]));
    return all;
  }
};
using kinds_of_vectors =
    testing::Types<by_avx512<std::uint32_t>, by_avx512<std::uint64_t>, by_avx2<std::uint32_t>, by_avx2<std::uint64_t>>;
TYPED_TEST_SUITE(vector_sort, kinds_of_vectors);

/// Sorts numbers that are written as keys of an order, with something around that must stay. How often another sort was
/// asked for.
template <class Vectors>
std::size_t vector_sort<Vectors>::expect_sorted(const std::vector<number>& numbers,
                                                const detail::key_order<number>& written, unsigned depth) {
  using U = number;
  constexpr std::size_t around = 16;
  constexpr U stays = static_cast<U>(0xA5A5A5A5A5A5A5A5U);
  std::size_t asked = 0;
  const auto otherwise = [&](U* from, U* other, std::size_t n) {
    ++asked;
    std::fill_n(other, n, U{0});
    std::sort(from, from + n);
  };
  const auto edged = [&](std::vector<U> inner) {
    inner.insert(inner.begin(), around, stays);
    inner.insert(inner.end(), around, stays);
    return inner;
  };
  std::vector<U> wanted = numbers;
  std::sort(wanted.begin(), wanted.end());
  for (U& x : wanted) x = written.back(x);
  const typename Vectors::template quick_sort<decltype(otherwise)> sort(written, otherwise);
  std::vector<U> from = edged(numbers);
  std::vector<U> to = edged(std::vector<U>(numbers.size()));
  U* const first = from.data() + around;
  if (depth == 0) {
    sort.run(first, to.data() + around, numbers.size());
  } else {
    sort.run(first, to.data() + around, numbers.size(), depth);
  }
  EXPECT_EQ(to, edged(wanted)) << numbers.size() << " numbers";
  EXPECT_TRUE(std::all_of(from.begin(), from.begin() + around, [](U x) { return x == stays; }));
  EXPECT_TRUE(std::all_of(from.end() - around, from.end(), [](U x) { return x == stays; }));
  return asked;
}

/// A network that sorts all zeros and ones sorts anything: here random ones, of many shares of ones, in every order.
TYPED_TEST(vector_sort, registers_of_zeros_and_ones_where_they_are) {
  using U = typename TypeParam::number;
  constexpr std::size_t around = 3;
  constexpr auto stays = static_cast<U>(0xA5A5A5A5A5A5A5A5U);
  random next(seed() + 4);
  for (std::size_t n = 0; n <= TypeParam::network::most && !this->HasFailure(); ++n) {
    for (unsigned ones = 0; ones <= 16; ++ones) {
      auto by = this->orders()[ones % 8];
      if (ones % 4 == 3) by = this->flipped(static_cast<U>(next()));
      std::vector<U> keys(n + 2 * around, stays);
      for (std::size_t i = 0; i < n; ++i) keys[around + i] = by.back(static_cast<U>(next.below(16) < ones));
      std::vector<U> wanted = keys;
      std::sort(wanted.begin() + around, wanted.end() - around, [by](U a, U b) { return by(a) < by(b); });
      TypeParam::network::sort_few(keys.data() + around, n, keys.data() + around, by, by);
      EXPECT_EQ(keys, wanted) << n << " numbers";
    }
  }
}

/// What is read in one order may be written in another.
TYPED_TEST(vector_sort, registers_of_any_numbers_and_orders) {
  using U = typename TypeParam::number;
  random next(seed() + 5);
  for (std::size_t n = 1; n <= TypeParam::network::most && !this->HasFailure(); n += 1 + n / 8) {
    for (const auto& read : this->orders()) {
      for (const auto& written : this->orders()) {
        const std::vector<U> keys = this->numbers_below(n, 0, next);
        std::vector<U> wanted = keys;
        for (U& x : wanted) x = read(x);
        std::sort(wanted.begin(), wanted.end());
        for (U& x : wanted) x = written.back(x);
        std::vector<U> got(n);
        TypeParam::network::sort_few(keys.data(), n, got.data(), read, written);
        EXPECT_EQ(got, wanted) << n << " numbers";
      }
    }
  }
}

TYPED_TEST(vector_sort, every_small_size) {
  random next(seed() + 1);
  for (std::size_t n = 0; n <= 600 && !this->HasFailure(); ++n) {
    for (const unsigned most : {0U, 1U, 3U, 50U}) {
      EXPECT_EQ(this->expect_sorted(this->numbers_below(n, most, next), {}, 0), 0U);
    }
  }
}

TYPED_TEST(vector_sort, large_sizes_and_orders) {
  random next(seed() + 2);
  for (const std::size_t n : {1000U, 4097U, 65536U, 100003U, 300000U}) {
    for (const auto& written : this->orders()) {
      for (const unsigned most : {0U, 7U, 1000U, 100000U}) {
        SCOPED_TRACE(std::to_string(most));
        EXPECT_EQ(this->expect_sorted(this->numbers_below(n, most, next), written, 0), 0U);
      }
    }
  }
}

TYPED_TEST(vector_sort, orders_that_are_there_already) {
  using U = typename TypeParam::number;
  for (const std::size_t n : {256U, 257U, 5000U, 70000U}) {
    std::vector<U> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<U>(i);
    EXPECT_EQ(this->expect_sorted(keys, {}, 0), 0U);
    EXPECT_EQ(this->expect_sorted(keys, this->flipped(static_cast<U>(~U{0})), 0), 0U);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<U>(i < n / 2 ? i : n - i);
    this->expect_sorted(keys, {}, 0);
    std::fill(keys.begin(), keys.end(), static_cast<U>(~U{0}));
    EXPECT_EQ(this->expect_sorted(keys, {}, 0), 0U);
  }
}

TYPED_TEST(vector_sort, another_sort_when_parts_stay_large) {
  random next(seed() + 3);
  for (const unsigned depth : {1U, 2U, 3U, 4U}) {
    for (const auto& written : this->orders()) {
      EXPECT_GT(this->expect_sorted(this->numbers_below(20000, 0, next), written, depth), 0U);
    }
  }
}

#else

TEST(vector_sort, is_not_compiled_for_this_processor) {
  GTEST_SKIP() << "AVX-512 and AVX2 are of x86";
}

#endif

}  // namespace peneira::test
