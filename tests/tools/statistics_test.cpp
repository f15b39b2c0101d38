// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the benchmarks make of the times of their runs.
#include "bench/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "bench/harness.hpp"

namespace peneira::bench {
namespace {

TEST(statistics, median_and_spread) {
  const timing odd = summarise({5, 1, 4, 2, 3});
  EXPECT_EQ(odd.seconds, 3);
  EXPECT_DOUBLE_EQ(odd.spread, (4.0 - 2.0) / 2 / 3);
  EXPECT_DOUBLE_EQ(odd.mean, 3);
  EXPECT_DOUBLE_EQ(odd.mean_half, mean_of({1, 2, 3, 4, 5}).half_interval);
  EXPECT_EQ(summarise({4, 1, 2, 3}).seconds, 2.5);
}

/// The ranks that tables of the sign test give; without six times there is no such interval.
TEST(statistics, ranks_of_the_median) {
  const std::vector<std::pair<std::size_t, std::size_t>> known{
      {1, 0}, {5, 0}, {6, 1}, {7, 1}, {8, 1}, {9, 2}, {12, 3}, {15, 4}, {20, 6}, {31, 10}, {100, 40}, {1000, 469}};
  for (const auto& [n, k] : known) EXPECT_EQ(median_rank(n), k) << n;
}

TEST(statistics, points_of_student_t) {
  const std::vector<std::pair<std::size_t, double>> known{{1, 12.706}, {2, 4.303},  {4, 2.776},  {5, 2.571},
                                                          {9, 2.262},  {14, 2.145}, {29, 2.045}, {99, 1.984}};
  for (const auto& [freedom, t] : known) EXPECT_NEAR(student_t(freedom), t, 0.004) << freedom;
}

TEST(statistics, interval_by_ranks) {
  const timing t = summarise({15, 1, 14, 2, 13, 3, 12, 4, 11, 5, 10, 6, 9, 7, 8});
  EXPECT_EQ(t.seconds, 8);
  EXPECT_EQ(t.low, 4);
  EXPECT_EQ(t.high, 12);
}

TEST(statistics, interval_of_few_runs) {
  const timing t = summarise({11, 10, 12});
  EXPECT_NEAR(t.low, 11 - 4.303 / std::sqrt(3.0), 1e-3);
  EXPECT_NEAR(t.high, 11 + 4.303 / std::sqrt(3.0), 1e-3);
  const timing wide = summarise({1, 100});
  EXPECT_EQ(wide.low, 0);  // no time is negative
  const timing one = summarise({3});
  EXPECT_EQ(one.seconds, 3);
  EXPECT_EQ(one.high, 0);  // not known
}

/// Times are skewed: of exponential ones, whose median is ln 2, the interval must hold it as often as it says.
TEST(statistics, interval_holds_the_median) {
  for (const std::size_t runs : {6U, 7U, 9U, 15U, 31U}) {
    std::mt19937_64 random(runs);
    std::exponential_distribution<double> draw(1);
    constexpr int tries = 20'000;
    int held = 0;
    for (int i = 0; i < tries; ++i) {
      std::vector<double> times(runs);
      std::generate(times.begin(), times.end(), [&] { return draw(random); });
      const timing t = summarise(std::move(times));
      EXPECT_LE(t.low, t.seconds);
      EXPECT_GE(t.high, t.seconds);
      held += static_cast<int>(t.low <= std::log(2.0) && std::log(2.0) <= t.high);
    }
    EXPECT_GE(held, tries * 0.945) << runs;
    EXPECT_LE(held, tries * 0.99) << runs;
  }
}

TEST(statistics, mean_and_its_interval) {
  const mean_time m = mean_of({1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(m.mean, 3);
  EXPECT_NEAR(m.half_interval, 2.776 * std::sqrt(2.5 / 5), 1e-9);
  EXPECT_EQ(mean_of({2}).half_interval, 0);
}

TEST(statistics, runs_end_in_time) {
  int calls = 0;
  const auto work = [&] { ++calls; };
  EXPECT_EQ(time_runs({5}, work).runs, 5U);
  EXPECT_EQ(calls, 6);  // one to warm up
  EXPECT_EQ(time_runs({100, 1e-12}, work).runs, 3U);
  EXPECT_EQ(time_runs({2, 1e-12}, work).runs, 2U);
  EXPECT_EQ(time_runs({20, 60}, work).runs, 20U);
}

}  // namespace
}  // namespace peneira::bench
