// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/group/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/group/sortable.hpp"
#include "tools/peneira/io/temporary_file.hpp"

namespace peneira::tool {
namespace {

/// How the values of groups are counted.
const group_folds& value_folds() {
  static const group_folds folds = [] {
    group_folds one;
    one.numbers = {{fold::rows, 0}};
    return one;
  }();
  return folds;
}

std::string folder_of(const group_options& o) {
  return o.folder.empty() ? temporary_folder() : o.folder;
}

/// The values of one group after the other, as a store of theirs has them.
class value_cursor {
 public:
  explicit value_cursor(group_store& from) : stream_(from.stream()), at_(stream_->next()) {}

  /// Shows the values of a group; groups come in their order.
  void show(const group_view& group, const std::vector<aggregate*>& to) {
    for (aggregate* const a : to) a->begin(group);
    prefix_.clear();
    append_sortable(prefix_, group.key);
    for (; at_ != nullptr && at_->key.starts_with(prefix_); at_ = stream_->next()) {
      const auto times = static_cast<std::uint64_t>(at_->numbers.front().mantissa());
      for (aggregate* const a : to) a->see(at_->key.substr(prefix_.size()), times);
    }
  }

 private:
  std::unique_ptr<group_stream> stream_;
  const group_view* at_;
  std::string prefix_;
};

}  // namespace

std::string describe(const field_error& e) {
  switch (e.what) {
    case field_error::kind::missing:
      return describe_missing(e.field, e.found);
    case field_error::kind::empty:
      return fmt::format("field {} is empty, not a number", e.field);
    case field_error::kind::integer_too_large:
      return fmt::format("field {} is {}, an integer of more than {} digits", e.field, shown(e.text),
                         decimal::most_whole_digits);
    case field_error::kind::out_of_range:
      return fmt::format("field {} is {}, beyond the range of a double", e.field, shown(e.text));
    case field_error::kind::malformed:
      break;
  }
  return fmt::format("field {} is {}, not a number", e.field, shown(e.text));
}

void forgiven_values::add(std::size_t record, const field_error& error) {
  const bool is_empty = error.what == field_error::kind::missing || error.what == field_error::kind::empty;
  ++(is_empty ? empty : bad);
  if (record >= first_record) return;
  first_record = record;
  first = error;
}

/// Takes what the parser finds in a record.
struct piece_worker::row_filler {
  piece_worker& to;
  std::size_t row;
  std::size_t record;

  void number(std::size_t which, const decimal& value) const { to.rows_.columns[which][row] = value; }
  void text(std::size_t which, std::string_view value) const { to.rows_.texts[which][row] = value; }
  [[nodiscard]] bool forgive(const wanted_field& want, const field_error& wrong) const {
    if (to.bad_ == bad_values::fail) return false;
    if (want.as == wanted_field::use::text) {
      text(want.which, "");
      return true;
    }
    to.forgiven.add(record, wrong);
    number(want.which, to.bad_ == bad_values::zero ? decimal(0, 0) : decimal::none());
    return true;
  }
};

piece_worker::piece_worker(const text_format& format, const group_plan& plan, const group_options& o)
    : plan_(plan),
      bad_(o.bad),
      parser_(format, plan.wanted(), plan.keys(), format.blanks ? '\t' : format.separator,
              o.whole_lines ? keyless::whole_record : keyless::nothing),
      rows_(plan.columns().number_fields().size(), plan.columns().text_fields().size()),
      value_rows_(plan.columns().values().size()) {}

bool piece_worker::group(std::string_view text, const std::vector<record>& records, std::size_t begin, std::size_t end,
                         groups& to) {
  rows_.text.clear();
  rows_.resize(end - begin);
  for (group_table& values : value_rows_) values = group_table(0, 0);
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t row = i - begin;
    const std::string_view line = text.substr(records[i].begin, records[i].size);
    row_filler filler{*this, row, i};
    if (!parser_.parse(line, rows_.text, rows_.keys[row], filler, error)) {
      bad_record = i;
      return false;
    }
    rows_.hashes[row] = hash_key(rows_.keys[row]);
    if (!value_rows_.empty()) add_values(row);
  }
  to.main = group_(rows_, plan_.columns().folds());
  for (const group_table& values : value_rows_) to.values.push_back(group_(values, value_folds()));
  return true;
}

