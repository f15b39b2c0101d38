// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/group/group.hpp"
#include "tools/peneira/group/sortable.hpp"

namespace peneira::tool {
namespace {

/// The number of the field of that name.
std::size_t find_name(const std::string& name, const std::vector<std::string>& names, std::string_view path) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw std::runtime_error(
        fmt::format("{}: the header has no field \"{}\", but: {}", path, name, fmt::join(names, " ")));
  }
  if (std::find(found + 1, names.end(), name) != names.end()) {
    throw std::runtime_error(fmt::format("{}: the header has more than one field \"{}\"", path, name));
  }
  return static_cast<std::size_t>(found - names.begin()) + 1;
}

/// The number of a field that the command line names by number or, with a header, by name. A number beyond the
/// header may be a name, such as a year.
std::size_t find_field(const std::string& name, const group_options& o, const std::vector<std::string>& names,
                       std::string_view path) {
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, number);
  if (read.ptr == end && read.ec == std::errc() && number >= 1 && number < (std::uint64_t{1} << 32U)) {
    const bool is_name = number > names.size() && std::find(names.begin(), names.end(), name) != names.end();
    return is_name ? find_name(name, names, path) : number;
  }
  if (!o.header || read.ptr == end) {
    throw usage_error(fmt::format("{}: invalid field \"{}\": fields are numbered from 1{}", o.command, name,
                                  o.header ? "" : ", and have names only with --header"));
  }
  return find_name(name, names, path);
}

void sort_by_field(std::vector<wanted_field>& wanted) {
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const wanted_field& a, const wanted_field& b) { return a.field < b.field; });
}

/// What lies between texts in a list: a comma, or a semicolon where commas lie between fields.
std::string joint_of(const group_options& o, const text_format& format) {
  if (o.joint) return *o.joint;
  return !format.blanks && format.separator == ',' ? ";" : ",";
}

}  // namespace

group_plan::group_plan(const group_options& o, const text_format& format, std::string_view header,
                       std::string_view path)
    : format_(format),
      has_header_(!header.empty()),
      style_(row_style_of(o.format)),
      columns_(o.bad == bad_values::skip, joint_of(o, format)) {
  if (has_header_) names_ = all_fields(format, header);
  row_columns to;
  to.results_first = o.results_first;
  for (const std::string& key : o.keys) {
    keys_.push_back(find_field(key, o, names_, path));
    to.keys.push_back(name_of(keys_.back()));
  }
  if (keys_.empty() && o.whole_lines) {
    to.whole_key = true;
    to.keys.emplace_back("line");
  }
  add_aggregates(o, to, path);
  find_order(o, to);
  rows_ = std::make_unique<row_writer>(style_, format, std::move(to));

  using use = wanted_field::use;
  for (std::size_t k = 0; k < keys_.size(); ++k) wanted_.push_back({keys_[k], use::key, k});
  const auto want = [&](const std::vector<std::size_t>& fields, use as) {
    for (std::size_t v = 0; v < fields.size(); ++v) wanted_.push_back({fields[v], as, v});
  };
  want(columns_.number_fields(), use::number);
  want(columns_.text_fields(), use::text);
  sort_by_field(wanted_);
}

void group_plan::add_aggregates(const group_options& o, row_columns& to, std::string_view path) {
  for (const aggregate_request& request : o.aggregates) {
    const bool has_field = request.kind->what != aggregate_kind::takes::nothing;
    const std::size_t field = has_field ? find_field(request.field, o, names_, path) : 0;
    const std::string name =
        request.argument.empty() ? std::string(request.kind->name()) : fmt::format("p{}", request.argument);
    to.results.push_back(has_field ? fmt::format("{}({})", name, name_of(field)) : name);
    aggregates_.push_back(
        request.kind->make(columns_, {field, request.argument, columns_.folds().joint, o.approximate}));
    fields_.push_back(field);
    numbers_.push_back(request.kind->is_number);
  }
  seeing_.resize(columns_.values().size());
  for (const auto& a : aggregates_) {
    if (a->values() != aggregate::no_values) seeing_[a->values()].push_back(a.get());
  }
}

