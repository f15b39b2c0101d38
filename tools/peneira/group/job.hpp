// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The work of a group: the threads parse records and group them, a piece at a time (multisplit by the hash of the key,
// segmented_reduce over the groups); the pieces' groups are gathered in a store. Aggregates that must see every value
// have a store of their own whose keys are the group's and the value, and which counts them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/group/group.hpp"
#include "tools/peneira/group/ordered.hpp"
#include "tools/peneira/group/store.hpp"
#include "tools/peneira/text/reader.hpp"

namespace peneira::tool {

/// What is wrong with a field, in words.
std::string describe(const field_error& e);

/// Values that were no numbers and did not end the program.
struct forgiven_values {
  std::uint64_t empty = 0;
  std::uint64_t bad = 0;
  std::size_t first_record = ~std::size_t{0};
  field_error first{};

  void add(std::size_t record, const field_error& error);
};

/// What is told of them.
struct forgiven_report {
  std::uint64_t empty = 0;
  std::uint64_t bad = 0;
  std::string first;

  void add(const forgiven_report& later);
};

/// A piece of a chunk as a thread reads it, and its groups.
class piece_worker {
 public:
  struct groups {
    group_table main;
    std::vector<group_table> values;  // of each of the columns' values()
  };

  piece_worker(const text_format& format, const group_plan& plan, const group_options& o);

  void want(std::vector<wanted_field> wanted) { parser_.want(std::move(wanted)); }
  /// The groups of records [begin, end); false at the first bad one, which it keeps.
  bool group(std::string_view text, const std::vector<record>& records, std::size_t begin, std::size_t end, groups& to);

  std::size_t bad_record = ~std::size_t{0};  ///< the first that could not be parsed
  field_error error{};
  forgiven_values forgiven;

 private:
  struct row_filler;

  void add_values(std::size_t row);

  const group_plan& plan_;
  bad_values bad_;
  record_parser parser_;
  grouper group_{1};
  group_table rows_;
  std::vector<group_table> value_rows_;
  std::string scratch_;
};

/// The groups so far.
class group_job {
 public:
  group_job(const group_options& o, const text_format& format, group_plan plan, std::uint64_t memory);

  /// Finds the fields in a later input, whose header may have them in another order.
  void take_header(const text_reader& reader);
  /// Groups the records of a chunk. The reader tells where an error lies.
  void add(const text_reader& reader, std::string_view text, const std::vector<record>& records);
  /// Writes all groups.
  void write(sink& to);
  /// Tells of values that were left out, or taken for 0.
  void report_forgiven() const;

  /// For several jobs that share the work: what one has is added to another's, which then writes all of it.
  [[nodiscard]] const std::vector<std::unique_ptr<group_store>>& stores() const { return stores_; }
  [[nodiscard]] forgiven_report& forgiven() { return forgiven_; }

 private:
  void report_error(const text_reader& reader, std::string_view text, const std::vector<record>& records) const;
  void gather_forgiven(const text_reader& reader, std::string_view text, const std::vector<record>& records);
  void write_table(row_sink& out);
  void write_stream(row_sink& out);
  void write_lines(row_sink& out, const std::vector<std::string_view>& lines,
                   const std::vector<std::uint32_t>& rows) const;

  group_options o_;
  unsigned team_;
  group_plan plan_;
  std::uint64_t memory_;
  std::size_t piece_rows_;
  std::vector<std::unique_ptr<group_store>> stores_;  // of the groups; then of each of the columns' values()
  std::vector<piece_worker> workers_;
  forgiven_report forgiven_;
};

}  // namespace peneira::tool
