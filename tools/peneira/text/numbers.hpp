// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers in text, strictly: an optional sign, digits with perhaps a point among them, perhaps an exponent; no blanks,
// no hexadecimals, no names.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tools/peneira/text/characters.hpp"
#include "tools/peneira/text/decimal.hpp"

namespace peneira::tool {

enum class number_error { none, malformed, integer_too_large, out_of_range };

namespace detail {

/// What the fast way does not take: exponents, and many digits.
class slow_number {
 public:
  number_error parse(const char* begin, const char* end, decimal& to) {
    at_ = begin;
    end_ = end;
    const bool negative = begin != end && *begin == '-';
    if (begin != end && (*begin == '+' || *begin == '-')) ++at_;
    std::size_t digits = take_digits(0);
    const bool whole = at_ == end_;
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      digits += take_digits(1);
    }
    if (digits == 0 || !take_exponent()) return number_error::malformed;
    if (whole && (dropped_ || count_digits(mantissa_) > decimal::most_whole_digits)) {
      return number_error::integer_too_large;
    }
    if (inexact_ && mantissa_ % 5 == 0) ++mantissa_;  // no tie that rounds to the wrong side
    if (mantissa_ == 0) exponent_ = 0;
    constexpr std::int64_t most = 400;  // more than a double has; the mantissa has at least one digit
    exponent_ = std::clamp<std::int64_t>(exponent_, -most, most);
    to = {negative ? -mantissa_ : mantissa_, static_cast<int>(exponent_)};
    // What is no double is none here either; what is nearer to 0 than to any other is 0.
    const double value = to.to_double();
    if (std::isinf(value)) return number_error::out_of_range;
    if (value == 0) to = {0, 0};
    return number_error::none;
  }

 private:
  /// Digits before the point, or behind it: so many powers of ten less each.
  std::size_t take_digits(int power) {
    const char* const from = at_;
    for (; at_ != end_ && is_digit(*at_); ++at_) {
      if (mantissa_ < powers_of_ten[decimal::most_digits - 1]) {
        mantissa_ = mantissa_ * 10 + (*at_ - '0');
        exponent_ -= power;
      } else {
        dropped_ = true;
        inexact_ = inexact_ || *at_ != '0';
        exponent_ += 1 - power;
      }
    }
    return static_cast<std::size_t>(at_ - from);
  }

  /// Perhaps an exponent, and then nothing more.
  bool take_exponent() {
    if (at_ == end_) return true;
    if (*at_ != 'e' && *at_ != 'E') return false;
    ++at_;
    const bool negative = at_ != end_ && *at_ == '-';
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (at_ == end_) return false;
    constexpr std::int64_t most = std::int64_t{1} << 50U;  // more than any text has digits
    std::int64_t power = 0;
    for (; at_ != end_ && is_digit(*at_); ++at_) power = std::min(most, power * 10 + (*at_ - '0'));
    exponent_ += negative ? -power : power;
    return at_ == end_;
  }

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  int128 mantissa_ = 0;
  std::int64_t exponent_ = 0;
  bool dropped_ = false;  // digits that the mantissa does not hold
  bool inexact_ = false;  // others than zeros among them
};

}  // namespace detail

/// The number that [begin, end) is: exactly if it has at most 33 digits, zeros before them not counted. Decimals of
/// more are as near to it as 33 digits are; integers of more, and what is beyond the range of a double, are refused.
/// What is too small for a double is 0.
inline number_error parse_number(const char* begin, const char* end, decimal& to) {
  constexpr std::ptrdiff_t most_digits = 19;  // as many as 64 bits always hold
  const char* at = begin;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  const char* const first = at;
  std::uint64_t digits = 0;
  const auto take_digits = [&] {
    for (; at != end && is_digit(*at); ++at) digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
  };
  take_digits();
  std::ptrdiff_t count = at - first;
  std::ptrdiff_t fraction = 0;
  if (at != end && *at == '.') {
    const char* const point = at++;
    take_digits();
    fraction = at - point - 1;
    count += fraction;
  }
  if (at != end || count == 0 || count > most_digits) return detail::slow_number().parse(begin, end, to);
  to = {negative ? -static_cast<int128>(digits) : static_cast<int128>(digits), -static_cast<int>(fraction)};
  return number_error::none;
}

}  // namespace peneira::tool
