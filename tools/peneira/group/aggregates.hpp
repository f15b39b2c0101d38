// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of a group. An aggregate says which columns it needs (folds.hpp: how rows are added to them and
// parts of a group merged) and makes its result of them; one that must see every value, such as a median, is shown
// them in their order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/group/folds.hpp"

namespace peneira::tool {

/// One cell of the output.
struct group_result {
  enum class kind { none, number, text };
  kind what = kind::none;
  decimal number{0, 0};
  std::string_view text{};

  static group_result of(const decimal& value) { return {kind::number, value, {}}; }
  static group_result of(std::string_view value) { return {kind::text, {0, 0}, value}; }
};

/// The values of a field that are counted one by one: a group for each key and value.
struct counted_values {
  bool numbers;        ///< or texts
  std::size_t column;  ///< of the numbers or texts of a record

  friend bool operator==(const counted_values&, const counted_values&) = default;
};

/// What aggregates need: fields of records, columns of groups. Each is there once, whoever else needs it.
class column_set {
 public:
  explicit column_set(bool gaps, std::string joint) {
    folds_.gaps = gaps;
    folds_.joint = std::move(joint);
  }

  std::size_t rows();
  std::size_t number(fold how, std::size_t field);
  std::size_t text(text_fold how, std::size_t field);
  /// How many numbers a field has in a group: as many as rows, where none may be missing.
  std::size_t present(std::size_t field);
  std::size_t values_of_numbers(std::size_t field);
  std::size_t values_of_texts(std::size_t field);

  [[nodiscard]] const group_folds& folds() const { return folds_; }
  [[nodiscard]] const std::vector<std::size_t>& number_fields() const { return number_fields_; }
  [[nodiscard]] const std::vector<std::size_t>& text_fields() const { return text_fields_; }
  [[nodiscard]] const std::vector<counted_values>& values() const { return values_; }

 private:
  group_folds folds_;
  std::vector<std::size_t> number_fields_;
  std::vector<std::size_t> text_fields_;
  std::vector<counted_values> values_;
};

class aggregate {
 public:
  static constexpr std::size_t no_values = ~std::size_t{0};

  explicit aggregate(std::size_t values = no_values) : values_(values) {}
  aggregate(const aggregate&) = delete;
  aggregate& operator=(const aggregate&) = delete;
  virtual ~aggregate() = default;

  /// Which of the columns' values() it must see; begin() and then see() for each of them, ascending, come before of().
  [[nodiscard]] std::size_t values() const { return values_; }
  virtual void begin(const group_view& /*group*/) {}
  virtual void see(std::string_view /*value*/, std::uint64_t /*times*/) {}
  virtual group_result of(const group_view& group) const = 0;

 private:
  std::size_t values_;
};

/// What an aggregate is made of: its field's number and what else its option says.
struct aggregate_source {
  std::size_t field;
  std::string_view argument;  ///< such as the 95 of a percentile
  std::string_view joint;     ///< between values in a list
  bool approximate = false;   ///< a count of different texts may be
};

/// An aggregate of the command line.
struct aggregate_kind {
  enum class takes { nothing, field, argument_and_field };
  std::string_view names;  ///< of the option, the first one the header's: "sum", "var,variance"
  std::string_view help;
  takes what;
  bool is_number;  ///< its result
  std::unique_ptr<aggregate> (*make)(column_set& columns, const aggregate_source& from);

  [[nodiscard]] std::string_view name() const { return names.substr(0, names.find(',')); }
};

std::span<const aggregate_kind> aggregate_kinds();

/// The kind of that name.
const aggregate_kind& aggregate_kind_of(std::string_view name);

}  // namespace peneira::tool
