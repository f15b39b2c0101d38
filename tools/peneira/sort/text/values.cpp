// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of the options of `peneira sort` on text: counts, sizes, lists of files.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/memory_limit.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/sort/text/options.hpp"

namespace peneira::tool {

std::uint64_t parse_count(const std::string& option, const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) {
    throw usage_error(fmt::format("{}: \"{}\" is not a number", option, text));
  }
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t count = 0;
  for (const char c : text) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    count = count > (most - digit) / 10 ? most : count * 10 + digit;
  }
  return count;
}

std::uint64_t parse_buffer_size(const std::string& text) {
  const auto refuse = [&] {
    throw usage_error(
        fmt::format("-S: \"{}\" is not a size; write 64M (b, K, M, G, T, ...; without a unit: K) or 50%", text));
  };
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  const std::string_view behind = std::string_view(text).substr(std::min(digits + 1, text.size()));
  const bool marked = behind == "i" || behind == "iB";  // as other commands have it
  if (digits == 0 || !(behind.empty() || marked)) refuse();
  std::uint64_t size = parse_count("-S", text.substr(0, digits));
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const char unit = digits < text.size() ? text[digits] : 'K';
  if (marked && (unit == 'b' || unit == '%')) refuse();
  if (unit == 'b') return size;
  if (unit == '%') return parse_percent(text);
  constexpr std::string_view units = "KMGTPEZY";
  const bool lower = unit == 'k' || unit == 'm' || unit == 'g' || unit == 't';
  const std::size_t power = units.find(lower ? static_cast<char>(unit - 'a' + 'A') : unit);
  if (power == std::string_view::npos) refuse();
  for (std::size_t i = 0; i <= power; ++i) size = size > most / 1024 ? most : size * 1024;
  return size;
}

std::vector<std::string> read_file_names(const std::string& path) {
  input_file file(path);
  const std::string all = read_whole(file);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\0', at), all.size());
    names.push_back(all.substr(at, end - at));
    if (names.back().empty()) {
      throw usage_error(fmt::format("--files0-from: {}: name {} is empty", file.path(), names.size()));
    }
    if (path == "-" && names.back() == "-") {
      throw usage_error("--files0-from: names that come from standard input cannot contain - itself");
    }
    at = end + 1;
  }
  if (names.empty()) throw usage_error(fmt::format("--files0-from: {} contains no names", file.path()));
  return names;
}

}  // namespace peneira::tool
