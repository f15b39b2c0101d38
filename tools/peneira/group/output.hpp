// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How groups are written: as the input was, or as CSV, TSV, lines of JSON, or a table for people.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/group/aggregates.hpp"
#include "tools/peneira/io/sink.hpp"
#include "tools/peneira/text/records.hpp"

namespace peneira::tool {

enum class row_style { as_input, csv, tsv, json, table };

/// The style that --format names.
row_style row_style_of(std::string_view name);

/// What the columns of an output are called, and how its keys are to be read.
struct row_columns {
  std::vector<std::string> keys;
  std::vector<std::string> results;
  bool whole_key = false;      ///< the key is one text, not fields
  bool results_first = false;  ///< before the key
};

/// Makes lines of groups.
class row_writer {
 public:
  row_writer(row_style style, const text_format& input, row_columns columns);

  [[nodiscard]] const row_columns& columns() const { return columns_; }
  /// Whether a line begins with the key as it is.
  [[nodiscard]] bool begins_with_key() const {
    return style_ == row_style::as_input && !columns_.results_first && !columns_.keys.empty();
  }
  void append_header(std::string& to) const;
  void append(std::string& to, std::string_view key, std::span<const group_result> results) const;

 private:
  void append_key(std::string& to, std::string_view key) const;
  void append_results(std::string& to, std::string_view key, std::span<const group_result> results) const;
  void begin_cell(std::string& to, const std::string& name) const;
  void append_text(std::string& to, std::string_view value) const;
  void end_row(std::string& to) const;

  row_style style_;
  text_format input_;  // with the separator of joined keys
  char separator_;
  bool quoting_;
  row_columns columns_;
};

/// Where lines go: to a sink as they are, or aligned. Columns are as wide as the first thousands of rows need, so that
/// memory stays bounded; what is wider further down stands out.
class row_sink {
 public:
  /// `right` tells which columns are numbers; empty: lines are not aligned.
  row_sink(sink& out, std::vector<bool> right) : out_(out), right_(std::move(right)) {}

  void write(std::string_view lines);
  void finish();

 private:
  static constexpr std::size_t most_held = std::size_t{1} << 18U;

  void align();
  void measure();
  void append_aligned(std::string& to, std::string_view line) const;

  sink& out_;
  std::vector<bool> right_;
  std::vector<std::size_t> widths_;
  std::string held_;
};

}  // namespace peneira::tool
