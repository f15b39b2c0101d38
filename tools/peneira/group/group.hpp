// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the command line said about a group, and what follows from it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/group/aggregates.hpp"
#include "tools/peneira/group/output.hpp"
#include "tools/peneira/text/fields.hpp"
#include "tools/peneira/text/reader.hpp"

namespace peneira::tool {

/// An aggregate of the command line, and the field that it is of, a number or a header's name.
struct aggregate_request {
  const aggregate_kind* kind;
  std::string field;
  std::string argument;  ///< before the field, as the 95 of 95:price
};

/// What becomes of a field that should be a number and is none.
enum class bad_values { fail, skip, zero };

struct group_options {
  std::string command = "group";
  std::vector<std::string> inputs;
  std::vector<std::string> keys;
  bool whole_lines = false;    ///< are the keys where no field is
  bool results_first = false;  ///< in the output, before the key
  std::vector<aggregate_request> aggregates;
  std::string separator;
  bool blanks = false;
  bool csv = false;
  bool tsv = false;
  bool header = false;
  bool approximate = false;  ///< counts of different texts
  bad_values bad = bad_values::fail;
  std::optional<std::string> joint;  ///< between texts in a list
  std::string order_by;              ///< empty: by key
  std::uint64_t top = 0;             ///< rows to write; 0: all
  std::string format;                ///< empty: as the input
  std::string out = "-";
  bool force = false;
  bool quiet = false;
  unsigned threads = 0;
  std::uint64_t memory = 0;  ///< 0: not said
  std::string folder;        ///< empty: not said

  [[nodiscard]] unsigned team() const { return team_of(threads); }
};

/// The result that rows are ordered by.
struct row_order {
  static constexpr std::size_t by_key = ~std::size_t{0};
  std::size_t result;
  bool descending;
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
  /// What is read of records and kept of groups.
  [[nodiscard]] const column_set& columns() const { return columns_; }
  /// Those that must see values, of each of the columns' values().
  [[nodiscard]] const std::vector<std::vector<aggregate*>>& seeing() const { return seeing_; }
  [[nodiscard]] const row_writer& rows() const { return *rows_; }
  [[nodiscard]] bool has_header() const { return has_header_; }
  [[nodiscard]] const std::optional<row_order>& order() const { return order_; }
  /// Of the output's columns, which are numbers, to be aligned; none where they are not to be.
  [[nodiscard]] std::vector<bool> aligned_right() const;

  /// All results of a group.
  void results_of(const group_view& group, std::vector<group_result>& to) const;
  /// Appends bytes by which rows are ordered, of rows with equal results by their keys.
  void append_order(std::string& to, std::string_view key, const std::vector<group_result>& results) const;

 private:
  void add_aggregates(const group_options& o, row_columns& to, std::string_view path);
  void find_order(const group_options& o, const row_columns& columns);
  [[nodiscard]] std::string name_of(std::size_t field) const;

  text_format format_;
  bool has_header_;
  row_style style_;
  std::vector<std::string> names_;  // of the first header
  std::vector<std::size_t> keys_;   // fields
  column_set columns_;
  std::vector<std::unique_ptr<aggregate>> aggregates_;
  std::vector<std::size_t> fields_;  // of each aggregate
  std::vector<bool> numbers_;        // which results are
  std::vector<std::vector<aggregate*>> seeing_;
  std::vector<wanted_field> wanted_;
  std::unique_ptr<row_writer> rows_;
  std::optional<row_order> order_;
};

/// How the inputs become fields. Throws usage_error for options that exclude each other.
text_format format_of(const group_options& o);
/// What of a limit is for arrays; makes the program keep to it.
std::uint64_t plan_group_memory(std::uint64_t limit);
/// As many threads of a team as have the memory to work.
unsigned threads_for_group(std::uint64_t memory, unsigned team);
/// How much is read at once.
text_limits limits_of_group(std::uint64_t memory, unsigned team);

void group_text(const group_options& given);

}  // namespace peneira::tool
