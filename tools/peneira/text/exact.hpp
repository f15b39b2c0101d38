// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Products, quotients and roots of decimals: products are exact, all else has 33 digits or 30, more than a double
// shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "tools/peneira/text/decimal.hpp"

namespace peneira::tool {

/// Gives the memory of a number that is not used again back.
inline void release(const decimal& value) {
  if (long_decimal* const mine = value.owned(); mine != nullptr) long_decimals::all().give_back(mine);
}

/// The exact product of numbers that are not long.
inline decimal product(const decimal& a, const decimal& b) {
  constexpr int128 most = detail::powers_of_ten[detail::most_power];
  const int exponent = a.exponent() + b.exponent();
  int128 both = 0;
  if (!__builtin_mul_overflow(a.mantissa(), b.mantissa(), &both) && both < most && both > -most) {
    return {both, both == 0 ? 0 : exponent};
  }
  constexpr int half_digits = 17;  // products of halves have 34, which one addition takes
  constexpr int128 half = detail::powers_of_ten[half_digits];
  long_decimal* const sum = long_decimals::all().take();
  sum->add(a.mantissa() / half * (b.mantissa() / half), exponent + 2 * half_digits);
  sum->add(a.mantissa() / half * (b.mantissa() % half), exponent + half_digits);
  sum->add(a.mantissa() % half * (b.mantissa() / half), exponent + half_digits);
  sum->add(a.mantissa() % half * (b.mantissa() % half), exponent);
  return decimal(sum);
}

namespace detail {

/// digits * 10^exponent / n: exactly where that has at most 33 digits, else as near. Word holds 10 * n.
template <class Word>
decimal divide_digits(bool negative, const std::string& digits, int exponent, Word n) {
  int128 quotient = 0;
  Word rest = 0;
  std::size_t taken = 0;
  for (; quotient < powers_of_ten[decimal::most_digits - 1] && (taken < digits.size() || rest != 0); ++taken) {
    rest = rest * 10 + static_cast<Word>(taken < digits.size() ? digits[taken] - '0' : 0);
    quotient = quotient * 10 + static_cast<int128>(rest / n);
    rest %= n;
  }
  const std::size_t whole = digits.size();
  const bool inexact = rest != 0 || (taken < whole && digits.find_first_not_of('0', taken) != std::string::npos);
  if (inexact && quotient % 5 == 0) ++quotient;  // so that it is no tie that rounds to the wrong side
  return {negative ? -quotient : quotient, exponent + static_cast<int>(whole) - static_cast<int>(taken)};
}

}  // namespace detail

/// The digits of a magnitude, its sign, and the power of ten that they count.
inline std::string digits_of(const decimal& value, bool& negative, int& exponent) {
  negative = value.mantissa() < 0;
  exponent = value.exponent();
  if (long_decimal* const mine = value.owned(); mine != nullptr) return mine->text(negative, exponent);
  return fmt::format("{}", negative ? -value.mantissa() : value.mantissa());
}

/// a / n, where n is a count, far from 2^60.
inline decimal divide(const decimal& a, std::uint64_t n) {
  bool negative = false;
  int exponent = 0;
  const std::string digits = digits_of(a, negative, exponent);
  return detail::divide_digits<std::uint64_t>(negative, digits, exponent, n);
}

/// A number that is cut after some digits.
struct cut_number {
  std::string digits;
  int exponent;
  bool inexact;  ///< others than zeros were cut

  [[nodiscard]] decimal rounded() const {
    bool more = inexact;
    int128 mantissa = 0;
    std::size_t taken = 0;
    for (; taken < digits.size() && taken < decimal::most_digits; ++taken)
      mantissa = mantissa * 10 + (digits[taken] - '0');
    more = more || digits.find_first_not_of('0', taken) != std::string::npos;
    if (more && mantissa % 5 == 0) ++mantissa;  // so that it is no tie that rounds to the wrong side
    return {mantissa, exponent + static_cast<int>(digits.size() - taken)};
  }
};

/// The variance of `n` numbers, of which these are the exact sum and the exact sum of squares: the squared deviations
/// from the mean over `divisor`. Nothing cancels, as all is exact before the division. Has enough digits for a root.
inline cut_number variance(const decimal& sum, const decimal& squares, std::uint64_t n, std::uint64_t divisor) {
  const auto copy = [](const decimal& from) {
    long_decimal to;
    if (long_decimal* const mine = from.owned(); mine != nullptr) {
      to.add(*mine);
    } else {
      to.add(from.mantissa(), from.exponent());
    }
    return to;
  };
  long_decimal square_of_sum = copy(sum);
  long_decimal same = square_of_sum;
  square_of_sum.multiply(same);
  square_of_sum.negate();
  long_decimal deviations = copy(squares);
  deviations.multiply(n);
  deviations.add(square_of_sum);
  bool negative = false;
  cut_number all{{}, 0, false};
  const std::string digits = deviations.text(negative, all.exponent);
  constexpr std::size_t most = 2 * decimal::most_digits + 2;
  const uint128 by = static_cast<uint128>(n) * divisor;
  uint128 rest = 0;
  std::size_t taken = 0;
  for (; all.digits.size() < most && (taken < digits.size() || rest != 0); ++taken) {
    rest = rest * 10 + static_cast<uint128>(taken < digits.size() ? digits[taken] - '0' : 0);
    const auto digit = static_cast<char>('0' + static_cast<int>(rest / by));
    if (digit != '0' || !all.digits.empty()) all.digits += digit;
    rest %= by;
  }
  all.exponent += static_cast<int>(digits.size()) - static_cast<int>(taken);
  all.inexact = rest != 0 || (taken < digits.size() && digits.find_first_not_of('0', taken) != std::string::npos);
  return all;
}

/// The square root, digit by digit as on paper.
inline decimal square_root(const cut_number& of) {
  std::string digits = of.digits;
  const int odd = of.exponent & 1;
  if ((digits.size() + static_cast<std::size_t>(odd)) % 2 != 0) digits.insert(digits.begin(), '0');
  const auto digit = [&](std::size_t i) { return i < digits.size() ? digits[i] - '0' : 0; };
  int128 root = 0;
  int128 rest = 0;
  std::size_t at = 0;
  int taken = 0;
  for (; root < detail::powers_of_ten[decimal::most_digits - 1] && (at < digits.size() || rest != 0);
       at += 2, ++taken) {
    rest = rest * 100 + digit(at) * 10 + digit(at + 1);
    int next = 0;
    while ((root * 20 + next + 1) * (next + 1) <= rest) ++next;
    rest -= (root * 20 + next) * next;
    root = root * 10 + next;
  }
  const bool more =
      of.inexact || rest != 0 || digits.find_first_not_of('0', std::min(at, digits.size())) != std::string::npos;
  if (more && root % 5 == 0) ++root;  // so that it is no tie that rounds to the wrong side
  const int pairs = (static_cast<int>(digits.size()) + odd) / 2;
  return {root, (of.exponent - odd) / 2 + pairs - taken};
}

}  // namespace peneira::tool
