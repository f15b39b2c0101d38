// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line said about a group, and what follows from it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/group/table.hpp"
#include "tools/peneira/text/fields.hpp"

namespace peneira::tool {

/// An aggregate of the command line: its name and the field that it is of, a number or a header's name.
struct aggregate_request {
  std::string name;  ///< count, sum, mean, min, max
  std::string field;
};

struct group_options {
  std::vector<std::string> inputs;
  std::vector<std::string> keys;
  std::vector<aggregate_request> aggregates;
  std::string separator;
  bool blanks = false;
  bool csv = false;
  bool header = false;
  std::string out = "-";
  bool force = false;
  bool quiet = false;
  unsigned threads = 0;
  std::uint64_t memory = 0;  ///< 0: not said
  std::string folder;        ///< empty: not said

  [[nodiscard]] unsigned team() const { return team_of(threads); }
};

/// How records become groups and groups lines of output.
class group_plan {
 public:
  /// `header` is the first record of the input at `path`, or empty; it may name fields.
  group_plan(const group_options& o, const text_format& format, std::string_view header, std::string_view path);

  [[nodiscard]] const std::vector<wanted_field>& wanted() const { return wanted_; }
  /// The same fields, by their names, in a later input that has another header.
  [[nodiscard]] std::vector<wanted_field> wanted_under(std::string_view header, std::string_view path) const;
  [[nodiscard]] std::size_t keys() const { return keys_.size(); }
  [[nodiscard]] std::size_t values() const { return values_.size(); }
  /// The columns of groups: how they come from a record's values, and how from those of other groups.
  [[nodiscard]] const std::vector<reduction>& reductions() const { return reductions_; }
  [[nodiscard]] std::vector<reduction> merges() const;
  [[nodiscard]] char separator() const { return separator_; }
  /// The output's header with its newline; empty where the input has none.
  [[nodiscard]] const std::string& header() const { return header_; }

  /// Appends the line of a group, where value(r) is the one of reductions()[r].
  template <class Value>
  void append_line(std::string& to, std::string_view key, Value&& value) const {
    to += key;
    for (const aggregate& a : aggregates_) {
      to += separator_;
      const decimal& one = value(a.column);
      if (a.divisor == no_divisor) {
        append_checked(to, one, a, key);
      } else {
        append_checked(to, divide(one, static_cast<std::uint64_t>(value(a.divisor).mantissa())), a, key);
      }
    }
    to += '\n';
  }

 private:
  static constexpr std::size_t no_divisor = ~std::size_t{0};
  struct aggregate {
    std::string name;     // as in the header
    std::size_t column;   // in reductions_
    std::size_t divisor;  // of a mean, the count's
  };

  static void append_checked(std::string& to, const decimal& value, const aggregate& a, std::string_view key);
  std::size_t column_of(fold how, std::size_t field);

  text_format format_;
  char separator_;
  std::vector<std::string> names_;   // of the first header
  std::vector<std::size_t> keys_;    // fields
  std::vector<std::size_t> values_;  // fields
  std::vector<wanted_field> wanted_;
  std::vector<reduction> reductions_;
  std::vector<aggregate> aggregates_;
  std::string header_;
};

void group_text(const group_options& given);

}  // namespace peneira::tool
