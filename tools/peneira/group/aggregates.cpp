// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/group/aggregates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/group/sketch.hpp"
#include "tools/peneira/group/sortable.hpp"
#include "tools/peneira/text/numbers.hpp"

namespace peneira::tool {
namespace {

/// The position of a thing in a list, which gets it where it has it not.
template <class T>
std::size_t position_of(std::vector<T>& list, const T& thing) {
  const auto found = std::find(list.begin(), list.end(), thing);
  const auto position = static_cast<std::size_t>(found - list.begin());
  if (found == list.end()) list.push_back(thing);
  return position;
}

std::uint64_t count_in(const decimal& value) {
  return static_cast<std::uint64_t>(value.mantissa());
}

}  // namespace

std::size_t column_set::rows() {
  return position_of(folds_.numbers, {fold::rows, 0});
}

std::size_t column_set::number(fold how, std::size_t field) {
  return position_of(folds_.numbers, {how, position_of(number_fields_, field)});
}

std::size_t column_set::text(text_fold how, std::size_t field) {
  return position_of(folds_.texts, {how, position_of(text_fields_, field)});
}

std::size_t column_set::present(std::size_t field) {
  return folds_.gaps ? number(fold::present, field) : rows();
}

std::size_t column_set::values_of_numbers(std::size_t field) {
  return position_of(values_, {true, position_of(number_fields_, field)});
}

std::size_t column_set::values_of_texts(std::size_t field) {
  return position_of(values_, {false, position_of(text_fields_, field)});
}

namespace {

/// A column as it is: counts, sums.
class number_column : public aggregate {
 public:
  explicit number_column(std::size_t column) : column_(column) {}
  group_result of(const group_view& group) const override { return group_result::of(group.numbers[column_]); }

 private:
  std::size_t column_;
};

/// The least or greatest number, if there is any.
class extreme : public aggregate {
 public:
  extreme(std::size_t column, std::size_t count) : column_(column), count_(count) {}
  group_result of(const group_view& group) const override {
    return count_in(group.numbers[count_]) == 0 ? group_result{} : group_result::of(group.numbers[column_]);
  }

 private:
  std::size_t column_;
  std::size_t count_;
};

class mean_value : public aggregate {
 public:
  mean_value(std::size_t sum, std::size_t count) : sum_(sum), count_(count) {}
  group_result of(const group_view& group) const override {
    const std::uint64_t n = count_in(group.numbers[count_]);
    return n == 0 ? group_result{} : group_result::of(divide(group.numbers[sum_], n));
  }

 private:
  std::size_t sum_;
  std::size_t count_;
};

/// The variance or its root, of a sample (divided by n - 1) or of all there is (by n).
class spread : public aggregate {
 public:
  struct columns {
    std::size_t sum;
    std::size_t squares;
    std::size_t count;
  };
  spread(const columns& from, bool sample, bool root) : from_(from), sample_(sample), root_(root) {}
  group_result of(const group_view& group) const override {
    const std::uint64_t n = count_in(group.numbers[from_.count]);
    if (n < (sample_ ? 2 : 1)) return {};
    const cut_number all = variance(group.numbers[from_.sum], group.numbers[from_.squares], n, sample_ ? n - 1 : n);
    return group_result::of(root_ ? square_root(all) : all.rounded());
  }

 private:
  columns from_;
  bool sample_;
  bool root_;
};

class text_column : public aggregate {
 public:
  explicit text_column(std::size_t column) : column_(column) {}
  group_result of(const group_view& group) const override { return group_result::of(group.texts[column_]); }

 private:
  std::size_t column_;
};

/// A percentile, between two values in proportion where it falls between them, as NumPy has it: at P / 100 * (n - 1) of
/// the values from 0 to n - 1. Exact, as all of it is decimal.
class percentile : public aggregate {
 public:
  percentile(const decimal& percent, std::size_t values, std::size_t count)
      : aggregate(values), percent_(percent), count_(count) {}

