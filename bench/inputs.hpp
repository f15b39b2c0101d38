// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Seeded inputs for benchmarks, tests and `peneira gen`. An item is a pure function of the seed, its index and the
// array's size, in integer arithmetic alone, so that chunks, threads, compilers and machines agree to the last bit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/hash.hpp"

namespace peneira::bench {

enum class distribution {
  uniform,
  normal,
  exponential,
  zipf,
  constant,
  sorted,
  reversed,
  normal_n,
  exponential_int,
  binomial,
  binomial_n
};

inline constexpr std::array<std::string_view, 11> distribution_names{
    "uniform",  "normal",   "exponential",     "zipf",     "constant",  "sorted",
    "reversed", "normal_n", "exponential_int", "binomial", "binomial_n"};

inline std::string_view name_of(distribution d) {
  return distribution_names[static_cast<std::size_t>(d)];
}

/// The distribution of that name; throws std::invalid_argument with the list where there is none.
inline distribution parse_distribution(std::string_view name) {
  const auto* const found = std::find(distribution_names.begin(), distribution_names.end(), name);
  if (found != distribution_names.end()) return static_cast<distribution>(found - distribution_names.begin());
  std::string known;
  for (const std::string_view n : distribution_names) known.append(known.empty() ? "" : ", ").append(n);
  throw std::invalid_argument("invalid distribution \"" + std::string(name) + "\"; there are: " + known);
}

/// An endless row of 64-bit draws that belongs to one index of one seed.
class draws {
 public:
  draws(std::uint64_t seed, std::uint64_t index) : state_(mix64(mix64(seed + step) + (index + 1) * step)) {}
  std::uint64_t next() {
    const std::uint64_t drawn = mix64(state_);
    state_ += step;
    return drawn;
  }
  /// A number below `bound`.
  std::uint64_t below(std::uint64_t bound) { return detail::multiply_high(next(), bound); }

 private:
  static constexpr std::uint64_t step = 0x9E3779B97F4A7C15U;
  std::uint64_t state_;
};

namespace detail {

using peneira::detail::multiply_high;

// Each shape returns a position in the type's range as a fraction of 2^64.

constexpr std::uint64_t one = std::uint64_t{1} << 32U;

/// The sum of twelve numbers from 0 to before `one`: about normal, of mean 6 * one and deviation one.
inline std::uint64_t twelve(draws from) {
  std::uint64_t sum = 0;
  for (int k = 0; k < 6; ++k) {
    const std::uint64_t two = from.next();
    sum += (two >> 32U) + (two & (one - 1));
  }
  return sum;
}

/// Mean in the middle, deviation a sixth of the range, the rest beyond the ends clamped.
inline std::uint64_t normal(draws from) {
  const std::uint64_t sum = twelve(from);
  if (sum < 3 * one) return 0;
  if (sum >= 9 * one) return ~std::uint64_t{0};
  const std::uint64_t inside = sum - 3 * one;  // of 6 * one
  return ((inside / 6) << 32U) + ((inside % 6) << 32U) / 6;
}

/// Mean range / 32, clamped. Von Neumann's way: a falling run of odd length makes its first draw exponential, a run of
/// even length adds one and tries again.
inline std::uint64_t exponential(draws from) {
  constexpr unsigned most = 32;
  for (std::uint64_t whole = 0; whole < most; ++whole) {
    const std::uint64_t first = from.next();
    std::uint64_t last = first;
    bool odd = true;
    for (std::uint64_t drawn = from.next(); drawn < last; drawn = from.next()) {
      last = drawn;
      odd = !odd;
    }
    if (odd) return (whole << 59U) | (first >> 5U);
  }
  return ~std::uint64_t{0};
}

/// The share of each octave of ranks, [2^k, 2^(k+1)), cumulated and scaled to 2^64, when rank r has the weight 1 / r.
class zipf_octaves {
 public:
  static constexpr unsigned count = 20;
  static const std::array<std::uint64_t, count>& ends() {
    static const std::array<std::uint64_t, count> table = make();
    return table;
  }

 private:
  static std::array<std::uint64_t, count> make() {
    std::array<double, count> sums{};
    double sum = 0;
    for (unsigned k = 0; k < count; ++k) {
      for (std::uint32_t r = 1U << k; r < 2U << k; ++r) sum += 1.0 / r;
      sums[k] = sum;
    }
    std::array<std::uint64_t, count> ends{};
    for (unsigned k = 0; k + 1 < count; ++k) ends[k] = static_cast<std::uint64_t>(sums[k] / sum * 0x1p63) * 2;
    ends[count - 1] = ~std::uint64_t{0};
    return ends;
  }
};

/// A rank from 0 to 2^20 - 2 with the weight 1 / (rank + 1), exactly: the octave by its share, then by rejection.
inline std::uint64_t zipf_rank(draws from, const std::array<std::uint64_t, zipf_octaves::count>& ends) {
  const std::uint64_t share = from.next();
  const auto octave = static_cast<unsigned>(std::upper_bound(ends.begin(), ends.end() - 1, share) - ends.begin());
  const std::uint64_t low = std::uint64_t{1} << octave;
  for (;;) {
    const std::uint64_t r = low + (from.next() >> (63U - octave)) / 2;
    if (from.below(r) < low) return r - 1;
  }
}

/// Item i of n ascending ones: a step of the range each, and a place within the step.
inline std::uint64_t ascending(draws from, std::uint64_t i, std::uint64_t n) {
  const std::uint64_t step = n <= 1 ? ~std::uint64_t{0} : ~std::uint64_t{0} / n;
  return i * step + multiply_high(from.next(), step);
}

// The papers' inputs as they print them are whole numbers, whatever the range of the type.

/// Mean n / 2, deviation n / 6; what would lie below zero is zero, and nothing is cut above.
inline std::uint64_t normal_n(draws from, std::uint64_t n) {
  const std::uint64_t sum = twelve(from);
  if (sum < 3 * one) return 0;
  const std::uint64_t inside = sum - 3 * one;  // n / 2 + (sum - 6) * n / 6 is n * inside / 6, in units of one
  return multiply_high(2 * n, ((inside / 6) << 31U) + ((inside % 6) << 31U) / 6);
}

/// Of rate 0.01, so of mean 100, rounded down.
inline std::uint64_t exponential_int(draws from) {
  return multiply_high(exponential(from), std::uint64_t{100} << 5U);  // whose unit is 2^59
}

/// The square root, rounded down.
inline std::uint64_t root_of(std::uint64_t n) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = one / 2; bit != 0; bit /= 2) {
    if ((root + bit) * (root + bit) <= n) root += bit;
  }
  return root;
}

