// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/sort/text/locale.hpp"

#include <ctype.h>     // NOLINT(modernize-deprecated-headers): POSIX' part of it
#include <langinfo.h>  // of POSIX
#include <string.h>    // NOLINT(modernize-deprecated-headers): POSIX' part of it

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "tools/peneira/sort/text/keys.hpp"
#include "tools/peneira/text/characters.hpp"

namespace peneira::tool {
namespace {

[[noreturn]] void fail_to_compare() {
  throw std::system_error(errno, std::generic_category(), "the locale has no order for a text; LC_ALL=C has one");
}

/// Appends what strxfrm makes of a text without NUL.
void append_transformed(const std::string& text, locale_t locale, std::string& to) {
  const std::size_t begin = to.size();
  for (std::size_t room = 8 * text.size() + 16;;) {
    to.resize(begin + room);
    errno = 0;
    const std::size_t size = strxfrm_l(to.data() + begin, text.c_str(), room, locale);
    if (errno != 0) fail_to_compare();
    if (size < room) return to.resize(begin + size);
    room = size + 1;
  }
}

/// What the environment says of a category.
std::string_view value_of(const char* category) {
  for (const char* const variable : {"LC_ALL", category, "LANG"}) {
    const char* const value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return "C";
}

/// Whether strxfrm gives back what it gets, which it does where the order is that of bytes.
bool orders_bytes(locale_t locale) {
  std::string all;
  for (unsigned b = 1; b < 256; ++b) all += static_cast<char>(b);
  std::string transformed;
  append_transformed(all, locale, transformed);
  return transformed == all;
}

/// The first byte of a sign that has only one, as GNU sort takes it.
std::optional<char> single_byte(const char* sign) {
  if (sign[0] == '\0' || sign[1] != '\0') return std::nullopt;
  return sign[0];
}

}  // namespace

bool text_locale::wanted() {
  constexpr std::array<const char*, 4> categories{"LC_COLLATE", "LC_CTYPE", "LC_NUMERIC", "LC_TIME"};
  return std::any_of(categories.begin(), categories.end(), [](const char* category) {
    const std::string_view value = value_of(category);
    return value != "C" && value != "POSIX";
  });
}

std::unique_ptr<const text_locale> text_locale::of_environment() {
  const locale_t handle = newlocale(LC_ALL_MASK, "", nullptr);
  if (handle == nullptr) return nullptr;
  return std::unique_ptr<const text_locale>(new text_locale(handle));
}

bool text_locale::exists(const char* name) {
  const locale_t handle = newlocale(LC_ALL_MASK, name, nullptr);
  if (handle == nullptr) return false;
  freelocale(handle);
  return true;
}

text_locale::text_locale(locale_t handle)
    : handle_(handle), name_(value_of("LC_COLLATE")), collates_(!orders_bytes(handle)) {
  decimal_point_ = single_byte(nl_langinfo_l(RADIXCHAR, handle_)).value_or('.');
  thousands_ = single_byte(nl_langinfo_l(THOUSEP, handle_));
  for (int c = 0; c < 256; ++c) {
    const auto b = static_cast<std::size_t>(c);
    printing_[b] = isprint_l(c, handle_) != 0;
    alphanumeric_[b] = isalnum_l(c, handle_) != 0;
    upper_[b] = static_cast<char>(toupper_l(c, handle_));
  }
  constexpr std::array<nl_item, 12> names{ABMON_1, ABMON_2, ABMON_3, ABMON_4,  ABMON_5,  ABMON_6,
                                          ABMON_7, ABMON_8, ABMON_9, ABMON_10, ABMON_11, ABMON_12};
  for (std::size_t m = 0; m < months_.size(); ++m) {
    months_[m].number = static_cast<char>(m + 1);
    for (const char c : std::string_view(nl_langinfo_l(names[m], handle_))) {
      if (!key_finder::is_blank(c)) months_[m].name += upper(c);
    }
  }
  std::sort(months_.begin(), months_.end(), [](const month_name& a, const month_name& b) { return a.name < b.name; });
}

text_locale::~text_locale() {
  freelocale(handle_);
}

void text_locale::first_level(std::string_view text, std::string& to) const {
  static thread_local std::string part;
  constexpr char level_end = 1;
  part.assign(text.substr(0, text.find('\0')));
  to.clear();
  append_transformed(part, handle_, to);
  to.resize(std::min(to.find(level_end), to.size()));
}

std::string_view text_locale::transformed(std::string_view text, std::string& to) const {
  static thread_local std::string part;
  to.clear();
  for (std::size_t at = 0; at < text.size(); at += part.size() + 1) {
    part.assign(text.substr(at, text.find('\0', at) - at));
    append_transformed(part, handle_, to);
    to += '\0';
  }
  return to;
}

int text_locale::compare(std::string_view a, std::string_view b) const {
  if (a == b) return 0;
  if (a.empty() || b.empty()) return a.empty() ? -1 : 1;
  static thread_local std::string left;
  static thread_local std::string right;
  left.assign(a);
  right.assign(b);
  for (std::size_t x = 0, y = 0;;) {
    errno = 0;
    const int order = strcoll_l(left.c_str() + x, right.c_str() + y, handle_);
    if (errno != 0) fail_to_compare();
    if (order != 0) return order;
    x = std::min(left.find('\0', x), left.size()) + 1;
    y = std::min(right.find('\0', y), right.size()) + 1;
    const bool ended = x > left.size();
    if (ended || y > right.size()) return static_cast<int>(y > right.size()) - static_cast<int>(ended);
  }
}

std::optional<char> text_locale::unit_of(std::string_view number) const {
  std::size_t at = number.starts_with('-') ? 1 : 0;
  const auto here = [&] { return at < number.size() ? number[at] : '\0'; };
  bool some = false;  // digit that is not 0
  while (is_digit(here())) {
    some |= here() != '0';
    ++at;
    if (!separates(here())) continue;
    ++at;
    if (!is_digit(here())) return std::nullopt;  // a separator that separates nothing
  }
  if (here() == decimal_point_) {
    for (++at; is_digit(here()); ++at) some |= here() != '0';
  }
  return some && at < number.size() ? std::optional(number[at]) : std::nullopt;
}

std::string_view text_locale::plain_number(std::string_view key, bool human, std::string& buffer) const {
  std::size_t at = 0;
  while (at < key.size() && key_finder::is_blank(key[at])) ++at;
  key.remove_prefix(at);
  at = key.starts_with('-') ? 1 : 0;
  const auto skip_digits = [&] {
    while (at < key.size() && is_digit(key[at])) ++at;
  };
  skip_digits();
  const auto at_is_separator = [&] { return at < key.size() && separates(key[at]); };
  if (decimal_point_ == '.' && !at_is_separator()) return key;
  buffer.assign(key.substr(0, at));
  while (at_is_separator()) {
    const std::size_t digits = ++at;
    skip_digits();
    buffer.append(key.substr(digits, at - digits));
  }
  if (at < key.size() && key[at] == decimal_point_) {
    const std::size_t digits = ++at;
    skip_digits();
    buffer += '.';
    buffer.append(key.substr(digits, at - digits));
  }
  if (!human) return buffer;
  if (const std::optional<char> unit = unit_of(key)) buffer += *unit;
  return buffer;
}

long double text_locale::real(const char* text, char** end) const {
  return strtold_l(text, end, handle_);
}

char text_locale::month(std::string_view text) const {
  while (!text.empty() && key_finder::is_blank(text.front())) text.remove_prefix(1);
  std::size_t low = 0;
  for (std::size_t high = months_.size(); low < high;) {
    const std::size_t middle = (low + high) / 2;
    const std::string& name = months_[middle].name;
    int order = 0;
    for (std::size_t i = 0; i < name.size() && order == 0; ++i) {
      const char c = i < text.size() ? upper(text[i]) : '\0';
      order = static_cast<unsigned char>(c) - static_cast<unsigned char>(name[i]);
    }
    if (order == 0) return months_[middle].number;
    order < 0 ? high = middle : low = middle + 1;
  }
  return 0;
}

}  // namespace peneira::tool
