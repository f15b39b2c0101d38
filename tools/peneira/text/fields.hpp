// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The fields of a record that a command wants: its key, which may be several fields, numbers and texts.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/text/byte_store.hpp"
#include "tools/peneira/text/numbers.hpp"
#include "tools/peneira/text/records.hpp"

namespace peneira::tool {

/// A field that a command reads as one thing; what it reads as several stands there as often.
struct wanted_field {
  enum class use { key, number, text };
  std::size_t field;  ///< from 1
  use as;
  std::size_t which;  ///< part of the key, number or text
};

/// What the key of a record is where no field is: nothing, or all of it.
enum class keyless { nothing, whole_record };

/// What was wrong with a record.
struct field_error {
  enum class kind { missing, empty, malformed, integer_too_large, out_of_range };
  kind what;
  std::size_t field;
  std::string text{};     ///< of the field
  std::size_t found = 0;  ///< fields that the record has, where one is missing
};

namespace detail {

/// Eight bytes, of which those from `count` on become 0.
inline std::uint64_t load_word(const char* from, std::size_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, 8);
  return count >= 8 ? word : word & ((std::uint64_t{1} << (8 * count)) - 1);
}

/// The first `wanted` in [from, end), else end. Reads up to 7 bytes past the end.
inline const char* find_byte(const char* from, const char* end, char wanted) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  const std::uint64_t pattern = ones * static_cast<unsigned char>(wanted);
  for (; from < end; from += 8) {
    const std::uint64_t word = load_word(from, 8) ^ pattern;
    const std::uint64_t zeros = (word - ones) & ~word & (ones << 7U);
    if (zeros != 0) return std::min(end, from + static_cast<std::size_t>(std::countr_zero(zeros)) / 8);
  }
  return end;
}

}  // namespace detail

/// A hash of a key, good for this run alone. Reads up to 7 bytes past the end, as same_key does.
inline std::uint64_t hash_key(std::string_view key) {
  std::uint64_t state = key.size() * 0x9E3779B97F4A7C15U;
  for (std::size_t at = 0; at < key.size(); at += 8) {
    state = (std::rotl(state, 29) ^ detail::load_word(key.data() + at, key.size() - at)) * 0xD6E8FEB86659FD93U;
  }
  state = (state ^ (state >> 32U)) * 0xD6E8FEB86659FD93U;
  return state ^ (state >> 32U);
}

inline bool same_key(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t at = 0; at < a.size(); at += 8) {
    const std::size_t count = a.size() - at;
    if (detail::load_word(a.data() + at, count) != detail::load_word(b.data() + at, count)) return false;
  }
  return true;
}

/// Takes a record apart.
class record_parser {
 public:
  /// `wanted` ascends by field. Parts of a key are joined by `joint`; `without` is for a key of none.
  record_parser(const text_format& format, std::vector<wanted_field> wanted, std::size_t keys, char joint,
                keyless without = keyless::nothing)
      : format_(format), wanted_(std::move(wanted)), parts_(keys), joint_(joint), without_(without) {}

  /// The key of a record and, through to.number(which, value) and to.text(which, value), the rest. Where a number or a
  /// text is wrong, to.forgive(wanted, error) says whether to go on; false where it does not, or the key is missing.
  /// The key and texts point into the record, or into `store` if they have many parts or are not written as others
  /// would. Eight bytes behind the record may be read.
  template <class To>
  bool parse(std::string_view line, byte_store& store, std::string_view& key, To& to, field_error& error) {
    if (format_.csv) return parse_by<csv>(line, store, key, to, error);
    if (format_.blanks) return parse_by<blanks>(line, store, key, to, error);
    return parse_by<plain>(line, store, key, to, error);
  }

  /// Goes on with other fields.
  void want(std::vector<wanted_field> wanted) { wanted_ = std::move(wanted); }

