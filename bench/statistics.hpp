// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What is made of the times of some runs: the median, its spread and its interval; the mean and its interval.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace peneira::bench {

/// The times of some runs in short.
struct timing {
  double seconds = 0;  ///< median
  double spread = 0;   ///< half the distance of the quartiles, over the median
  double low = 0;      ///< the 95% confidence interval of the time, in seconds; 0 and 0: not known
  double high = 0;
  std::size_t runs = 0;
  double mean = 0;       ///< of the times, as papers report it; 0: not known
  double mean_half = 0;  ///< half of its 95% interval
};

/// The mean of some times, in seconds, and half of the interval that holds it with 95%.
struct mean_time {
  double mean = 0;
  double half_interval = 0;
};

/// The point that Student's t with so many degrees of freedom stays below with 97.5%; right to 0.2%.
inline double student_t(std::size_t freedom) {
  constexpr double few[] = {12.706, 4.303, 3.182, 2.776};
  if (freedom <= std::size(few)) return few[std::max<std::size_t>(freedom, 1) - 1];
  constexpr double z = 1.95996;  // the normal distribution's point; what follows is the series from it
  const auto f = static_cast<double>(freedom);
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f) +
         (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * f * f * f);
}

inline mean_time mean_of(const std::vector<double>& times) {
  const auto n = static_cast<double>(times.size());
  const double mean = std::accumulate(times.begin(), times.end(), 0.0) / n;
  if (times.size() < 2) return {mean, 0};
  double squares = 0;
  for (const double t : times) squares += (t - mean) * (t - mean);
  return {mean, student_t(times.size() - 1) * std::sqrt(squares / (n - 1) / n)};
}

/// The greatest k for which the k-th least and the k-th greatest of n times enclose their median with at least 95%,
/// however the times are distributed: fewer than k of n fair coins show heads with at most 2.5%. 0 for n below 6.
inline std::size_t median_rank(std::size_t n) {
  long double chance = std::exp2(-static_cast<long double>(n));  // of exactly k heads
  long double fewer = chance;                                    // of at most k
  std::size_t k = 0;
  while (fewer <= 0.025L && k < n) {
    ++k;
    chance *= static_cast<long double>(n - k + 1) / static_cast<long double>(k);
    fewer += chance;
  }
  return k;
}

/// The median of some times, its spread, and its 95% interval: by ranks, or, of fewer than six runs, that of the mean
/// by Student's t, widened to hold the median. One run has none.
inline timing summarise(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const std::size_t n = times.size();
  timing t;
  t.runs = n;
  t.seconds = n % 2 == 1 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
  t.spread = (times[n * 3 / 4] - times[n / 4]) / 2 / t.seconds;
  const auto [mean, half] = mean_of(times);
  t.mean = mean;
  t.mean_half = half;
  if (const std::size_t k = median_rank(n); k != 0) {
    t.low = times[k - 1];
    t.high = times[n - k];
  } else if (n > 1) {
    t.low = std::min(t.seconds, std::max(mean - half, 0.0));
    t.high = std::max(t.seconds, mean + half);
  }
  return t;
}

}  // namespace peneira::bench
