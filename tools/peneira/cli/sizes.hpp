// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sizes as people write them: 64M, 1.5G, 1e6. K, M, G, T, P and E are powers of 1024.
#pragma once

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "tools/peneira/cli/errors.hpp"

namespace peneira::tool {

inline constexpr std::string_view size_units = "KMGTPE";

/// The number that `text` means; throws usage_error where it means none.
inline std::uint64_t parse_size(std::string_view text) {
  const auto refuse = [text](std::string_view why) {
    throw usage_error(
        fmt::format("\"{}\" {}; write a number such as 1000, 64M (K, M, G, T: powers of 1024) or 1e6", text, why));
  };
  std::string_view number = text;
  for (const std::string_view end : {"iB", "i"}) {
    if (number.size() > end.size() && number.ends_with(end)) {
      number.remove_suffix(end.size());
      break;
    }
  }
  const bool marked = number.size() != text.size();
  std::uint64_t unit = 1;
  if (!number.empty()) {
    const auto letter = static_cast<char>(number.back() & ~0x20);
    if (const std::size_t power = size_units.find(letter); power != std::string_view::npos) {
      unit <<= 10 * (power + 1);
      number.remove_suffix(1);
    }
  }
  if (number.empty() || (marked && unit == 1) || number.front() == '+') refuse("is not a size");
  const char* const end = number.data() + number.size();
  std::uint64_t whole = 0;
  if (const auto read = std::from_chars(number.data(), end, whole); read.ptr == end) {
    if (read.ec != std::errc() || whole > std::numeric_limits<std::uint64_t>::max() / unit) refuse("is too large");
    return whole * unit;
  }
  double real = 0;
  if (const auto read = std::from_chars(number.data(), end, real); read.ptr != end || read.ec != std::errc()) {
    refuse("is not a size");
  }
  real *= static_cast<double>(unit);
  if (std::isnan(real)) refuse("is not a size");
  if (real < 0) refuse("is negative");
  if (!(real < 0x1p63)) refuse("is too large");
  whole = static_cast<std::uint64_t>(real);
  if (static_cast<double>(whole) != real) refuse("is not a whole number");
  return whole;
}

/// 1.5 GiB, 12 KiB, 7 B.
inline std::string print_bytes(double bytes) {
  std::size_t power = 0;
  for (; bytes >= 1024 && power < size_units.size(); ++power) bytes /= 1024;
  if (power == 0) return fmt::format("{:.0f} B", bytes);
  return fmt::format("{:.{}f} {}iB", bytes, bytes < 10 ? 1 : 0, size_units[power - 1]);
}

/// 1.5 G, 12 M, 980: counts in powers of 1000.
inline std::string print_count(double count) {
  constexpr std::array<std::string_view, 5> units{"", " k", " M", " G", " T"};
  std::size_t power = 0;
  for (; count >= 1000 && power + 1 < units.size(); ++power) count /= 1000;
  return fmt::format("{:.{}f}{}", count, power == 0 || count >= 100 ? 0 : 1, units[power]);
}

}  // namespace peneira::tool
