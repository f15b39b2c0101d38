// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// CSV as RFC 4180 has it, and as Python's csv and others read what does not keep to it: a field is quoted where its
// first byte is a quote; two quotes in it are one, and separators and newlines are text. Any other quote is text, and
// so is what follows the closing one: "ab"c is abc.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace peneira::tool {

namespace detail {

static_assert(std::endian::native == std::endian::little, "the first byte is taken for the lowest");

/// The first byte in [from, end) that is a or b, else end.
inline const char* find_either(const char* from, const char* end, char a, char b) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  const std::uint64_t as = ones * static_cast<unsigned char>(a);
  const std::uint64_t bs = ones * static_cast<unsigned char>(b);
  for (; end - from >= 8; from += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, 8);
    const std::uint64_t to_a = word ^ as;
    const std::uint64_t to_b = word ^ bs;
    const std::uint64_t zeros = (((to_a - ones) & ~to_a) | ((to_b - ones) & ~to_b)) & (ones << 7U);
    if (zeros != 0) return from + static_cast<std::size_t>(std::countr_zero(zeros)) / 8;
  }
  while (from != end && *from != a && *from != b) ++from;
  return from;
}

/// How many bytes of [from, end) are newlines: in blocks short enough for counters of a byte, which vectorize best.
inline std::size_t count_newlines(const char* from, const char* end) {
  constexpr std::ptrdiff_t block = 240;
  std::size_t all = 0;
  while (from != end) {
    const char* const stop = from + std::min(block, end - from);
    unsigned char some = 0;
    for (; from != stop; ++from) some = static_cast<unsigned char>(some + (*from == '\n' ? 1 : 0));
    all += some;
  }
  return all;
}

/// Calls at(position) for each newline in [begin, end) that ends a record. Begin is the text's, or behind a newline, as
/// is the end. `quoted` tells whether begin lies in a quoted field and, on return, whether end does.
template <class At>
void for_each_csv_end(std::string_view text, std::size_t begin, std::size_t end, char separator, bool& quoted,
                      At&& at) {
  const char* const data = text.data();
  const char* const stop = data + end;
  const char* next = data + begin;
  while (next != stop) {
    if (quoted) {
      next = find_either(next, stop, '"', '"');
      if (next == stop || ++next == stop) return;
      quoted = *next == '"';
      if (quoted) ++next;
      // Where one field is quoted the next one often is, too.
      if (!quoted && stop - next > 1 && *next == separator && next[1] == '"') {
        quoted = true;
        next += 2;
      }
      continue;
    }
    next = find_either(next, stop, '"', '\n');
    if (next == stop) return;
    if (*next == '\n') {
      at(static_cast<std::size_t>(next - data));
    } else {
      quoted = next == data || next[-1] == separator || next[-1] == '\n';
    }
    ++next;
  }
}

}  // namespace detail

/// Follows one record byte by byte, however its bytes come: for one that is too long, or does not end.
class csv_record_walk {
 public:
  explicit csv_record_walk(char separator) : separator_(separator) {}

  void add(std::string_view text) {
    for (const char c : text) {
      if (ended_) return;
      step(c);
      if (c == '\n') ++lines_;
    }
  }
  [[nodiscard]] bool ended() const { return ended_; }
  /// Whether a quoted field is open, and how many of the record's lines are before that in which it begins.
  [[nodiscard]] bool open() const { return state_ == state::quoted; }
  [[nodiscard]] std::uint64_t lines_before_open() const { return open_line_; }

 private:
  enum class state { start, plain, quoted, quote };  // of a field; quote: after one that closes it, or the first of two

  void step(char c) {
    if (c == '"' && state_ != state::plain) {
      if (state_ == state::start) open_line_ = lines_;
      state_ = state_ == state::quoted ? state::quote : state::quoted;
    } else if (state_ != state::quoted) {
      ended_ = c == '\n';
      state_ = c == separator_ ? state::start : state::plain;
    }
  }