 private:
  enum mode { plain, blanks, csv };

  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  static const char* skip_blanks(const char* at, const char* end) {
    while (at != end && is_blank(*at)) ++at;
    return at;
  }
  static const char* blanks_end(const char* at, const char* end) {
    while (at != end && !is_blank(*at)) ++at;
    return at;
  }
  /// A field as it would be written first of all: in quotes only where it needs them, so that equal values are equal.
  [[nodiscard]] std::string_view tidy(std::string_view field, byte_store& store) {
    const std::string_view value = csv_value(field, scratch_);
    const bool bare = value.data() != scratch_.data();  // a part of the field
    if (!needs_quotes(value, format_.separator)) return bare ? value : keep(value, store);
    if (bare && field.starts_with('"')) return field;  // neither a quote in it nor anything behind it
    quoted_.clear();
    append_quoted(quoted_, value);
    return keep(quoted_, store);
  }
  static std::string_view keep(std::string_view text, byte_store& store) {
    char* const kept = store.take(text.size());
    std::copy(text.begin(), text.end(), kept);
    return {kept, text.size()};
  }

  template <mode Mode>
  [[nodiscard]] const char* field_end(const char* at, const char* end) const {
    if constexpr (Mode == plain) return detail::find_byte(at, end, format_.separator);
    if constexpr (Mode == blanks) return blanks_end(at, end);
    return csv_field_end(at, end, format_.separator);
  }

  template <mode Mode, class To>
  bool parse_by(std::string_view line, byte_store& store, std::string_view& key, To& to, field_error& error) {
    line = without_end(line);
    const char* at = line.data();
    const char* const end = at + line.size();
    const char* stop = at;
    std::size_t field = 0;
    for (const wanted_field& want : wanted_) {
      bool found = true;
      for (; field < want.field && found; field += found ? 1 : 0) {
        found = field == 0 || stop != end;
        if (found && field > 0) at = stop + 1;
        if constexpr (Mode == blanks) {
          if (found) at = skip_blanks(at, end);
          found = found && at != end;
        }
        stop = found ? field_end<Mode>(at, end) : end;
      }
      if (!found) {
        error = {field_error::kind::missing, want.field, {}, field};
        if (want.as == wanted_field::use::key || !to.forgive(want, error)) return false;
      } else if (!take<Mode>(want, {at, static_cast<std::size_t>(stop - at)}, store, to, error)) {
        return false;
      }
    }
    key = parts_.size() == 1                  ? parts_.front()
          : !parts_.empty()                   ? join(store)
          : without_ == keyless::whole_record ? line
                                              : line.substr(0, 0);
    return true;
  }

  /// Hands a field on as what is wanted; false where it is not that and nobody forgives it.
  template <mode Mode, class To>
  bool take(const wanted_field& want, std::string_view text, byte_store& store, To& to, field_error& error) {
    if (want.as == wanted_field::use::key) {
      parts_[want.which] = Mode == csv ? tidy(text, store) : text;
      return true;
    }
    if constexpr (Mode == csv) text = csv_value(text, scratch_);
    if (want.as == wanted_field::use::text) {
      to.text(want.which, Mode == csv && text.data() == scratch_.data() ? keep(text, store) : text);
      return true;
    }
    decimal value;
    const number_error wrong = parse_number(text.data(), text.data() + text.size(), value);
    if (wrong != number_error::none) {
      describe_number(error, wrong, want.field, text);
      return to.forgive(want, error);
    }
    to.number(want.which, value);
    return true;
  }

  [[nodiscard]] std::string_view join(byte_store& store) const {
    std::size_t size = parts_.size() - 1;
    for (const std::string_view part : parts_) size += part.size();
    char* const begin = store.take(size);
    char* at = begin;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (p > 0) *at++ = joint_;
      at = std::copy(parts_[p].begin(), parts_[p].end(), at);
    }
    return {begin, size};
  }

  static void describe_number(field_error& error, number_error wrong, std::size_t field, std::string_view text) {
    using kind = field_error::kind;
    error = {text.empty()                               ? kind::empty
             : wrong == number_error::integer_too_large ? kind::integer_too_large
             : wrong == number_error::out_of_range      ? kind::out_of_range
                                                        : kind::malformed,
             field, std::string(text)};
  }

  text_format format_;
  std::vector<wanted_field> wanted_;
  std::vector<std::string_view> parts_;
  char joint_;
  keyless without_;
  std::string scratch_;
  std::string quoted_;
};

}  // namespace peneira::tool
