// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys of text lines: the grammar of -k, and the search for fields.
#include "tools/peneira/sort/text/keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/text/characters.hpp"

namespace peneira::tool {
namespace {

[[noreturn]] void refuse_key(const std::string& text, std::string_view why) {
  throw usage_error(
      fmt::format("-k: \"{}\": {} (a key is F[.C][OPTIONS][,F[.C][OPTIONS]], such as 2,2 or 3.1nr,3.4)", text, why));
}

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Reads a number that may be arbitrarily large, and moves `at` behind it.
std::size_t read_count(const std::string& text, std::size_t& at, std::string_view where) {
  while (at < text.size() && is_space(text[at])) ++at;
  if (at < text.size() && text[at] == '+') ++at;
  if (at >= text.size() || !is_digit(text[at])) refuse_key(text, fmt::format("a number is missing {}", where));
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  std::size_t count = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    const auto digit = static_cast<std::size_t>(text[at] - '0');
    count = count > (most - digit) / 10 ? most : count * 10 + digit;
  }
  return count;
}

void read_options(const std::string& text, std::size_t& at, sort_key& key, sort_key::side blanks) {
  while (at < text.size() && key.set(text[at], blanks)) ++at;
}

const char* skip_blanks(const char* at, const char* end) {
  while (at < end && key_finder::is_blank(*at)) ++at;
  return at;
}

const char* skip_field(const char* at, const char* end) {
  at = skip_blanks(at, end);
  while (at < end && !key_finder::is_blank(*at)) ++at;
  return at;
}

const char* find_char(const char* at, const char* end, char c) {
  const void* const found = at < end ? std::memchr(at, c, static_cast<std::size_t>(end - at)) : nullptr;
  return found != nullptr ? static_cast<const char*>(found) : end;
}

const char* advance(const char* at, const char* end, std::size_t count) {
  return at + std::min(count, static_cast<std::size_t>(end - at));
}

}  // namespace

bool sort_key::set(char option, side blanks) {
  switch (option) {
    case 'b':
      start_blanks |= blanks != side::end;
      end_blanks |= blanks != side::start;
      return true;
    case 'd':
      ignore = filter::nondictionary;
      return true;
    case 'f':
      fold = true;
      return true;
    case 'g':
      types |= general;
      return true;
    case 'h':
      types |= human;
      return true;
    case 'i':
      if (ignore == filter::none) ignore = filter::nonprinting;  // -d leaves out these and more
      return true;
    case 'M':
      types |= month;
      return true;
    case 'n':
      types |= numeric;
      return true;
    case 'r':
      reverse = true;
      return true;
    case 'R':
      throw usage_error("-R is not supported: shuf shuffles lines");
    case 'V':
      types |= version;
      return true;
    default:
      return false;
  }
}

bool sort_key::plain() const {
  return !start_blanks && !end_blanks && ignore == filter::none && !fold && !reverse && types == 0;
}

std::string sort_key::letters() const {
  std::string all;
  const auto add = [&](bool has, char letter) {
    if (has) all += letter;
  };
  add(ignore == filter::nondictionary, 'd');
  add(fold, 'f');
  add((types & general) != 0, 'g');
  add((types & human) != 0, 'h');
  add(ignore == filter::nonprinting, 'i');
  add((types & month) != 0, 'M');
  add((types & numeric) != 0, 'n');
  add((types & version) != 0, 'V');
  return all;
}

sort_key parse_sort_key(const std::string& text) {
  sort_key key;
  std::size_t at = 0;
  const auto read_position = [&](std::string_view where) {
    const std::size_t field = read_count(text, at, where);
    if (field == 0) refuse_key(text, "fields count from 1");
    return field - 1;
  };
  const auto read_char = [&] { return read_count(text, ++at, "after the point"); };
  const auto at_is = [&](char c) { return at < text.size() && text[at] == c; };

  key.start_field = read_position("at its start");
  if (at_is('.')) {
    const std::size_t character = read_char();
    if (character == 0) refuse_key(text, "characters count from 1");
    key.start_char = character - 1;
  }
  if (key.start_field == 0 && key.start_char == 0) key.start_field = sort_key::whole;
  read_options(text, at, key, sort_key::side::start);
  if (at_is(',')) {
    ++at;
    key.end_field = read_position("after the comma");
    if (at_is('.')) key.end_char = read_char();
    read_options(text, at, key, sort_key::side::end);
  }
  if (at < text.size()) refuse_key(text, fmt::format("'{}' is not allowed there", text[at]));
  return key;
}

std::vector<sort_key> complete_keys(std::vector<sort_key> keys, const sort_key& global) {
  for (sort_key& key : keys) {
    if (!key.plain()) continue;
    sort_key inherited = global;
    inherited.start_field = key.start_field;
    inherited.start_char = key.start_char;
    inherited.end_field = key.end_field;
    inherited.end_char = key.end_char;
    key = inherited;
  }
  sort_key unordered = global;
  unordered.reverse = false;
  if (keys.empty() && !unordered.plain()) keys.push_back(global);
  for (const sort_key& key : keys) {
    const unsigned numbers = key.types & ~unsigned{sort_key::version};
    const bool strings = (key.types & sort_key::version) != 0 || key.ignore != sort_key::filter::none;
    if (std::popcount(numbers) + (strings ? 1 : 0) > 1) {
      throw usage_error(fmt::format("options '-{}' are incompatible", key.letters()));
    }
  }
  return keys;
}

const char* key_finder::start_of(const char* at, const char* end, const sort_key& key) const {
  for (std::size_t fields = key.start_field; at < end && fields > 0; --fields) {
    at = separator_ ? find_char(at, end, *separator_) : skip_field(at, end);
    if (separator_ && at < end) ++at;
  }
  if (key.start_blanks) at = skip_blanks(at, end);
  return advance(at, end, key.start_char);
}

const char* key_finder::end_of(const char* at, const char* end, const sort_key& key) const {
  const bool whole_field = key.end_char == 0;
  // The fields before the one that it ends in; then that one, where it belongs to the key as a whole.
  for (std::size_t fields = key.end_field; at < end && fields > 0; --fields) {
    at = separator_ ? find_char(at, end, *separator_) : skip_field(at, end);
    if (separator_ && at < end) ++at;
  }
  if (whole_field) return separator_ ? find_char(at, end, *separator_) : skip_field(at, end);
  if (key.end_blanks) at = skip_blanks(at, end);
  return advance(at, end, key.end_char);
}

std::string_view key_finder::find(std::string_view line, const sort_key& key) const {
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  const char* from = begin;
  if (key.start_field != sort_key::whole) {
    from = start_of(begin, end, key);
  } else if (key.start_blanks) {
    from = skip_blanks(begin, end);
  }
  const char* const to = key.end_field == sort_key::whole ? end : end_of(begin, end, key);
  return {from, static_cast<std::size_t>(std::max(from, to) - from)};
}

}  // namespace peneira::tool