  void begin(const group_view& group) override {
    seen_ = 0;
    n_ = count_in(group.numbers[count_]);
    if (n_ == 0) return;
    const int128 position = percent_.mantissa() * static_cast<int128>(n_ - 1);
    low_position_ = static_cast<std::uint64_t>(position / unit());
    above_ = position % unit();
  }
  void see(std::string_view value, std::uint64_t times) override {
    const auto is_here = [&](std::uint64_t position) { return position >= seen_ && position - seen_ < times; };
    if (is_here(low_position_)) low_ = read_sortable(value);
    if (above_ != 0 && is_here(low_position_ + 1)) high_ = read_sortable(value);
    seen_ += times;
  }
  group_result of(const group_view& /*group*/) const override {
    if (n_ == 0) return {};
    if (above_ == 0) return group_result::of(low_);
    const int digits = percent_.exponent() - 2;
    const decimal exact = product(low_, {unit() - above_, digits}) + product(high_, {above_, digits});
    if (exact.owned() == nullptr) return group_result::of(exact);
    const decimal nearest = divide(exact, 1);
    release(exact);
    return group_result::of(nearest);
  }

 private:
  /// What the position counts in: hundredths of the last digit of the percentage.
  [[nodiscard]] int128 unit() const { return detail::powers_of_ten[static_cast<std::size_t>(2 - percent_.exponent())]; }

  decimal percent_;
  std::size_t count_;
  std::uint64_t n_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t low_position_ = 0;
  int128 above_ = 0;
  decimal low_{0, 0};
  decimal high_{0, 0};
};

class distinct_count : public aggregate {
 public:
  using aggregate::aggregate;
  void begin(const group_view& /*group*/) override { count_ = 0; }
  void see(std::string_view /*value*/, std::uint64_t /*times*/) override { ++count_; }
  group_result of(const group_view& /*group*/) const override {
    return group_result::of(decimal(static_cast<int128>(count_), 0));
  }

 private:
  std::uint64_t count_ = 0;
};

class approximate_count : public aggregate {
 public:
  explicit approximate_count(std::size_t column) : column_(column) {}
  group_result of(const group_view& group) const override {
    return group_result::of(decimal(static_cast<int128>(distinct_sketch::estimate(group.texts[column_])), 0));
  }

 private:
  std::size_t column_;
};

/// The most frequent value, of several the first by its bytes.
class mode_value : public aggregate {
 public:
  using aggregate::aggregate;
  void begin(const group_view& /*group*/) override { most_ = 0; }
  void see(std::string_view value, std::uint64_t times) override {
    if (times <= most_) return;
    most_ = times;
    value_ = value;
  }
  group_result of(const group_view& /*group*/) const override { return group_result::of(std::string_view(value_)); }

 private:
  std::uint64_t most_ = 0;
  std::string value_;
};

/// All distinct values by their bytes.
class unique_values : public aggregate {
 public:
  unique_values(std::size_t values, std::string_view joint) : aggregate(values), joint_(joint) {}
  void begin(const group_view& /*group*/) override {
    all_.clear();
    first_ = true;
  }
  void see(std::string_view value, std::uint64_t /*times*/) override {
    if (!first_) all_ += joint_;
    first_ = false;
    all_ += value;
  }
  group_result of(const group_view& /*group*/) const override { return group_result::of(std::string_view(all_)); }

