// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The quicksort of AVX-512, in every size of its registers and around them, and where its pivots are bad.
#include "peneira/sort/cpu/vector_sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/common.hpp"

namespace peneira::test {

#if defined(PENEIRA_AVX512)

template <class U>
class vector_sort : public testing::Test {
 protected:
  void SetUp() override {
    if (!detail::has_avx512()) GTEST_SKIP() << "this processor has no AVX-512";
  }
};
using number_types = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(vector_sort, number_types);

/// Sorts numbers that are written flipped, with something around that must stay. How often another sort was asked for.
template <class U>
std::size_t expect_sorted(const std::vector<U>& numbers, U flip, unsigned depth) {
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
  for (U& x : wanted) x ^= flip;
  const detail::quick_sort sort(flip, otherwise);
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

template <class U>
std::vector<U> numbers_below(std::size_t n, U most, random& next) {
  std::vector<U> keys(n);
  for (U& key : keys) key = most == 0 ? static_cast<U>(next()) : static_cast<U>(next.below(most));
  return keys;
}

/// A network that sorts all zeros and ones sorts anything: here random ones, of many shares of ones.
TYPED_TEST(vector_sort, registers_of_zeros_and_ones_where_they_are) {
  constexpr std::size_t around = 3;
  constexpr auto stays = static_cast<TypeParam>(0xA5A5A5A5A5A5A5A5U);
  using network = detail::register_sort<TypeParam>;
  random next(seed() + 4);
  for (std::size_t n = 0; n <= network::most && !this->HasFailure(); ++n) {
    for (unsigned ones = 0; ones <= 16; ++ones) {
      const auto flip = static_cast<TypeParam>(next());
      std::vector<TypeParam> keys(n + 2 * around, stays);
      for (std::size_t i = 0; i < n; ++i) keys[around + i] = static_cast<TypeParam>((next.below(16) < ones) ^ flip);
      std::vector<TypeParam> wanted = keys;
      std::sort(wanted.begin() + around, wanted.end() - around,
                [flip](TypeParam a, TypeParam b) { return (a ^ flip) < (b ^ flip); });
      network::sort_few(keys.data() + around, n, keys.data() + around, flip, flip);
      EXPECT_EQ(keys, wanted) << n << " numbers";
    }
  }
}

TYPED_TEST(vector_sort, every_small_size) {
  random next(seed() + 1);
  for (std::size_t n = 0; n <= 600 && !this->HasFailure(); ++n) {
    for (const TypeParam most : {0, 1, 3, 50})
      EXPECT_EQ(expect_sorted<TypeParam>(numbers_below(n, most, next), 0, 0), 0U);
  }
}

TYPED_TEST(vector_sort, large_sizes_and_flips) {
  random next(seed() + 2);
  const auto sign = static_cast<TypeParam>(TypeParam{1} << (8 * sizeof(TypeParam) - 1));
  for (const std::size_t n : {1000U, 4097U, 65536U, 100003U, 300000U}) {
    for (const TypeParam flip : {TypeParam{0}, sign, static_cast<TypeParam>(~TypeParam{0})}) {
      for (const TypeParam most : {0, 7, 1000, 100000}) {
        SCOPED_TRACE(std::to_string(most));
        EXPECT_EQ(expect_sorted<TypeParam>(numbers_below(n, most, next), flip, 0), 0U);
      }
    }
  }
}

TYPED_TEST(vector_sort, orders_that_are_there_already) {
  for (const std::size_t n : {256U, 257U, 5000U, 70000U}) {
    std::vector<TypeParam> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<TypeParam>(i);
    EXPECT_EQ(expect_sorted<TypeParam>(keys, 0, 0), 0U);
    EXPECT_EQ(expect_sorted<TypeParam>(keys, static_cast<TypeParam>(~TypeParam{0}), 0), 0U);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<TypeParam>(i < n / 2 ? i : n - i);
    expect_sorted<TypeParam>(keys, 0, 0);
    std::fill(keys.begin(), keys.end(), static_cast<TypeParam>(~TypeParam{0}));
    EXPECT_EQ(expect_sorted<TypeParam>(keys, 0, 0), 0U);
  }
}

TYPED_TEST(vector_sort, another_sort_when_parts_stay_large) {
  random next(seed() + 3);
  for (const unsigned depth : {1U, 2U, 3U, 4U}) {
    for (const TypeParam flip : {TypeParam{0}, static_cast<TypeParam>(~TypeParam{0})}) {
      EXPECT_GT(expect_sorted<TypeParam>(numbers_below<TypeParam>(20000, 0, next), flip, depth), 0U);
    }
  }
}

#else

TEST(vector_sort, is_not_compiled_for_this_processor) {
  GTEST_SKIP() << "AVX-512 is of x86";
}

#endif

}  // namespace peneira::test