  char separator_;
  state state_ = state::start;
  bool ended_ = false;
  std::uint64_t lines_ = 0;
  std::uint64_t open_line_ = 0;
};

/// Finds where records end, in text that comes in pieces.
class csv_ends {
 public:
  /// `lines`: that come before the text.
  explicit csv_ends(char separator, std::uint64_t lines = 0) : separator_(separator), lines_(lines) {}

  /// The first newline in [at, end) that ends a record, or nullptr. The next call goes on behind it, or at the end.
  const char* next(const char* at, const char* end) {
    while (at != end) {
      if (state_ == state::quoted) {
        const auto* const quote = static_cast<const char*>(std::memchr(at, '"', static_cast<std::size_t>(end - at)));
        lines_ += detail::count_newlines(at, quote != nullptr ? quote : end);
        if (quote == nullptr) return nullptr;
        state_ = state::quote;
        at = quote + 1;
      } else if (state_ == state::quote) {  // that closes the field, or is the first of two
        state_ = *at == '"' ? state::quoted : state::plain;
        before_ = '"';
        if (state_ == state::quoted) ++at;
      } else if (at = next_outside(at, end); at == nullptr || *at++ == '\n') {
        return at == nullptr ? nullptr : at - 1;
      }
    }
    return nullptr;
  }
  /// Whether a quoted field is open, and the line, from 1, in which it began.
  [[nodiscard]] bool open() const { return state_ == state::quoted; }
  [[nodiscard]] std::uint64_t open_line() const { return open_line_; }

 private:
  enum class state { plain, quoted, quote };

  /// The first newline or quote outside of quoted fields, or nullptr. A quote opens a field where one begins.
  const char* next_outside(const char* at, const char* end) {
    const char* const found = detail::find_either(at, end, '"', '\n');
    const char before = found == at ? before_ : found[-1];
    before_ = found == end ? before : *found;
    if (found == end) return nullptr;
    if (*found == '\n') {
      ++lines_;
    } else if (before == separator_ || before == '\n') {
      state_ = state::quoted;
      open_line_ = lines_ + 1;
    }
    return found;
  }

  char separator_;
  std::uint64_t lines_;
  state state_ = state::plain;
  char before_ = '\n';
  std::uint64_t open_line_ = 0;
};

/// Where the field that begins at `at` ends: at a separator, or at the end of the record.
inline const char* csv_field_end(const char* at, const char* end, char separator) {
  if (at != end && *at == '"') {
    do {
      at = detail::find_either(at + 1, end, '"', '"');
      if (at == end) return end;
      ++at;
    } while (at != end && *at == '"');
  }
  return detail::find_either(at, end, separator, separator);
}

/// What a field means. `scratch` holds it where it is no part of the field.
inline std::string_view csv_value(std::string_view field, std::string& scratch) {
  if (!field.starts_with('"')) return field;
  field.remove_prefix(1);
  std::size_t quote = field.find('"');
  if (quote == std::string_view::npos || quote + 1 == field.size()) return field.substr(0, quote);
  scratch.clear();
  std::size_t at = 0;
  for (; field.substr(quote, 2) == "\"\""; quote = std::min(field.find('"', at), field.size())) {
    scratch += field.substr(at, quote + 1 - at);
    at = quote + 2;
  }
  scratch += field.substr(at, quote - at);
  return scratch += field.substr(std::min(quote + 1, field.size()));
}

/// Whether a value must stand in quotes to be a field.
inline bool needs_quotes(std::string_view value, char separator) {
  const char* const end = value.data() + value.size();
  return detail::find_either(value.data(), end, '"', separator) != end ||
         detail::find_either(value.data(), end, '\n', '\r') != end;
}

/// Appends a value as a field in quotes.
inline void append_quoted(std::string& to, std::string_view value) {
  to += '"';
  for (const char c : value) to.append(c == '"' ? 2 : 1, c);
  to += '"';
}

}  // namespace peneira::tool