 private:
  std::string joint_;
  std::string all_;
  bool first_ = true;
};

using made = std::unique_ptr<aggregate>;

template <fold How>
made make_extreme(column_set& columns, const aggregate_source& from) {
  return std::make_unique<extreme>(columns.number(How, from.field), columns.present(from.field));
}

template <bool Sample, bool Root>
made make_spread(column_set& columns, const aggregate_source& from) {
  const spread::columns all{columns.number(fold::sum, from.field), columns.number(fold::squares, from.field),
                            columns.present(from.field)};
  return std::make_unique<spread>(all, Sample, Root);
}

template <text_fold How>
made make_text(column_set& columns, const aggregate_source& from) {
  return std::make_unique<text_column>(columns.text(How, from.field));
}

made make_percentile(column_set& columns, const aggregate_source& from) {
  constexpr int most_digits = 12;  // behind the point, so that positions of all groups fit
  const std::string_view text = from.argument;
  decimal percent{0, 0};
  const bool is_number = parse_number(text.data(), text.data() + text.size(), percent) == number_error::none;
  percent = percent.shortest();
  if (!is_number || percent < decimal{0, 0} || decimal{100, 0} < percent || percent.exponent() < -most_digits) {
    throw usage_error(fmt::format(
        "group: --percentile: must be a number from 0 to 100, a colon and a field, but the number is \"{}\"", text));
  }
  if (percent.exponent() > 0) {
    percent = {percent.mantissa() * detail::powers_of_ten[static_cast<std::size_t>(percent.exponent())], 0};
  }
  return std::make_unique<percentile>(percent, columns.values_of_numbers(from.field), columns.present(from.field));
}

constexpr auto takes_nothing = aggregate_kind::takes::nothing;
constexpr auto takes_field = aggregate_kind::takes::field;

constexpr std::array all_kinds{
    aggregate_kind{
        "count", "Lines of the group", takes_nothing, true,
        [](column_set& c, const aggregate_source&) -> made { return std::make_unique<number_column>(c.rows()); }},
    aggregate_kind{"sum", "Sum of a field", takes_field, true,
                   [](column_set& c, const aggregate_source& from) -> made {
                     return std::make_unique<number_column>(c.number(fold::sum, from.field));
                   }},
    aggregate_kind{"mean", "Its mean", takes_field, true,
                   [](column_set& c, const aggregate_source& from) -> made {
                     return std::make_unique<mean_value>(c.number(fold::sum, from.field), c.present(from.field));
                   }},
    aggregate_kind{"min", "Its least value", takes_field, true, make_extreme<fold::min>},
    aggregate_kind{"max", "Its greatest value", takes_field, true, make_extreme<fold::max>},
    aggregate_kind{"median", "Its median", takes_field, true,
                   [](column_set& c, const aggregate_source& from) {
                     return make_percentile(c, {from.field, "50", from.joint});
                   }},
    aggregate_kind{"percentile,perc", "A percentile: 95:3 is the 95th of field 3",
                   aggregate_kind::takes::argument_and_field, true, make_percentile},
    aggregate_kind{"stdev,sstdev", "Standard deviation of a sample (n - 1)", takes_field, true,
                   make_spread<true, true>},
    aggregate_kind{"pstdev", "Standard deviation of a population (n)", takes_field, true, make_spread<false, true>},
    aggregate_kind{"var,svar,variance", "Variance of a sample", takes_field, true, make_spread<true, false>},
    aggregate_kind{"pvar", "Variance of a population", takes_field, true, make_spread<false, false>},
    aggregate_kind{"distinct,countunique", "How many different texts a field has", takes_field, true,
                   [](column_set& c, const aggregate_source& from) -> made {
                     if (!from.approximate) return std::make_unique<distinct_count>(c.values_of_texts(from.field));
                     return std::make_unique<approximate_count>(c.text(text_fold::sketch, from.field));
                   }},
    aggregate_kind{"mode", "Its most frequent text; of several, the first by bytes", takes_field, false,
                   [](column_set& c, const aggregate_source& from) -> made {
                     return std::make_unique<mode_value>(c.values_of_texts(from.field));
                   }},
    aggregate_kind{"first", "Its text in the first line of the group", takes_field, false, make_text<text_fold::first>},
    aggregate_kind{"last", "Its text in the last line", takes_field, false, make_text<text_fold::last>},
    aggregate_kind{"concat,collapse", "Its texts in the order of the lines, joined by --list-separator", takes_field,
                   false, make_text<text_fold::append>},
    aggregate_kind{"unique", "Its different texts by bytes, joined by --list-separator", takes_field, false,
                   [](column_set& c, const aggregate_source& from) -> made {
                     return std::make_unique<unique_values>(c.values_of_texts(from.field), from.joint);
                   }},
};

}  // namespace

std::span<const aggregate_kind> aggregate_kinds() {
  return all_kinds;
}

const aggregate_kind& aggregate_kind_of(std::string_view name) {
  return *std::find_if(all_kinds.begin(), all_kinds.end(), [&](const aggregate_kind& k) { return k.name() == name; });
}

}  // namespace peneira::tool
