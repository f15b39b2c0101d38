// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira group: read a chunk; the threads parse its records and group them, a piece at a time (multisplit by the
// hash of the key, segmented_reduce over the groups); gather the pieces' groups in a table and group that in the same
// way whenever it has grown. A table that outgrows the memory goes to a temporary file, sorted; the end merges these.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/peneira/cli/memory_limit.hpp"
#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/group/group.hpp"
#include "tools/peneira/group/runs.hpp"
#include "tools/peneira/text/reader.hpp"

namespace peneira::tool {
namespace {

text_format make_format(const group_options& o) {
  if (o.blanks && (o.csv || !o.separator.empty())) {
    throw usage_error("group: --whitespace excludes --separator and --csv");
  }
  text_format format;
  format.csv = o.csv;
  format.blanks = o.blanks;
  format.separator = o.csv ? ',' : '\t';
  if (!o.separator.empty()) format.separator = parse_separator(o.separator, o.csv);
  return format;
}

/// What of a limit is for arrays.
std::uint64_t plan_memory(std::uint64_t limit) {
#if defined(__GLIBC__)
  ::mallopt(M_ARENA_MAX, 1);  // what one thread frees another may use
  constexpr std::uint64_t much = std::uint64_t{1} << 28U;
  if (limit >= much) {
    // Freed memory is kept for the next chunk: to get it from the system again costs more than all else that is done
    // to it.
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    return limit;
  }
#endif
  return keep_to(limit);
}

std::string describe(const field_error& e) {
  switch (e.what) {
    case field_error::kind::missing:
      return describe_missing(e.field, e.found);
    case field_error::kind::empty:
      return fmt::format("field {} is empty, not a number", e.field);
    case field_error::kind::integer_too_large:
      return fmt::format("field {} is \"{}\", an integer of more than {} digits", e.field, e.text,
                         decimal::most_whole_digits);
    case field_error::kind::out_of_range:
      return fmt::format("field {} is \"{}\", beyond the range of a double", e.field, e.text);
    case field_error::kind::malformed:
      break;
  }
  constexpr std::size_t shown = 60;
  const bool cut = e.text.size() > shown;
  return fmt::format("field {} is \"{}\"{}, not a number", e.field, e.text.substr(0, shown), cut ? "..." : "");
}

/// What a thread needs to group a piece of a chunk.
struct piece_worker {
  record_parser parser;
  grouper group{1};
  group_table rows{};
  std::size_t bad_record = wanted_field::none;  ///< the first that could not be parsed
  field_error error{};
};

/// The groups so far: in memory and in runs.
class group_job {
 public:
  group_job(const group_options& o, const text_format& format, group_plan plan, std::uint64_t memory)
      : team_(o.team()),
        plan_(std::move(plan)),
        memory_(memory),
        piece_rows_(std::clamp<std::size_t>(memory / 2048 / team_, 1024, std::size_t{1} << 16U)),
        runs_(o.folder.empty() ? temporary_folder() : o.folder, plan_.merges(), memory),
        compact_(team_) {
    for (unsigned m = 0; m < team_; ++m) {
      workers_.push_back({record_parser(format, plan_.wanted(), plan_.keys(), plan_.separator())});
      workers_.back().rows.columns.resize(plan_.values());
    }
    groups_.columns.resize(plan_.reductions().size());
  }

  /// Finds the fields in a later input, whose header may have them in another order.
  void take_header(const text_reader& reader) {
    const std::vector<wanted_field> wanted = plan_.wanted_under(reader.last_header(), reader.path());
    for (piece_worker& w : workers_) w.parser.want(wanted);
  }

  /// Groups the records of a chunk. The reader tells where an error lies.
  void add(const text_reader& reader, std::string_view text, const std::vector<record>& records) {
    if (records.empty()) return;
    // As many pieces as make all threads end together.
    const std::size_t rounds = (records.size() + piece_rows_ * team_ - 1) / (piece_rows_ * team_);
    const auto pieces = static_cast<unsigned>(rounds * team_);
    std::vector<group_table> parts(pieces);
    std::atomic<unsigned> next{0};
    on_each(team_, [&](unsigned m) {
      for (unsigned p = next++; p < pieces; p = next++) {
        poll_interrupt();
        const auto [begin, end] = slice(records.size(), p, pieces);
        if (!parse(workers_[m], text, records, begin, end)) return;
        parts[p] = workers_[m].group(workers_[m].rows, plan_.reductions());
      }
    });
    report_error(reader, text, records);
    for (group_table& part : parts) groups_.append(std::move(part));
    keep_bounded();
  }

  /// Writes all groups by key.
  void write(sink& out) {
    out.write(plan_.header().data(), plan_.header().size());
    if (!runs_.empty()) {
      if (groups_.size() > 0) spill();
      workers_.clear();
      compact_ = grouper(team_);
      return write_runs(out);
    }
    compact();
    write_groups(out);
  }

 private:
  static constexpr std::size_t most_rows = std::size_t{1} << 31U;
  static constexpr std::size_t first_compaction = std::size_t{1} << 19U;

  /// The columns of a piece; false at the first bad record, which the worker keeps.
  static bool parse(piece_worker& w, std::string_view text, const std::vector<record>& records, std::size_t begin,
                    std::size_t end) {
    w.rows.text.clear();
    w.rows.resize(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = i - begin;
      const auto number = [&](std::size_t which, const decimal& value) { w.rows.columns[which][row] = value; };
      const std::string_view line = text.substr(records[i].begin, records[i].size);
      if (!w.parser.parse(line, w.rows.text, w.rows.keys[row], number, w.error)) {
        w.bad_record = i;
        return false;
      }
      w.rows.hashes[row] = hash_key(w.rows.keys[row]);
    }
    return true;
  }

