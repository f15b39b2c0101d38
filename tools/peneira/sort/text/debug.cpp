// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/sort/text/debug.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/sort/text/keys_encode.hpp"
#include "tools/peneira/text/characters.hpp"

namespace peneira::tool {
namespace {

constexpr std::size_t whole_line = sort_key::whole;
constexpr unsigned number_types = sort_key::numeric | sort_key::general | sort_key::human;

template <class... Arguments>
void warn(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  tell("peneira sort: {}\n", fmt::format(text, std::forward<Arguments>(arguments)...));
}

bool is_numeric(const sort_key& key) {
  return (key.types & number_types) != 0;
}

/// The key that +POS writes, in the form that is not old.
void warn_of_old_form(const sort_key& key) {
  const std::size_t start = key.start_field == whole_line ? 0 : key.start_field;
  std::string old_form = fmt::format("+{}", start);
  std::string new_form = fmt::format("-k {}", start + 1);
  if (key.end_field != whole_line) {
    old_form += fmt::format(" -{}", key.end_field + 1);
    new_form += fmt::format(",{}", key.end_field + 1);
  }
  warn("obsolescent key '{}' used; consider '{}' instead", old_form, new_form);
}

void warn_of_blanks(const sort_text_options& o, const sort_key& key, std::size_t number) {
  const bool skips = is_numeric(key) || (key.types & sort_key::month) != 0;
  const bool line_offset = key.end_field == 0 && key.end_char != 0;
  if (o.separator || line_offset) return;
  if ((!key.start_blanks && !skips) || (!key.start_blanks && key.start_char != 0) ||
      (!key.end_blanks && key.end_char != 0)) {
    warn("leading blanks are significant in key {}; consider also specifying 'b'", number);
  }
}

/// Whether it goes on beyond the field that it begins in.
bool spans_fields(const sort_key& key) {
  const std::size_t start = key.start_field == whole_line ? 0 : key.start_field;
  return key.end_field == whole_line || start < key.end_field;
}

void warn_of_separator(const sort_text_options& o, bool spans, bool general_spans) {
  if (!spans || !o.separator) return;
  if (*o.separator == '-') warn("field separator '-' is treated as a minus sign in numbers");
  if (general_spans && *o.separator == '+') warn("field separator '+' is treated as a plus sign in numbers");
}

/// Takes from the global options those that a key has.
void leave_unused(sort_key& global, const sort_key& key) {
  if (global.ignore == key.ignore) global.ignore = sort_key::filter::none;
  if (key.fold) global.fold = false;
  if (key.start_blanks) global.start_blanks = false;
  if (key.end_blanks) global.end_blanks = false;
  global.types &= ~key.types;
  if (key.reverse) global.reverse = false;
}

void warn_of_unused(const sort_text_options& o, sort_key unused) {
  const bool reverse = unused.reverse;
  const bool last_resort = !o.stable && !o.unique;
  unused.reverse = false;
  const bool more = !unused.plain();
  const bool reverse_is_lost = reverse && !last_resort && !o.keys.empty();
  if (more || reverse_is_lost) {
    std::string letters = unused.start_blanks || unused.end_blanks ? "b" : "";
    letters += unused.letters();
    if (reverse && !last_resort) letters.insert(std::min(letters.find('V'), letters.size()), "r");
    if (letters.size() == 1) {
      warn("option '-{}' is ignored", letters);
    } else {
      warn("options '-{}' are ignored", letters);
    }
  }
  if (reverse && last_resort && !o.keys.empty()) warn("option '-r' only applies to last-resort comparison");
}

/// How many columns a text takes: control characters take none, but a tab is shown as >.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7F);
  }));
}

/// Where a number ends that a key begins with; at its begin where there is none.
std::size_t end_of_number(std::string_view key, bool human) {
  std::size_t at = key.starts_with('-') ? 1 : 0;
  bool digits = false;
  const auto skip_digits = [&] {
    for (; at < key.size() && is_digit(key[at]); ++at) digits = true;
  };
  skip_digits();
  if (at < key.size() && key[at] == '.') {
    ++at;
    skip_digits();
  }
  if (!digits) return 0;
  constexpr std::string_view units = "kKMGTPEZY";
  return at + (human && at < key.size() && units.find(key[at]) != std::string_view::npos ? 1 : 0);
}

