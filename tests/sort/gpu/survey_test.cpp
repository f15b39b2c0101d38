// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Which way the survey of a sort goes, levels or passes, for samples of many distributions: without a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "peneira/sort.hpp"
#include "tests/support/survey_reference.hpp"

namespace peneira::test {

/// Keys of so many bits, as draw(generator) makes them.
using generator = std::mt19937_64;
using distribution = std::function<std::uint64_t(generator&)>;

constexpr std::size_t million = 1'000'000;

struct surveyed_sort {
  std::size_t items;
  std::size_t key_bytes;
  bool with_values;
};

/// Whether a survey of keys that are drawn so chooses passes.
bool goes_upwards(const surveyed_sort& sort, const distribution& draw, std::uint64_t seed = 1) {
  const sort_problem problem =
      sort_problem::by_whole_keys(sort.items, sort.key_bytes, sort.with_values ? sort.key_bytes : 0);
  const detail::sort_survey survey = sort_strategies::msd::survey_of(sort_strategies::msd::decide(problem, device{}));
  generator random(seed);
  std::vector<std::uint64_t> keys(survey.keys_a_thread * std::size_t{detail::survey_threads});
  for (std::uint64_t& key : keys) key = draw(random);
  return surveyed_sample(keys, survey).goes_upwards();
}

distribution uniform(unsigned bits) {
  return [bits](generator& random) { return random() >> (64 - bits); };
}
/// Of keys of so many bits, with a deviation of 2^deviation.
distribution normal(unsigned bits, int deviation) {
  return [bits, deviation](generator& random) {
    std::normal_distribution<double> bell(std::ldexp(1, static_cast<int>(bits) - 1), std::ldexp(1, deviation));
    return static_cast<std::uint64_t>(std::clamp(bell(random), 0.0, std::ldexp(0.99, static_cast<int>(bits))));
  };
}
distribution exponential(unsigned bits, int mean) {
  return [bits, mean](generator& random) {
    std::exponential_distribution<double> decay(std::ldexp(1, -mean));
    return static_cast<std::uint64_t>(std::min(decay(random), std::ldexp(0.99, static_cast<int>(bits))));
  };
}
/// Ranks of a power law, spread over all keys.
distribution heavy(unsigned bits, double power) {
  return [bits, power](generator& random) {
    const double rank = std::pow(std::uniform_real_distribution<double>(1e-9, 1)(random), -1 / power);
    return mix64(static_cast<std::uint64_t>(std::min(rank, 1e9))) >> (64 - bits);
  };
}
distribution few_values(unsigned bits, std::uint64_t values) {
  return [bits, values](generator& random) { return mix64(random() % values + 1) >> (64 - bits); };
}
distribution and_of(unsigned bits, int uniform_ones) {
  return [bits, uniform_ones](generator& random) {
    std::uint64_t key = ~std::uint64_t{0};
    for (int k = 0; k < uniform_ones; ++k) key &= random() >> (64 - bits);
    return key;
  };
}

/// Keys that are spread are sorted by levels, all in one small range, too, if they are wide.
TEST(gpu_sort_survey, takes_levels_where_keys_are_spread) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const std::size_t n : {30 * million, 64 * million, 200 * million}) {
      EXPECT_FALSE(goes_upwards({n, 4, false}, uniform(32), seed)) << n;
    }
    for (const std::size_t n : {3 * million, 16 * million, 100 * million}) {
      for (const bool with_values : {false, true}) {
        EXPECT_FALSE(goes_upwards({n, 8, with_values}, uniform(64), seed)) << n;
        EXPECT_FALSE(goes_upwards({n, 8, with_values}, uniform(49), seed)) << n << ", 49 low bits";
        EXPECT_FALSE(goes_upwards({n, 8, with_values}, few_values(64, 20), seed)) << n << ", 20 values";
      }
    }
    EXPECT_FALSE(goes_upwards({40 * million, 8, false}, exponential(64, 58), seed));
    EXPECT_FALSE(goes_upwards({40 * million, 8, false}, normal(64, 58), seed));
  }
}

/// Smooth and narrow keys of 32 bits are left to passes: levels take three to four sweeps, too, and are not as even.
TEST(gpu_sort_survey, takes_passes_where_levels_have_to_go_deep) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    for (const std::size_t n : {16 * million, 43 * million, 80 * million}) {
      for (const bool with_values : {false, true}) {
        EXPECT_TRUE(goes_upwards({n, 4, with_values}, normal(32, 26), seed)) << n;
        EXPECT_TRUE(goes_upwards({n, 4, with_values}, exponential(32, 24), seed)) << n;
        EXPECT_TRUE(goes_upwards({n, 4, with_values}, uniform(23), seed)) << n << ", 23 low bits";
        EXPECT_TRUE(goes_upwards({n, 4, with_values}, and_of(32, 3), seed)) << n;
        EXPECT_TRUE(goes_upwards({n, 8, with_values}, and_of(64, 4), seed)) << n;
        EXPECT_TRUE(goes_upwards({n, 8, with_values}, uniform(20), seed)) << n << ", 20 low bits";
      }
    }
  }
}

/// Hot keys among others: levels part them again and again. Of wide keys passes take longer still.
TEST(gpu_sort_survey, takes_passes_for_narrow_hot_keys) {
  for (const double power : {0.5, 0.8, 1.1}) {
    for (const std::size_t n : {12 * million, 23 * million, 50 * million}) {
      for (const bool with_values : {false, true}) {
        EXPECT_TRUE(goes_upwards({n, 4, with_values}, heavy(32, power))) << n << ", " << power;
      }
    }
  }
  EXPECT_FALSE(goes_upwards({46 * million, 8, false}, heavy(64, 1.0)));
}

}  // namespace peneira::test