/// Adds the row's values, behind its key, to those that are counted.
void piece_worker::add_values(std::size_t row) {
  scratch_.clear();
  append_sortable(scratch_, rows_.keys[row]);
  const std::size_t key_bytes = scratch_.size();
  for (std::size_t v = 0; v < value_rows_.size(); ++v) {
    scratch_.resize(key_bytes);
    const auto [numbers, column] = plan_.columns().values()[v];
    if (!numbers) {
      scratch_ += rows_.texts[column][row];
    } else if (const decimal& number = rows_.columns[column][row]; !number.missing()) {
      append_sortable(scratch_, number);
    } else {
      continue;
    }
    value_rows_[v].add_key(scratch_);
  }
}

group_job::group_job(const group_options& o, const text_format& format, group_plan plan, std::uint64_t memory)
    : o_(o), team_(o.team()), plan_(std::move(plan)), memory_(memory) {
  const std::size_t stores = 1 + plan_.columns().values().size();
  piece_rows_ = std::clamp<std::size_t>(memory / 2048 / team_ / stores, 1024, std::size_t{1} << 16U);
  for (std::size_t s = 0; s < stores; ++s) {
    const group_folds& folds = s == 0 ? plan_.columns().folds() : value_folds();
    stores_.push_back(std::make_unique<group_store>(team_, folds, folder_of(o), memory / stores));
  }
  workers_.reserve(team_);
  for (unsigned m = 0; m < team_; ++m) workers_.emplace_back(format, plan_, o);
}

void group_job::take_header(const text_reader& reader) {
  const std::vector<wanted_field> wanted = plan_.wanted_under(reader.last_header(), reader.path());
  for (piece_worker& w : workers_) w.want(wanted);
}

void group_job::add(const text_reader& reader, std::string_view text, const std::vector<record>& records) {
  if (records.empty()) return;
  // As many pieces as make all threads end together.
  const std::size_t rounds = (records.size() + piece_rows_ * team_ - 1) / (piece_rows_ * team_);
  const auto pieces = static_cast<unsigned>(rounds * team_);
  std::vector<piece_worker::groups> parts(pieces);
  std::atomic<unsigned> next{0};
  on_each(team_, [&](unsigned m) {
    for (unsigned p = next++; p < pieces; p = next++) {
      poll_interrupt();
      const auto [begin, end] = slice(records.size(), p, pieces);
      if (!workers_[m].group(text, records, begin, end, parts[p])) return;
    }
  });
  report_error(reader, text, records);
  if (o_.bad != bad_values::fail) gather_forgiven(reader, text, records);
  for (piece_worker::groups& part : parts) {
    stores_.front()->add(std::move(part.main));
    for (std::size_t v = 0; v < part.values.size(); ++v) stores_[v + 1]->add(std::move(part.values[v]));
  }
  for (const auto& store : stores_) store->keep_bounded();
}

void group_job::report_error(const text_reader& reader, std::string_view text,
                             const std::vector<record>& records) const {
  const auto first = std::min_element(workers_.begin(), workers_.end(),
                                      [](const auto& a, const auto& b) { return a.bad_record < b.bad_record; });
  if (first->bad_record == ~std::size_t{0}) return;
  throw std::runtime_error(fmt::format("{}: line {}: {}", reader.path(),
                                       reader.line_of(text, records[first->bad_record]), describe(first->error)));
}

void forgiven_report::add(const forgiven_report& later) {
  empty += later.empty;
  bad += later.bad;
  if (first.empty()) first = later.first;
}

void group_job::gather_forgiven(const text_reader& reader, std::string_view text, const std::vector<record>& records) {
  forgiven_values all;
  for (piece_worker& w : workers_) {
    const forgiven_values one = std::exchange(w.forgiven, {});
    forgiven_.add({one.empty, one.bad, {}});
    if (one.first_record < all.first_record) all = one;
  }
  if (all.first_record == ~std::size_t{0} || !forgiven_.first.empty()) return;
  forgiven_.first = fmt::format("{}: line {}: {}", reader.path(), reader.line_of(text, records[all.first_record]),
                                describe(all.first));
}

void group_job::report_forgiven() const {
  if (forgiven_.first.empty() || o_.quiet) return;
  tell("peneira: {}: {} empty and {} bad values {}; the first: {}\n", o_.command, forgiven_.empty, forgiven_.bad,
       o_.bad == bad_values::skip ? "left out" : "taken for 0", forgiven_.first);
}