/// Results are named as in the header, or as on the command line: sum(price), sum:3, or sum if there is one alone.
void group_plan::find_order(const group_options& o, const row_columns& columns) {
  if (o.order_by.empty() && o.top == 0) return;
  std::string_view name = o.order_by;
  row_order order{0, true};
  for (const std::string_view direction : {":asc", ":desc"}) {
    if (!name.ends_with(direction)) continue;
    name.remove_suffix(direction.size());
    order.descending = direction == ":desc";
    break;
  }
  if (name == "key" && !columns.keys.empty()) {
    order_ = {row_order::by_key, order.descending};
    return;
  }
  std::vector<std::size_t> found;
  for (std::size_t r = 0; r < o.aggregates.size(); ++r) {
    const aggregate_request& request = o.aggregates[r];
    const std::string_view kind = request.kind->name();
    bool is_meant = name == columns.results[r] || name == kind;
    for (const std::string& field : {request.field, std::to_string(fields_[r])}) {
      const std::string said = request.argument.empty() ? field : request.argument + ':' + field;
      is_meant = is_meant || name == fmt::format("{}:{}", kind, said) || name == fmt::format("{}({})", kind, said);
    }
    if (is_meant) found.push_back(r);
  }
  if (o.order_by.empty()) found = {0};
  const bool same = std::all_of(found.begin(), found.end(),
                                [&](std::size_t r) { return columns.results[r] == columns.results[found.front()]; });
  if (found.empty() || !same) {
    throw usage_error(fmt::format("{}: --order-by: \"{}\" is {} of the results, which are: {}", o.command, name,
                                  found.empty() ? "none" : "more than one", fmt::join(columns.results, " ")));
  }
  order_ = {found.front(), order.descending};
}

std::string group_plan::name_of(std::size_t field) const {
  return field <= names_.size() ? names_[field - 1] : fmt::format("field {}", field);
}

std::vector<bool> group_plan::aligned_right() const {
  if (style_ != row_style::table) return {};
  std::vector<bool> right = numbers_;
  const row_columns& columns = rows_->columns();
  right.insert(columns.results_first ? right.end() : right.begin(), columns.keys.size(), false);
  return right;
}

void group_plan::results_of(const group_view& group, std::vector<group_result>& to) const {
  to.clear();
  for (const auto& a : aggregates_) to.push_back(a->of(group));
}

void group_plan::append_order(std::string& to, std::string_view key, const std::vector<group_result>& results) const {
  const std::size_t first = to.size();
  if (order_->result == row_order::by_key) {
    append_sortable(to, key);
    if (order_->descending) invert_from(to, first);
    return;
  }
  const group_result& result = results[order_->result];
  to += result.what == group_result::kind::none ? '\1' : '\0';  // what is not there comes last
  if (result.what == group_result::kind::number) append_sortable(to, result.number);
  if (result.what == group_result::kind::text) append_sortable(to, result.text);
  if (order_->descending) invert_from(to, first + 1);
  to += key;
}

std::vector<wanted_field> group_plan::wanted_under(std::string_view header, std::string_view path) const {
  const std::vector<std::string> names = all_fields(format_, header);
  if (names == names_) return wanted_;
  std::vector<wanted_field> wanted = wanted_;
  for (wanted_field& one : wanted) {
    if (one.field > names_.size()) {
      throw std::runtime_error(fmt::format(
          "{}: the header is not that of the first input, and field {} has no name to find it by", path, one.field));
    }
    const std::string& name = names_[one.field - 1];
    if (std::count(names_.begin(), names_.end(), name) > 1) {
      throw std::runtime_error(fmt::format(
          "{}: the header is not that of the first input, which has more than one field \"{}\"", path, name));
    }
    one.field = find_name(name, names, path);
  }
  sort_by_field(wanted);
  return wanted;
}

}  // namespace peneira::tool