/// What of a key of a line counts for its order.
std::string_view compared_part(std::string_view line, const sort_key& how, const key_finder& finder) {
  auto [from, to] = finder.place(line, how);
  const char* const end = to < from ? line.data() + line.size() : to;  // as far as GNU sort looks for blanks
  const bool skips = (how.start_blanks && how.start_field == whole_line) || (how.types & sort_key::month) != 0;
  if (skips || is_numeric(how)) {
    while (from < end && key_finder::is_blank(*from)) ++from;
  }
  const std::string_view key(from, static_cast<std::size_t>(std::max(from, to) - from));
  if ((how.types & sort_key::month) != 0) {
    char month = 0;
    encode_month(key, &month);
    return key.substr(0, month != 0 ? 3 : 0);
  }
  if ((how.types & sort_key::general) != 0) {
    const std::string text(key);
    char* stop = nullptr;
    static_cast<void>(std::strtold(text.c_str(), &stop));
    return key.substr(0, static_cast<std::size_t>(stop - text.c_str()));
  }
  if (is_numeric(how)) return key.substr(0, end_of_number(key, (how.types & sort_key::human) != 0));
  return key;
}

/// Whether the order of texts is called C or POSIX, or the environment names none that is here.
bool is_c_order(const sort_text_options& o) {
  return o.locale == nullptr || o.locale->name() == "C" || o.locale->name() == "POSIX";
}

}  // namespace

void tell_key_warnings(const sort_text_options& o) {
  if (is_c_order(o)) {
    warn("text ordering performed using simple byte comparison");
  } else {
    warn("text ordering performed using '{}' sorting rules", o.locale->name());
  }
  const bool global_only = o.given_keys.empty();
  sort_key unused = o.global;
  bool any_number = false;
  bool spans = false;
  bool general_spans = false;
  for (std::size_t k = 0; k < o.keys.size(); ++k) {
    const sort_key& key = o.keys[k];
    any_number |= is_numeric(key);
    if (key.old_form) warn_of_old_form(key);
    const bool no_width = key.start_field != whole_line && key.end_field < key.start_field;
    if (no_width) warn("key {} has zero width and will be ignored", k + 1);
    if (!no_width && !global_only) warn_of_blanks(o, key, k + 1);
    if (!global_only && is_numeric(key) && spans_fields(key)) {
      warn("key {} is numeric and spans multiple fields", k + 1);
      spans = true;
      general_spans |= (key.types & sort_key::general) != 0;
    }
    leave_unused(unused, key);
  }
  const char point = o.locale != nullptr ? o.locale->decimal_point() : '.';
  const bool point_separates = spans && o.separator == point;
  if (point_separates) warn("field separator '{}' is treated as a decimal point in numbers", point);
  warn_of_separator(o, spans, general_spans);
  if (any_number && !point_separates) {
    warn("{}numbers use '{}' as a decimal point in this locale", o.separator == point ? "" : "note ", point);
  }
  warn_of_unused(o, unused);
}

void debug_sink::write(const char* data, std::size_t size) {
  for (const char* const end = data + size; data != end;) {
    const char* const stop = std::find(data, end, o_.terminator);
    begun_.append(data, stop);
    if (stop == end) return;
    add_line(begun_);
    begun_.clear();
    data = stop + 1;
  }
}

void debug_sink::add_line(std::string_view line) {
  const std::size_t begin = text_.size();
  text_ += line;
  text_ += '\n';
  if (std::exchange(is_header_, false)) return;
  std::replace(text_.begin() + static_cast<std::ptrdiff_t>(begin), text_.end(), '\t', '>');
  for (const sort_key& key : o_.keys) mark(line, &key);
  if (o_.keys.empty() || o_.compares_lines()) mark(line, nullptr);
  constexpr std::size_t enough = std::size_t{1} << 16U;
  if (text_.size() < enough) return;
  to_.write(text_.data(), text_.size());
  text_.clear();
}

void debug_sink::mark(std::string_view line, const sort_key* key) {
  const std::string_view marked = key == nullptr ? line : compared_part(line, *key, finder_);
  text_.append(width_of(line.substr(0, static_cast<std::size_t>(marked.data() - line.data()))), ' ');
  const std::size_t width = width_of(marked);
  text_ += width == 0 ? "^ no match for key" : std::string(width, '_');
  text_ += '\n';
}

void debug_sink::finish() {
  to_.write(text_.data(), text_.size());
  text_.clear();
}

}  // namespace peneira::tool
