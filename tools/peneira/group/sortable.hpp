// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Texts and numbers as bytes whose order is theirs, also where something stands behind them: so that a sort by bytes is
// one by several columns.
#pragma once

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <string_view>

#include "tools/peneira/text/exact.hpp"

namespace peneira::tool {

/// Appends a text and what ends it. A NUL in it becomes two bytes that are more than the end.
inline void append_sortable(std::string& to, std::string_view text) {
  using namespace std::string_view_literals;
  for (std::size_t at = 0;;) {
    const std::size_t nul = text.find('\0', at);
    to += text.substr(at, nul - at);
    if (nul == std::string_view::npos) break;
    to += "\0\xff"sv;
    at = nul + 1;
  }
  to += "\0\0"sv;
}

/// Inverts the bytes from `first` on, and with them their order.
inline void invert_from(std::string& bytes, std::size_t first) {
  for (std::size_t i = first; i < bytes.size(); ++i) bytes[i] = static_cast<char>(~bytes[i]);
}

namespace detail {

constexpr unsigned char sortable_zero = 0x80;
constexpr unsigned char sortable_positive = 0x81;  // the first byte of the least exponent
constexpr int sortable_exponents = 0x1000;         // that are negative

}  // namespace detail

/// Appends a number: two bytes for the power of ten of its first digit, then its digits in pairs, and a 0; those of a
/// negative one are inverted. The same bytes for equal numbers, and none of them is 0 but the end.
inline void append_sortable(std::string& to, const decimal& value) {
  const decimal number = value.shortest();
  bool negative = number.mantissa() < 0;
  int exponent = number.exponent();
  fmt::memory_buffer digits;
  if (number.owned() == nullptr) {
    fmt::format_to(std::back_inserter(digits), "{}", negative ? -number.mantissa() : number.mantissa());
  } else {
    const std::string all = digits_of(number, negative, exponent);
    digits.append(all.data(), all.data() + all.size());
  }
  if (number.mantissa() == 0) {
    to += static_cast<char>(detail::sortable_zero);
    return;
  }
  const std::size_t first = to.size();
  const auto power = static_cast<unsigned>(exponent + static_cast<int>(digits.size()) + detail::sortable_exponents);
  to += static_cast<char>(detail::sortable_positive + (power >> 7U));
  to += static_cast<char>(1 + (power & 0x7FU));
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int pair = (digits[i] - '0') * 10 + (i + 1 < digits.size() ? digits[i + 1] - '0' : 0);
    to += static_cast<char>(1 + pair);
  }
  to += '\0';
  if (negative) invert_from(to, first);
}

/// The number that such bytes are; it was not a long one.
inline decimal read_sortable(std::string_view bytes) {
  if (static_cast<unsigned char>(bytes.front()) == detail::sortable_zero) return {0, 0};
  const bool negative = static_cast<unsigned char>(bytes.front()) < detail::sortable_zero;
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(negative ? ~bytes[i] : bytes[i]));
  };
  const int power = static_cast<int>(((byte(0) - detail::sortable_positive) << 7U) + byte(1) - 1);
  int128 mantissa = 0;
  int digits = 0;
  for (std::size_t i = 2; byte(i) != 0; ++i, digits += 2) mantissa = mantissa * 100 + (byte(i) - 1);
  return {negative ? -mantissa : mantissa, power - detail::sortable_exponents - digits};
}

}  // namespace peneira::tool