  void report_error(const text_reader& reader, std::string_view text, const std::vector<record>& records) const {
    const auto first = std::min_element(workers_.begin(), workers_.end(),
                                        [](const auto& a, const auto& b) { return a.bad_record < b.bad_record; });
    if (first->bad_record == wanted_field::none) return;
    throw std::runtime_error(fmt::format("{}: line {}: {}", reader.path(),
                                         reader.line_of(text, records[first->bad_record]), describe(first->error)));
  }

  void compact() { groups_ = compact_(groups_, plan_.merges()); }

  void keep_bounded() {
    // While a table is grouped there are two, and what the grouper needs; arrays that grow have room for twice as much.
    const std::uint64_t most_bytes = memory_ / 8;
    if (groups_.size() < next_compaction_ && groups_.bytes() < most_bytes) return;
    const std::size_t before = groups_.size();
    compact();
    if (groups_.bytes() > most_bytes / 2 || groups_.size() > most_rows / 2) spill();
    // Groups that did not become fewer will not next time either.
    next_compaction_ = std::max(first_compaction, groups_.size() * (groups_.size() > before / 4 * 3 ? 8 : 2));
    next_compaction_ = std::min(next_compaction_, most_rows);
  }

  void spill() {
    compact();
    runs_.spill(groups_, sorted_rows(groups_.keys, team_));
    groups_ = {};
    groups_.columns.resize(plan_.reductions().size());
  }

  /// Makes the lines in the order in which the groups lie, which is quick, and then sorts lines instead of groups.
  void write_groups(sink& out) {
    std::vector<std::string> text(team_);
    std::vector<std::string_view> lines(groups_.size());
    on_slices(team_, lines.size(), [&](unsigned m, std::size_t begin, std::size_t end) {
      std::vector<std::size_t> starts;
      starts.reserve(end - begin + 1);
      for (std::size_t i = begin; i < end; ++i) {
        starts.push_back(text[m].size());
        const auto value = [&](std::size_t r) -> const decimal& { return groups_.columns[r][i]; };
        plan_.append_line(text[m], groups_.keys[i], value);
      }
      starts.push_back(text[m].size());
      text[m].append(text_reader::slack, '\0');
      for (std::size_t i = begin; i < end; ++i) {
        lines[i] = std::string_view(text[m]).substr(starts[i - begin], starts[i - begin + 1] - starts[i - begin]);
        groups_.keys[i] = lines[i].substr(0, groups_.keys[i].size());
      }
    });
    const std::vector<std::uint32_t> rows = sorted_rows(groups_.keys, team_);
    write_lines(out, lines, rows);
  }

  void write_lines(sink& out, const std::vector<std::string_view>& lines,
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
      for (const std::string& part : parts) out.write(part.data(), part.size());
    }
  }

  void write_runs(sink& out) {
    constexpr std::size_t most_held = std::size_t{1} << 18U;
    std::string lines;
    runs_.merge_all([&](std::string_view key, const std::vector<decimal>& values) {
      plan_.append_line(lines, key, [&](std::size_t r) -> const decimal& { return values[r]; });
      if (lines.size() < most_held) return;
      out.write(lines.data(), lines.size());
      lines.clear();
    });
    out.write(lines.data(), lines.size());
  }

  unsigned team_;
  group_plan plan_;
  std::uint64_t memory_;
  std::size_t piece_rows_;
  group_runs runs_;
  grouper compact_;
  std::vector<piece_worker> workers_;
  group_table groups_;
  std::size_t next_compaction_ = first_compaction;
};

}  // namespace

void group_text(const group_options& given) {
  group_options o = given;
  if (o.inputs.empty()) o.inputs.emplace_back("-");
  const text_format format = make_format(o);
  const std::uint64_t memory = plan_memory(o.memory != 0 ? o.memory : half_of_memory());
  constexpr std::uint64_t least_per_thread = std::uint64_t{1} << 20U;
  o.threads = static_cast<unsigned>(std::clamp<std::uint64_t>(memory / least_per_thread, 1, o.team()));
  if (!o.header) group_plan(o, format, {}, {});  // finds what is wrong before any input is read
  const std::uint64_t bytes = total_bytes(o.inputs).value_or(0);
  sink out(o.out, o.force);
  const std::size_t chunk = std::clamp<std::size_t>(memory / 64, 1U << 15U, o.team() * (std::size_t{8} << 20U));
  const std::size_t most_record = std::max<std::size_t>(memory / 4, 1U << 20U);
  text_reader reader(o.inputs, format, o.header, {chunk, most_record, "-S"}, o.team());
  std::optional<group_job> job;
  {
    progress bar("group", bytes, progress::unit::bytes, o.quiet);
    const auto begin = [&] {
      if (job) job->take_header(reader);
    };
    const auto take = [&](std::string_view text, const std::vector<record>& records) {
      if (!job) job.emplace(o, format, group_plan(o, format, reader.header(), reader.path()), memory);
      job->add(reader, text, records);
    };
    reader.for_each_chunk(bar, begin, take);
  }
  if (job) job->write(out);
  out.commit();
}

}  // namespace peneira::tool
