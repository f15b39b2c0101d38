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
#include "tools/peneira/text/csv.hpp"
#include "tools/peneira/text/names.hpp"

namespace peneira::tool {
namespace {

[[noreturn]] void refuse_key(const std::string& text, std::string_view why) {
  throw usage_error(
      fmt::format("-k: \"{}\": {} (a key is F[.C][OPTIONS][,F[.C][OPTIONS]], such as 2,2 or 3.1nr,3.4)", text, why));
}

constexpr auto both = sort_key::side::both;

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

/// Whether the text is a field's name, perhaps with options behind a colon: it begins with no number, or has a colon.
bool read_name(const std::string& text, sort_key& key) {
  const std::size_t colon = text.rfind(':');
  const std::string letters = colon == std::string::npos ? "" : text.substr(colon + 1);
  const bool optioned = colon != std::string::npos && colon > 0 &&
                        std::all_of(letters.begin(), letters.end(), [&](char c) { return sort_key().set(c, both); });
  std::size_t first = 0;
  while (first < text.size() && is_space(text[first])) ++first;
  if (first < text.size() && text[first] == '+') ++first;
  const bool number = first >= text.size() || is_digit(text[first]) || text[first] == ',' || text[first] == '.';
  if (number && !optioned) return false;
  key.name = optioned ? text.substr(0, colon) : text;
  for (const char letter : optioned ? letters : "") key.set(letter, both);
  return true;
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
      types |= random;
      return true;
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
  add((types & random) != 0, 'R');
  add((types & version) != 0, 'V');
  return all;
}

sort_key parse_sort_key(const std::string& text) {
  sort_key key;
  if (read_name(text, key)) return key;
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
  const bool may_be_name = key.start_field != sort_key::whole;  // such as a year
  if (may_be_name && std::all_of(text.begin(), text.end(), is_digit)) key.name = text;
  return key;
}

std::optional<sort_key> parse_old_key(const std::string& start, const std::string& end) {
  sort_key key;
  std::size_t at = 1;
  const auto digits_at = [&](const std::string& text) { return at < text.size() && is_digit(text[at]); };
  if (!digits_at(start)) return std::nullopt;
  key.start_field = read_count(start, at, "");
  if (at < start.size() && start[at] == '.') {
    ++at;
    if (!digits_at(start)) return std::nullopt;
    key.start_char = read_count(start, at, "");
  }
  if (key.start_field == 0 && key.start_char == 0) key.start_field = sort_key::whole;
  read_options(start, at, key, sort_key::side::start);
  if (at < start.size()) return std::nullopt;
  key.old_form = true;
  if (end.empty()) return key;
  at = 1;
  key.end_field = read_count(end, at, "after the -");
  if (at < end.size() && end[at] == '.') key.end_char = read_count(end, ++at, "after the point");
  if (key.end_char == 0 && key.end_field > 0) --key.end_field;  // the end of the field before
  read_options(end, at, key, sort_key::side::end);
  if (at < end.size()) refuse_key(end, fmt::format("'{}' is not allowed there", end[at]));
  return key;
}

void refuse_unnamed(const std::string& name) {
  refuse_key(name, "a number is missing at its start, or --header, with which fields have names");
}

void find_named_keys(std::vector<sort_key>& keys, const std::vector<std::string>& names, bool skip_blanks,
                     const std::string& path) {
  for (sort_key& key : keys) {
    const bool beyond = key.start_field != sort_key::whole && key.start_field >= names.size() && !key.name.empty();
    const bool is_name = beyond && std::find(names.begin(), names.end(), key.name) != names.end();
    if (!key.named() && !is_name) continue;
    const std::size_t field = field_named(key.name, names, path) - 1;
    key.start_field = field == 0 ? sort_key::whole : field;
    key.end_field = field;
    key.start_blanks |= skip_blanks;
  }
}

std::vector<sort_key> complete_keys(std::vector<sort_key> keys, const sort_key& global) {
  for (sort_key& key : keys) {
    if (!key.plain()) continue;
    sort_key inherited = global;
    inherited.start_field = key.start_field;
    inherited.start_char = key.start_char;
    inherited.end_field = key.end_field;
    inherited.end_char = key.end_char;
    inherited.old_form = key.old_form;
    inherited.name = key.name;
    key = inherited;
  }
  sort_key unordered = global;
  unordered.reverse = false;
  if (keys.empty() && !unordered.plain()) keys.push_back(global);
  for (const sort_key& key : keys) {
    constexpr unsigned words = sort_key::version | sort_key::random;
    const unsigned numbers = key.types & ~words;
    const bool strings = (key.types & words) != 0 || key.ignore != sort_key::filter::none;
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

std::pair<const char*, const char*> key_finder::place(std::string_view line, const sort_key& key) const {
  const char* const begin = line.data();
  const char* const end = begin + line.size();
  const char* from = begin;
  if (key.start_field != sort_key::whole) {
    from = start_of(begin, end, key);
  } else if (key.start_blanks) {
    from = skip_blanks(begin, end);
  }
  return {from, key.end_field == sort_key::whole ? end : end_of(begin, end, key)};
}

std::string_view key_finder::find_plain(std::string_view line, const sort_key& key) const {
  const auto [from, to] = place(line, key);
  return {from, static_cast<std::size_t>(std::max(from, to) - from)};
}

std::string_view key_finder::find_csv(std::string_view record, const sort_key& key) {
  if (key.start_field == sort_key::whole && key.end_field == sort_key::whole) return find_plain(record, key);
  const std::size_t first = key.start_field == sort_key::whole ? 0 : key.start_field;
  const std::size_t last = key.end_field;
  if (record.ends_with('\r')) record.remove_suffix(1);
  const char* at = record.data();
  const char* const end = at + record.size();
  joined_.clear();
  for (std::size_t field = 0; field <= last; ++field) {
    const char* const stop = csv_field_end(at, end, *separator_);
    if (field >= first) {
      std::string_view value = csv_value({at, static_cast<std::size_t>(stop - at)}, value_);
      const char* const begin = value.data();
      const char* const finish = begin + value.size();
      const char* from = begin;
      const char* to = finish;
      if (field == first) {
        if (key.start_blanks) from = skip_blanks(from, finish);
        from = advance(from, finish, key.start_char);
      }
      if (field == last && key.end_char != 0) {
        to = advance(key.end_blanks ? skip_blanks(begin, finish) : begin, finish, key.end_char);
      }
      value = {from, static_cast<std::size_t>(std::max(from, to) - from)};
      if (first == last) return value;
      if (field > first) joined_ += *separator_;
      joined_ += value;
    }
    if (stop == end) break;
    at = stop + 1;
  }
  return joined_;
}

}  // namespace peneira::tool
