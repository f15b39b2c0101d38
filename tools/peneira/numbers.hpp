// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers in text, strictly: an optional sign, digits with perhaps a point among them, perhaps an exponent; no blanks,
// no hexadecimals, no names. The high half of the result is always the double that std::from_chars gives.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "tools/peneira/characters.hpp"
#include "tools/peneira/twofold.hpp"

namespace peneira::tool {

enum class number_error { none, malformed, integer_too_large, out_of_range };

namespace detail {

/// The powers of ten that are doubles.
inline constexpr std::array<double, 23> powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// What the fast way does not take: exponents, and decimals of more than 2^53. The grammar first, as std::from_chars
/// would take a part of the text and names such as nan.
inline number_error parse_slowly(const char* begin, const char* end, twofold& to) {
  const char* const first = begin != end && (*begin == '+' || *begin == '-') ? begin + 1 : begin;
  const char* at = first;
  const auto skip_digits = [&] {
    const char* const from = at;
    while (at != end && is_digit(*at)) ++at;
    return at - from;
  };
  std::ptrdiff_t digits = skip_digits();
  bool whole = true;
  if (at != end && *at == '.') {
    whole = false;
    ++at;
    digits += skip_digits();
  }
  if (digits == 0) return number_error::malformed;
  if (at != end && (*at == 'e' || *at == 'E')) {
    whole = false;
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    if (skip_digits() == 0) return number_error::malformed;
  }
  if (at != end) return number_error::malformed;
  if (whole) return number_error::integer_too_large;
  double value = 0;
  if (std::from_chars(first, end, value).ec != std::errc()) return number_error::out_of_range;
  to = {(*begin == '-' ? -value : value) + 0.0, 0};
  return number_error::none;
}

}  // namespace detail

/// The number that [begin, end) is. Integers are exact and end at 64 bits with a sign. Decimals of at most 2^53 without
/// their point are exact to 106 bits; others are the nearest double. -0 is 0.
inline number_error parse_number(const char* begin, const char* end, twofold& to) {
  constexpr std::ptrdiff_t most_digits = 19;  // as many as 64 bits always hold
  const char* at = begin;
  const bool negative = at != end && *at == '-';
  if (at != end && (*at == '-' || *at == '+')) ++at;
  while (end - at > most_digits && *at == '0') ++at;
  const char* const first = at;
  std::uint64_t digits = 0;
  const auto take_digits = [&] {
    for (; at != end && is_digit(*at); ++at) digits = digits * 10 + static_cast<std::uint64_t>(*at - '0');
  };
  take_digits();
  if (at == end) {
    const std::uint64_t limit = (std::uint64_t{1} << 63U) - (negative ? 0 : 1);
    if (at == first || at - first > most_digits || digits > limit) return detail::parse_slowly(begin, end, to);
    to = to_twofold(static_cast<std::int64_t>(negative ? 0 - digits : digits));
    return number_error::none;
  }
  if (*at != '.') return detail::parse_slowly(begin, end, to);
  const char* const point = at;
  ++at;
  take_digits();
  const std::ptrdiff_t fraction = at - point - 1;
  if (at != end || at - first > most_digits || at - first < 2 || digits > (std::uint64_t{1} << 53U)) {
    return detail::parse_slowly(begin, end, to);
  }
  // Both are doubles, so the quotient is rounded once, and what it misses is a double too.
  const double power = detail::powers_of_ten[static_cast<std::size_t>(fraction)];
  const auto unscaled = static_cast<double>(digits);
  const double value = unscaled / power;
  const double missing = std::fma(-value, power, unscaled) / power;
  to = negative ? twofold{0.0 - value, 0.0 - missing} : twofold{value, missing};
  return number_error::none;
}

}  // namespace peneira::tool