void group_job::write(sink& to) {
  workers_.clear();
  for (const auto& store : stores_) store->finish();
  row_sink out(to, plan_.aligned_right());
  std::string header;
  if (plan_.has_header()) plan_.rows().append_header(header);
  out.write(header);
  if (stores_.size() == 1 && stores_.front()->in_memory() && o_.top == 0) {
    write_table(out);
  } else {
    write_stream(out);
  }
  out.finish();
}

/// Makes the lines in the order in which the groups lie, which is quick, and then sorts lines instead of groups.
void group_job::write_table(row_sink& out) {
  group_table& groups = stores_.front()->table();
  forget(groups.hashes);
  std::vector<byte_store> stores(team_);
  std::vector<std::string_view> lines(groups.size());
  on_slices(team_, lines.size(), [&](unsigned m, std::size_t begin, std::size_t end) {
    const auto keep = [&](const std::string& made) {
      char* const kept = stores[m].take(made.size());
      std::copy(made.begin(), made.end(), kept);
      return std::string_view(kept, made.size());
    };
    std::string line;
    std::string order;
    std::vector<group_result> results;
    std::vector<decimal> numbers(groups.columns.size());
    std::vector<std::string_view> texts(groups.texts.size());
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t r = 0; r < numbers.size(); ++r) numbers[r] = groups.columns[r][i];
      for (std::size_t t = 0; t < texts.size(); ++t) texts[t] = groups.texts[t][i];
      plan_.results_of({groups.keys[i], numbers, texts}, results);
      line.clear();
      plan_.rows().append(line, groups.keys[i], results);
      lines[i] = keep(line);
      if (plan_.order()) {
        order.clear();
        plan_.append_order(order, groups.keys[i], results);
        groups.keys[i] = keep(order);
      } else if (plan_.rows().begins_with_key()) {
        groups.keys[i] = lines[i].substr(0, groups.keys[i].size());
      }
    }
  });
  forget(groups.columns);
  forget(groups.texts);
  if (plan_.order() || plan_.rows().begins_with_key()) groups.text.clear();  // the keys lie in what was made of them
  const std::vector<std::uint32_t> rows = sorted_rows(groups.keys, team_);
  forget(groups.keys);
  write_lines(out, lines, rows);
}

void group_job::write_lines(row_sink& out, const std::vector<std::string_view>& lines,
                            const std::vector<std::uint32_t>& rows) const {
  constexpr std::size_t part_rows = 1U << 14U;
  constexpr std::size_t ahead = 16;
  std::vector<std::string> parts(team_);
  for (std::size_t first = 0; first < rows.size(); first += part_rows * team_) {
    on_each(team_, [&](unsigned m) {
      parts[m].clear();
      const std::size_t begin = std::min(rows.size(), first + m * part_rows);
      const std::size_t end = std::min(rows.size(), begin + part_rows);
      for (std::size_t i = begin; i < end; ++i) {
        if (i + 2 * ahead < end) __builtin_prefetch(&lines[rows[i + 2 * ahead]]);
        if (i + ahead < end) __builtin_prefetch(lines[rows[i + ahead]].data());
        parts[m] += lines[rows[i]];
      }
    });
    for (const std::string& part : parts) out.write(part);
  }
}

/// One group after the other, its values beside it.
void group_job::write_stream(row_sink& out) {
  std::vector<value_cursor> values;
  for (std::size_t v = 1; v < stores_.size(); ++v) values.emplace_back(*stores_[v]);
  std::optional<ordered_rows> ordered;
  if (plan_.order()) ordered.emplace(team_, o_.top, folder_of(o_), memory_);
  const std::unique_ptr<group_stream> groups = stores_.front()->stream(!ordered || !values.empty());
  std::vector<group_result> results;
  std::string line;
  std::string order;
  while (const group_view* const group = groups->next()) {
    for (std::size_t v = 0; v < values.size(); ++v) values[v].show(*group, plan_.seeing()[v]);
    plan_.results_of(*group, results);
    line.clear();
    if (!ordered) {
      plan_.rows().append(line, group->key, results);
      out.write(line);
      continue;
    }
    order.clear();
    plan_.append_order(order, group->key, results);
    if (ordered->wants(order)) ordered->add(order, plan_.rows(), group->key, results);
  }
  if (ordered) ordered->write(out);
}

}  // namespace peneira::tool
