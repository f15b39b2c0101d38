// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The keys of the sweep's problems have the shapes that they are told to have.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "bench/sweep/problem.hpp"
#include "tests/tools/sweep_keys.hpp"

namespace peneira::bench::sweep {
namespace {

template <class T = std::uint32_t>
std::vector<T> made(const spread& s, std::size_t n, std::uint64_t seed = 7) {
  keys_recipe keys;
  keys.first = s;
  return made_by<T>(keys, n, seed);
}

template <class T>
std::size_t distinct(const std::vector<T>& items) {
  return std::set<T>(items.begin(), items.end()).size();
}
/// Places where an item is less than the one before it.
template <class T>
std::size_t descents(const std::vector<T>& items) {
  std::size_t found = 0;
  for (std::size_t i = 1; i < items.size(); ++i) found += static_cast<std::size_t>(items[i] < items[i - 1]);
  return found;
}

TEST(sweep, sorted_shapes) {
  constexpr std::size_t n = 4096;
  EXPECT_EQ(descents(made({shape::sorted}, n)), 0U);
  auto reversed = made({shape::sorted, 0, 1}, n);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(descents(reversed), 0U);
  EXPECT_EQ(descents(made<float>({shape::sorted}, n)), 0U);
  EXPECT_EQ(descents(made<std::int64_t>({shape::sorted}, n)), 0U);
  EXPECT_EQ(descents(made({shape::runs, 64}, n)), n / 64 - 1);
  EXPECT_EQ(descents(made({shape::sawtooth, 16}, n)), 15U);
  const auto nearly = descents(made({shape::nearly_sorted, 64}, n));
  EXPECT_GT(nearly, n / 64 / 4);
  EXPECT_LT(nearly, n / 64 * 2);
}

TEST(sweep, runs_differ_and_teeth_do_not) {
  const auto runs = made({shape::runs, 64}, 128);
  EXPECT_FALSE(std::equal(runs.begin(), runs.begin() + 64, runs.begin() + 64));
  const auto teeth = made({shape::sawtooth, 2}, 128);
  EXPECT_TRUE(std::equal(teeth.begin(), teeth.begin() + 64, teeth.begin() + 64));
}

TEST(sweep, an_organ_pipe_goes_up_and_down_once) {
  const auto pipe = made({shape::organ, 1}, 1001);
  const auto top = std::max_element(pipe.begin(), pipe.end());
  EXPECT_TRUE(std::is_sorted(pipe.begin(), top));
  EXPECT_TRUE(std::is_sorted(std::make_reverse_iterator(pipe.end()), std::make_reverse_iterator(top)));
  EXPECT_NEAR(static_cast<double>(top - pipe.begin()), 500, 2);
}

TEST(sweep, bits_that_stay_the_same) {
  for (const std::uint64_t bits : {1, 5, 13, 31}) {
    std::uint32_t differ = 0;
    const auto low = made({shape::low_bits, bits}, 5000);
    for (const std::uint32_t key : low) differ |= key ^ low[0];
    EXPECT_EQ(static_cast<unsigned>(std::bit_width(differ)), bits);
    differ = 0;
    const auto high = made({shape::high_bits, bits}, 5000);
    for (const std::uint32_t key : high) differ |= key ^ high[0];
    EXPECT_EQ(static_cast<unsigned>(32 - std::countr_zero(differ)), bits);
  }
  EXPECT_EQ(distinct(made({shape::constant}, 1000)), 1U);
}

TEST(sweep, values_and_masks) {
  for (const std::uint64_t count : {2, 17, 300}) EXPECT_EQ(distinct(made({shape::few, count}, 20000)), count);
  EXPECT_LE(distinct(made({shape::clusters, 9, 32}, 20000)), 18U);  // each may lie across a border
  std::uint64_t set = 0;
  for (const std::uint64_t key : made<std::uint64_t>({shape::masks, 3}, 5000)) set |= key;
  EXPECT_GE(std::popcount(set), 1);
  EXPECT_LE(std::popcount(set), 20);
}

TEST(sweep, narrow_shapes_are_narrow) {
  const auto width = [](const std::vector<std::uint32_t>& keys) {
    const auto [least, most] = std::minmax_element(keys.begin(), keys.end());
    return std::uint64_t{*most} - *least;
  };
  EXPECT_LE(width(made({shape::uniform, 12, 5}, 10000)), std::uint64_t{1} << 20U);
  EXPECT_GT(width(made({shape::uniform, 0, 0}, 10000)), std::uint64_t{1} << 31U);
  EXPECT_LE(width(made({shape::normal, 10, 0}, 10000)), std::uint64_t{1} << 22U);
  const auto zipf = made({shape::zipf, 2}, 10000);
  EXPECT_GT(std::count(zipf.begin(), zipf.end(), 0U), 100);
  const auto times = made<std::uint64_t>({shape::timestamps, 100, 50}, 1000);
  EXPECT_LE(times.back() - times.front(), 1001U * 100 + 150);
  EXPECT_GE(times.back() - times.front(), 998U * 100);
}

TEST(sweep, mixtures_have_both) {
  keys_recipe keys;
  keys.first = {shape::constant};
  keys.second = {shape::uniform};
  keys.mixed = 64;
  const auto items = made_by<std::uint32_t>(keys, 10000);
  const auto one = made({shape::constant}, 1)[0];
  EXPECT_NEAR(static_cast<double>(std::count(items.begin(), items.end(), one)), 7500, 300);
}

TEST(sweep, floats_are_never_nan) {
  for (std::uint64_t i = 0; i < 400; ++i) {
    draws from(9, i);
    const keys_recipe keys = draw_keys(from, 2000, 24, true, false);
    for (const float x : made_by<float>(keys, 2000, i)) ASSERT_FALSE(std::isnan(x)) << describe(keys);
    const keys_recipe plain = draw_keys(from, 2000, 53, true, true);
    for (const double x : made_by<double>(plain, 500, i)) ASSERT_TRUE(x >= 0 && std::isfinite(x)) << describe(plain);
  }
}

TEST(sweep, specials_and_forms) {
  keys_recipe keys;
  keys.specials = 1U << 15U;
  const auto items = made_by<float>(keys, 4000);
  const auto has = [&](auto is) { return std::any_of(items.begin(), items.end(), is); };
  EXPECT_TRUE(has([](float x) { return x == std::numeric_limits<float>::infinity(); }));
  EXPECT_TRUE(has([](float x) { return x == 0 && std::signbit(x); }));
  EXPECT_TRUE(has([](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }));
  keys = {};
  keys.form = float_form::centred;
  keys.exponent = 10;
  const auto centred = made_by<double>(keys, 1000);
  EXPECT_LT(*std::min_element(centred.begin(), centred.end()), -900);
  EXPECT_GT(*std::max_element(centred.begin(), centred.end()), 900);
}

}  // namespace
}  // namespace peneira::bench::sweep