/// How many of n tosses of a coin show heads: mean n / 2, deviation root / 2, by the normal law.
inline std::uint64_t binomial_n(draws from, std::uint64_t n, std::uint64_t root) {
  const std::uint64_t sum = twelve(from);
  const bool above = sum >= 6 * one;
  const std::uint64_t away = multiply_high(root << 31U, above ? sum - 6 * one : 6 * one - sum);
  return above ? std::min(n, n / 2 + away) : n / 2 - std::min(n / 2, away);
}

/// A whole number as a T, or the greatest T.
template <class T>
T at_number(std::uint64_t number) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(number);
  } else {
    return static_cast<T>(std::min<std::uint64_t>(number, std::numeric_limits<T>::max()));
  }
}

/// The value of T at a position of its range; floating-point types range over [0, 1).
template <class T>
T at_position(std::uint64_t position) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr int digits = std::numeric_limits<T>::digits;
    constexpr T unit = T(1) / static_cast<T>(std::uint64_t{1} << digits);
    return static_cast<T>(position >> (64 - digits)) * unit;
  } else {
    using raw = std::make_unsigned_t<T>;
    constexpr std::uint64_t sign = std::is_signed_v<T> ? std::uint64_t{1} << 63U : 0;
    return static_cast<T>(static_cast<raw>((position ^ sign) >> (64 - 8 * sizeof(T))));
  }
}

}  // namespace detail

/// A Zipf rank of exponent 1: 0 is the hottest of 2^20 - 1.
inline std::uint64_t zipf_rank(std::uint64_t seed, std::uint64_t index) {
  return detail::zipf_rank({seed, index}, detail::zipf_octaves::ends());
}

/// Writes items `first` to before `first + count` of an array of n to out[0], out[1], ... Integers cover the range of
/// their type, floating-point numbers [0, 1):
///   uniform       all values alike
///   normal        around the middle with a deviation of range / 6, clamped
///   exponential   from the lowest up with a mean of range / 32, clamped
///   zipf          2^20 - 1 ranks of exponent 1, the hottest lowest, spread evenly over the range
///   constant      one value, which the seed chooses
///   sorted        ascending, evenly; reversed is its mirror
/// or are whole numbers, as the papers have them (docs/papers/README.md):
///   normal_n         mean n / 2, deviation n / 6, cut at zero alone
///   exponential_int  rate 0.01, rounded down
///   binomial         heads among 64 tosses of a coin; binomial_n: among n of them
template <class T>
void fill(T* out, std::size_t first, std::size_t count, std::size_t n, distribution shape, std::uint64_t seed) {
  const auto each = [&](auto position) {
    for (std::size_t k = 0; k < count; ++k) out[k] = detail::at_position<T>(position(first + k));
  };
  const auto each_number = [&](auto number) {
    for (std::size_t k = 0; k < count; ++k) out[k] = detail::at_number<T>(number(draws(seed, first + k)));
  };
  switch (shape) {
    case distribution::uniform:
      return each([seed](std::uint64_t i) { return draws(seed, i).next(); });
    case distribution::normal:
      return each([seed](std::uint64_t i) { return detail::normal({seed, i}); });
    case distribution::exponential:
      return each([seed](std::uint64_t i) { return detail::exponential({seed, i}); });
    case distribution::zipf: {
      const auto& ends = detail::zipf_octaves::ends();
      return each([seed, &ends](std::uint64_t i) { return detail::zipf_rank({seed, i}, ends) << 44U; });
    }
    case distribution::constant:
      return each([value = draws(seed, 0).next()](std::uint64_t) { return value; });
    case distribution::sorted:
      return each([seed, n](std::uint64_t i) { return detail::ascending({seed, i}, i, n); });
    case distribution::reversed:
      return each([seed, n](std::uint64_t i) { return detail::ascending({seed, n - 1 - i}, n - 1 - i, n); });
    case distribution::normal_n:
      return each_number([n](draws from) { return detail::normal_n(from, n); });
    case distribution::exponential_int:
      return each_number([](draws from) { return detail::exponential_int(from); });
    case distribution::binomial:
      return each_number([](draws from) { return static_cast<std::uint64_t>(std::popcount(from.next())); });
    case distribution::binomial_n:
      return each_number([n, root = detail::root_of(n)](draws from) { return detail::binomial_n(from, n, root); });
  }
}

}  // namespace peneira::bench
