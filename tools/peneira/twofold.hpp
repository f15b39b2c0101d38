// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A number as the unevaluated sum of two doubles, 106 bits in all. Every 64-bit integer and, with an error below 2^-100
// of it, every short decimal is one; so are their sums, which come out as on paper: ten times 0.1 is 1, whatever the
// order of the terms.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include "peneira/config.hpp"

namespace peneira::tool {

__extension__ using int128 = __int128;
__extension__ using uint128 = unsigned __int128;

/// high + low, where high is the sum rounded to a double.
struct twofold {
  double high;
  double low;

  friend constexpr bool operator==(const twofold&, const twofold&) = default;
  friend constexpr bool operator<(const twofold& a, const twofold& b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
};

namespace detail {

/// a + b without any error (Knuth).
constexpr twofold two_sum(double a, double b) {
  const double sum = a + b;
  const double shift = sum - a;
  return {sum, (a - (sum - shift)) + (b - shift)};
}

/// The same where |a| >= |b| (Dekker).
constexpr twofold quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

}  // namespace detail

/// The operators on them, as segmented_reduce takes them.
struct twofold_plus {
  static constexpr bool commutative = true;
  constexpr twofold operator()(const twofold& a, const twofold& b) const {
    const twofold high = detail::two_sum(a.high, b.high);
    const twofold low = detail::two_sum(a.low, b.low);
    const twofold sum = detail::quick_two_sum(high.high, high.low + low.high);
    return detail::quick_two_sum(sum.high, sum.low + low.low);
  }
  template <class T>
  static constexpr T identity() {
    return {0, 0};
  }
};

struct twofold_min {
  static constexpr bool commutative = true;
  constexpr twofold operator()(const twofold& a, const twofold& b) const { return b < a ? b : a; }
  template <class T>
  static constexpr T identity() {
    return {std::numeric_limits<double>::infinity(), 0};
  }
};

struct twofold_max {
  static constexpr bool commutative = true;
  constexpr twofold operator()(const twofold& a, const twofold& b) const { return a < b ? b : a; }
  template <class T>
  static constexpr T identity() {
    return {-std::numeric_limits<double>::infinity(), 0};
  }
};

/// A 64-bit integer, exactly.
inline twofold to_twofold(std::int64_t value) {
  const auto high = static_cast<double>(value);
  return {high, static_cast<double>(static_cast<std::int64_t>(int128{value} - static_cast<int128>(high)))};
}

/// a / n, rounded to a double.
inline double divide(const twofold& a, double n) {
  const double quotient = a.high / n;
  return quotient + (std::fma(-quotient, n, a.high) + a.low) / n;
}

inline void append_integer(std::string& to, int128 value) {
  fmt::format_to(std::back_inserter(to), "{}", value);
}

/// Appends the shortest text that means the same double; a whole number below 2^100 as an integer, with all its digits.
inline void append_number(std::string& to, const twofold& value) {
  const double magnitude = std::fabs(value.high);
  if (magnitude < 0x1p53 && value.high == std::trunc(value.high)) {
    const fmt::format_int digits(static_cast<std::int64_t>(value.high));
    to.append(digits.data(), digits.size());
  } else if (magnitude >= 0x1p53 && magnitude < 0x1p100) {
    append_integer(to, static_cast<int128>(value.high) + static_cast<int128>(std::nearbyint(value.low)));
  } else {
    std::array<char, 32> digits;
    to.append(digits.data(), fmt::format_to(digits.data(), "{}", value.high));
  }
}

}  // namespace peneira::tool
