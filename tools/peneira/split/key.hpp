// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The key of a record: the whole line, one of its fields, or several, joined by what separates them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/text/names.hpp"
#include "tools/peneira/text/records.hpp"

namespace peneira::tool {

/// A key that was looked for, or the field that the record lacks.
struct found_key {
  std::string_view key;     ///< lies in the record, or in one of the texts
  std::size_t missing = 0;  ///< the number of that field
  std::size_t fields = 0;   ///< as many does the record have
  std::string joined;
  std::string scratch;
};

class split_key {
 public:
  /// What -k says: numbers of fields, or their names where a header is to come, with commas between them; empty: the
  /// whole line.
  split_key(std::string said, bool header) : said_(std::move(said)) {
    for (const std::string& part : parts()) fields_.push_back(number_of(part).value_or(0));
    if (header || !has_names()) return;
    throw usage_error(
        fmt::format("--key: \"{}\" is not a number from 1 to 2^32, and fields have names only with --header", said_));
  }

  [[nodiscard]] bool empty() const { return said_.empty(); }
  /// Finds the fields in a header. A field may be named as a number, and its name may hold commas.
  void find_names(const text_format& format, std::string_view header, std::string_view path) {
    const std::vector<std::string> names = all_fields(format, header);
    const auto is_name = [&names](const std::string& text) {
      return std::find(names.begin(), names.end(), text) != names.end();
    };
    const std::vector<std::string> wanted = is_name(said_) ? std::vector{said_} : parts();
    fields_.clear();
    for (const std::string& one : wanted) {
      const std::uint64_t number = number_of(one).value_or(0);
      fields_.push_back(number == 0 || (number > names.size() && is_name(one)) ? field_named(one, names, path)
                                                                               : number);
    }
  }
  /// The key of a record; false where the record lacks a field.
  bool find(const text_format& format, std::string_view record, found_key& to) const {
    to.key = without_end(record);
    if (fields_.empty()) return true;
    if (!find_field(format, record, fields_.front(), to)) return false;
    if (fields_.size() == 1) return true;
    to.joined.clear();
    append(format, to);
    for (std::size_t f = 1; f < fields_.size(); ++f) {
      if (!find_field(format, record, fields_[f], to)) return false;
      to.joined += joint(format);
      append(format, to);
    }
    to.key = to.joined;
    return true;
  }

 private:
  /// The number of a field, where the text is one.
  static std::optional<std::uint64_t> number_of(const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    const bool right = read.ptr == end && read.ec == std::errc() && number >= 1 && number <= std::uint64_t{1} << 32U;
    return right ? std::optional(number) : std::nullopt;
  }
  [[nodiscard]] std::vector<std::string> parts() const {
    std::vector<std::string> all;
    for (std::size_t at = 0; !said_.empty() && at <= said_.size();) {
      const std::size_t comma = std::min(said_.find(',', at), said_.size());
      all.push_back(said_.substr(at, comma - at));
      at = comma + 1;
    }
    return all;
  }
  [[nodiscard]] bool has_names() const { return std::find(fields_.begin(), fields_.end(), 0) != fields_.end(); }

  static bool find_field(const text_format& format, std::string_view record, std::uint64_t field, found_key& to) {
    field_walk walk(format, record);
    while (walk.count() < field && walk.next()) continue;
    to.fields = walk.count();
    to.missing = field;
    if (to.fields < field) return false;
    to.key = format.csv ? csv_value(walk.field(), to.scratch) : walk.field();
    return true;
  }
  static char joint(const text_format& format) { return format.blanks ? ' ' : format.separator; }
  /// Appends the field that was found: in quotes where it could be taken for two.
  static void append(const text_format& format, found_key& to) {
    if (format.csv && needs_quotes(to.key, joint(format))) {
      append_quoted(to.joined, to.key);
    } else {
      to.joined += to.key;
    }
  }

  std::string said_;
  std::vector<std::uint64_t> fields_;  ///< their numbers, from 1; 0: a name that is not found yet
};

}  // namespace peneira::tool
