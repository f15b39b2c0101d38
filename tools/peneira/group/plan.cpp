// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/group/group.hpp"

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
std::size_t find_field(const std::string& name, bool header, const std::vector<std::string>& names,
                       std::string_view path) {
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, number);
  if (read.ptr == end && read.ec == std::errc() && number >= 1 && number < (std::uint64_t{1} << 32U)) {
    const bool is_name = number > names.size() && std::find(names.begin(), names.end(), name) != names.end();
    return is_name ? find_name(name, names, path) : number;
  }
  if (!header || read.ptr == end) {
    throw usage_error(fmt::format("group: invalid field \"{}\": fields are numbered from 1{}", name,
                                  header ? "" : ", and have names only with --header"));
  }
  return find_name(name, names, path);
}

void sort_by_field(std::vector<wanted_field>& wanted) {
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const wanted_field& a, const wanted_field& b) { return a.field < b.field; });
}

/// A name as a field of the output.
std::string as_field(const std::string& name, const text_format& format) {
  if (!format.csv || !needs_quotes(name, format.separator)) return name;
  std::string quoted;
  append_quoted(quoted, name);
  return quoted;
}

}  // namespace

group_plan::group_plan(const group_options& o, const text_format& format, std::string_view header,
                       std::string_view path)
    : format_(format), separator_(format.blanks ? '\t' : format.separator) {
  if (!header.empty()) names_ = all_fields(format, header);
  const auto name_of = [&](std::size_t field) {
    return field <= names_.size() ? names_[field - 1] : fmt::format("field {}", field);
  };
  for (const std::string& key : o.keys) {
    keys_.push_back(find_field(key, o.header, names_, path));
    if (keys_.size() > 1) header_ += separator_;  // also behind an empty name
    header_ += as_field(name_of(keys_.back()), format);
  }
  for (const aggregate_request& request : o.aggregates) {
    const bool counts = request.name == "count";
    const std::size_t field = counts ? 0 : find_field(request.field, o.header, names_, path);
    aggregate a{counts ? request.name : fmt::format("{}({})", request.name, name_of(field)), 0, no_divisor};
    const bool sums = request.name == "sum" || request.name == "mean";
    a.column = column_of(counts                  ? fold::count
                         : sums                  ? fold::sum
                         : request.name == "min" ? fold::min
                                                 : fold::max,
                         field);
    if (request.name == "mean") a.divisor = column_of(fold::count, 0);
    header_ += separator_ + as_field(a.name, format);
    aggregates_.push_back(std::move(a));
  }
  header_ = header.empty() ? "" : header_ + '\n';

  for (std::size_t k = 0; k < keys_.size(); ++k) wanted_.push_back({keys_[k], k, wanted_field::none});
  for (std::size_t v = 0; v < values_.size(); ++v) wanted_.push_back({values_[v], wanted_field::none, v});
  sort_by_field(wanted_);
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

/// The column of a fold of a field, made where there is none yet.
std::size_t group_plan::column_of(fold how, std::size_t field) {
  std::size_t value = 0;
  if (how != fold::count) {
    const auto known = std::find(values_.begin(), values_.end(), field);
    value = static_cast<std::size_t>(known - values_.begin());
    if (known == values_.end()) values_.push_back(field);
  }
  const reduction wanted{how, value};
  const auto known = std::find(reductions_.begin(), reductions_.end(), wanted);
  const auto column = static_cast<std::size_t>(known - reductions_.begin());
  if (known == reductions_.end()) reductions_.push_back(wanted);
  return column;
}

std::vector<reduction> group_plan::merges() const {
  std::vector<reduction> all = reductions_;
  for (std::size_t r = 0; r < all.size(); ++r) {
    all[r].column = r;
    if (all[r].how == fold::count) all[r].how = fold::sum;
  }
  return all;
}

void group_plan::append_checked(std::string& to, const decimal& value, const aggregate& a, std::string_view key) {
  if (append_number(to, value)) return;
  throw std::runtime_error(fmt::format("{} of the group \"{}\" is beyond the range of a double", a.name, key));
}

}  // namespace peneira::tool
