// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Windows, which fold many short segments at a time by vectors: each by itself, whatever the automatic choice.
#include <cmath>

#include "peneira/segmented_reduce.hpp"
#include "tests/reduce/monoids.hpp"
#include "tests/segmented_reduce/segments.hpp"
#include "tests/support/common.hpp"

namespace peneira::test {

using u32 = std::uint32_t;

/// Windows of so many packs, which read a pack past segments, of any number of segments and any of their sizes.
template <std::size_t Packs, class T, class Fold>
void expect_windows(Fold&& fold) {
  random next(seed() + 9);
  constexpr std::size_t past = detail::pack<T>::lanes;
  constexpr std::size_t lanes = Packs * past;
  for (std::size_t count = 0; count < 600; count = count < 20 ? count + 1 : count * 2) {
    std::vector<u32> offsets{3};
    for (std::size_t s = 0; s < count; ++s) {
      offsets.push_back(offsets.back() + static_cast<u32>(next.below(next.below(5) == 0 ? 4 * lanes : lanes + 2)));
    }
    std::vector<T> made(offsets.back() + past);
    for (T& x : made) x = make_item<T, max>(next);
    const placed<T, host_space> numbers(made);  // not a byte longer, for the sanitizer
    const guarded<T, host_space> most(count);
    fold(numbers.data(), offsets.data(), count, most.data(), max{});
    const std::vector<T> found = most.read();
    for (std::size_t s = 0; s < count; ++s) {
      auto wanted = max::identity<T>();
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) wanted = max{}(wanted, made[i]);
      ASSERT_TRUE(alike(found[s], wanted)) << "segment " << s << " of " << count << ", " << Packs << " packs";
    }
  }
}

/// A sum has the same bits wherever among the others its segment lies, and is close; `most` items may be in one.
template <class T, class Fold>
void expect_sums(std::size_t most, Fold&& fold) {
  random next(seed() + 12);
  std::vector<u32> offsets{3};
  for (std::size_t s = 0; s < 300; ++s) {
    offsets.push_back(offsets.back() + static_cast<u32>(next.below(next.below(5) == 0 ? most + 1 : 40)));
  }
  for (const auto& numbers : {rough<T>(offsets.back() + 64, next), std::vector<T>(offsets.back() + 64, T(0.1))}) {
    std::vector<T> all(300);
    fold(numbers.data(), offsets.data(), 300, all.data(), plus{});
    for (int k = 0; k < 50; ++k) {
      const std::size_t from = next.below(300);
      std::vector<T> some(next.below(300 - from) + 1);
      fold(numbers.data(), offsets.data() + from, some.size(), some.data(), plus{});
      ASSERT_EQ(std::memcmp(some.data(), all.data() + from, some.size() * sizeof(T)), 0) << from;
    }
    for (std::size_t s = 0; s < 300; ++s) {
      long double exact = 0;
      long double magnitudes = 0;
      for (std::size_t i = offsets[s]; i < offsets[s + 1]; ++i) exact += numbers[i], magnitudes += std::abs(numbers[i]);
      const std::size_t m = offsets[s + 1] - offsets[s];
      const double steps = std::log2(static_cast<double>(std::max<std::size_t>(m, 1))) + 16;
      ASSERT_LE(std::abs(all[s] - exact), steps * std::numeric_limits<T>::epsilon() / 2 * magnitudes) << m << " items";
    }
  }
}

TEST(windows, give_sums_that_do_not_depend_on_neighbours) {
  if (!long_doubles_are_long()) GTEST_SKIP() << "valgrind computes with double instead of long double";
  expect_sums<float>(detail::window<1, float, plus>::most, [](auto... x) { detail::fold_by_windows<1>(x...); });
  expect_sums<double>(detail::window<1, double, plus>::most, [](auto... x) { detail::fold_by_windows<1>(x...); });
  expect_sums<float>(detail::window<2, float, plus>::most, [](auto... x) { detail::fold_by_windows<2>(x...); });
  expect_sums<double>(detail::window<3, double, plus>::most, [](auto... x) { detail::fold_by_windows<3>(x...); });
  expect_sums<float>(detail::window<4, float, plus>::most, [](auto... x) { detail::fold_by_windows<4>(x...); });
#if defined(PENEIRA_AVX512)
  if (!detail::has_avx512()) return;
  const std::size_t most = detail::masked_window<1, float, plus>::most;
  expect_sums<float>(most, [](auto... x) { detail::fold_by_masks<1>(x...); });
  expect_sums<float>(most, [](auto... x) { detail::fold_by_masks<4>(x...); });
  expect_sums<double>(most / 2, [](auto... x) { detail::fold_by_masks<2>(x...); });
#endif
}

TEST(windows, take_any_segments) {
  expect_windows<2, float>([](auto... with) { return detail::fold_by_windows<1>(with...); });
  expect_windows<16, float>([](auto... with) { return detail::fold_by_windows<4>(with...); });
  expect_windows<2, std::uint64_t>([](auto... with) { return detail::fold_by_windows<1>(with...); });
  expect_windows<4, std::uint16_t>([](auto... with) { return detail::fold_by_windows<2>(with...); });
  expect_windows<8, double>([](auto... with) { return detail::fold_by_windows<3>(with...); });
}

/// Windows are as small as most segments allow, however long the few others are, and none where most are long.
TEST(windows, are_chosen_for_most_segments) {
  const auto look = [](std::size_t count, std::size_t most, std::size_t one_in, std::size_t giant) {
    random next(seed() + 13);
    std::vector<u32> offsets{0};
    for (std::size_t s = 0; s < count; ++s) {
      offsets.push_back(offsets.back() + static_cast<u32>(next.below(one_in) == 0 ? giant : 1 + next.below(most)));
    }
    return detail::sample_sizes<float>(offsets.data(), count);
  };
  for (const std::size_t count : {20U, 500U, 5000U}) {
    for (const std::size_t giant : {100U, 3000U, 100000U}) {
      EXPECT_EQ(look(count, 2, 100, giant).best_levels(), 1U) << count << " segments, giants of " << giant;
      EXPECT_FALSE(look(count, 2, 3, giant).most_are_large());
    }
    std::size_t before = 1;
    for (const std::size_t most : {2U, 12U, 25U, 60U}) {
      const auto sizes = look(count, most, 1000000, 0);
      EXPECT_GE(sizes.best_levels(), before) << count << " segments of up to " << most;
      EXPECT_FALSE(sizes.most_are_large());
      before = sizes.best_levels();
    }
    EXPECT_GT(before, 2U);
    EXPECT_TRUE(look(count, 1, 1, 2000).most_are_large());
    EXPECT_LE(look(count, 9, 9, 900).seen, count);
    EXPECT_GE(look(count, 9, 9, 900).seen, std::min<std::size_t>(count, 16) / 2);
  }
}

#if defined(PENEIRA_AVX512)
TEST(windows, take_any_segments_by_masks) {
  if (!detail::has_avx512()) GTEST_SKIP() << "no AVX-512";
  expect_windows<4, float>([](auto... with) { return detail::fold_by_masks<1>(with...); });
  expect_windows<16, u32>([](auto... with) { return detail::fold_by_masks<4>(with...); });
  expect_windows<8, double>([](auto... with) { return detail::fold_by_masks<2>(with...); });
  expect_windows<16, std::int64_t>([](auto... with) { return detail::fold_by_masks<4>(with...); });
}
#endif

}  // namespace peneira::test
