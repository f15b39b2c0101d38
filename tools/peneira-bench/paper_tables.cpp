// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira-bench/paper_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "bench/report.hpp"

namespace peneira::tool {
namespace {

using json = nlohmann::ordered_json;

std::string text_of(const json& row, const char* field) {
  return row.value(field, std::string());
}
double number_of(const json& row, const char* field) {
  return row.value(field, 0.0);
}
bool is_quoted(const json& row) {
  return row.value("quoted", false);
}

/// How many digits a figure shows behind its point: three that count, where it is small.
int digits_of(double value) {
  int digits = value < 1 ? 3 : 2;
  for (; value > 0 && value < 0.01 && digits < 9; value *= 10) ++digits;
  return digits;
}

/// The time of a row, and both ends of its interval; 0: it has none.
struct time_with_ends {
  time_with_ends(const json& row, shown_time shown)
      : seconds(number_of(row, "seconds")), low(number_of(row, "low")), high(number_of(row, "high")) {
    if (shown == shown_time::median || is_quoted(row)) return;
    const double half = number_of(row, "mean_half");
    seconds = number_of(row, "mean");
    low = seconds - half;
    high = half > 0 ? seconds + half : 0;
  }
  double seconds, low, high;
};

/// A figure that was measured here, and how far the farther end of its interval is.
std::string measured_text(const json& row, const std::string& measure, shown_time shown) {
  const time_with_ends time(row, shown);
  const bool rate = measure == "G items/s";
  const double scale = rate ? number_of(row, "n") / 1e9 : measure == "us" ? 1e6 : 1;
  const auto figure = [&](double seconds) { return rate ? scale / seconds : scale * seconds; };
  const double value = figure(time.seconds);
  std::string text = fmt::format("{:.{}f}", value, digits_of(value));
  double off = 0;
  for (const double end : {time.low, time.high}) {
    if (end > 0) off = std::max(off, std::abs(figure(end) - value));
  }
  if (time.high > 0) text += fmt::format(" ± {:.{}f}", off, digits_of(value));
  return text + (row.value("right", true) ? "" : " WRONG");
}

std::string quoted_text(const json& row, const std::string& measure) {
  const double seconds = number_of(row, "seconds");
  if (seconds == 0) return fmt::format("{:.2f}x", number_of(row, "speedup"));
  if (measure == "us") return fmt::format("{:g}", seconds * 1e6);
  if (measure == "s") return fmt::format("{:.3f}", seconds);
  const double rate = number_of(row, "items_per_second") / 1e9;
  return fmt::format("{:.{}f}", rate, digits_of(rate));
}

std::string ratio_text(const json* of, const json* over, shown_time shown) {
  if (of == nullptr || over == nullptr) return "-";
  return fmt::format("{:.2f}x", time_with_ends(*over, shown).seconds / time_with_ends(*of, shown).seconds);
}

std::string heading_of(const std::string& field) {
  if (field.empty()) return "strategy";
  if (field == "n") return "items";
  return field == "distribution" ? "keys" : field;
}

std::string value_text(const std::string& field, const json& row) {
  if (field == "distribution") return text_of(row, "distribution");
  const auto number = row.value(field, std::uint64_t{0});
  if (number == 0) return "any";
  return field == "n" || field == "segments" ? bench::short_size(number) : std::to_string(number);
}

/// Cells with headings, a group of lines after the other.
class table {
 public:
  table(const table_layout& layout, shown_time shown) : layout_(layout), shown_(shown) {}

  void add(const json& rows) {
    std::vector<const json*> mine;
    for (const json& row : rows) {
      if (text_of(row, "paper") == layout_.paper && text_of(row, "part") == layout_.part &&
          text_of(row, "table") == (layout_.rows_of.empty() ? layout_.table : layout_.rows_of)) {
        mine.push_back(&row);
      }
    }
    const bool all_have_means =
        std::all_of(mine.begin(), mine.end(), [](const json* row) { return is_quoted(*row) || row->contains("mean"); });
    if (!all_have_means) shown_ = shown_time::median;  // a file from before rows had means
    for (const json* const row : mine) {
      if (!is_quoted(*row)) measured(*row);
    }
    add_ratios();
    for (const json* const row : mine) {
      if (is_quoted(*row)) quoted(*row);
    }
  }

  [[nodiscard]] std::string print(bool padded) const {
    if (lines_.empty()) return "";
    std::vector<std::vector<std::string>> cells(1);
    if (!layout_.groups.empty()) cells[0].push_back(heading_of(layout_.groups));
    cells[0].push_back(heading_of(layout_.columns));
    for (const auto& [key, heading] : columns_) cells[0].push_back(heading);
    std::string group = "-";
    for (const line& l : lines_) {
      std::vector<std::string> texts;
      if (!layout_.groups.empty()) texts.push_back(l.group == group ? "" : l.group);
      group = l.group;
      texts.push_back(l.label());
      for (const auto& [key, heading] : columns_) {
        const auto found = l.cells.find(key);
        texts.push_back(found == l.cells.end() ? "-" : found->second);
      }
      cells.push_back(texts);
    }
    constexpr std::size_t most_columns = 12;
    if (columns_.size() > most_columns && layout_.groups.empty()) cells = turned(cells);
    return title() + "\n\n" + markdown(cells, padded) + (layout_.note.empty() ? "" : "\n" + layout_.note + "\n");
  }

 private:
  struct line {
    std::string group;
    std::string name;
    std::string after{};  ///< what the label says behind the name
    bool quoted = false;
    std::string belongs_to{};  ///< the name of a line of ours that a quoted one stands below
    std::set<std::string> chosen{};
    std::map<std::string, std::string> cells{};
    std::map<std::string, const json*> rows{};

    [[nodiscard]] std::string label() const {
      return name + (chosen.empty() ? "" : fmt::format(" ({})", fmt::join(chosen, ", "))) + after;
    }
    [[nodiscard]] bool is(const line& other) const {
      return group == other.group && name == other.name && quoted == other.quoted && (!quoted || after == other.after);
    }
  };

  /// That line, new where there is none: behind those that it belongs to, or else at the end of its group.
  line& line_for(const line& wanted) {
    std::size_t behind_ours = 0;
    std::size_t end_of_group = lines_.size();
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      const line& l = lines_[k];
      if (l.is(wanted)) return lines_[k];
      if (l.group != wanted.group) continue;
      end_of_group = k + 1;
      const bool ours = l.name == wanted.belongs_to || l.belongs_to == wanted.belongs_to;
      if (ours && !wanted.belongs_to.empty()) behind_ours = k + 1;
    }
    const std::size_t place = behind_ours != 0 ? behind_ours : end_of_group;
    return *lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(place), wanted);
  }

  /// A column's key sorts as numbers do.
  static std::string key_of(std::uint64_t number) { return fmt::format("{:020}", number); }
  std::string column_for(const json& row) {
    std::string key = key_of(row.value(layout_.columns, std::uint64_t{0}));
    columns_[key] = value_text(layout_.columns, row);
    return key;
  }
  [[nodiscard]] std::string group_of(const json& row) const {
    return layout_.groups.empty() ? "" : value_text(layout_.groups, row);
  }

  void measured(const json& row) {
    runs_.insert(row.value("runs", std::uint64_t{0}));
    n_.insert(row.value("n", std::uint64_t{0}));
    const std::string name = text_of(row, "strategy");
    line& l = line_for({group_of(row), name, row.value("peer", false) ? " (peer)" : ""});
    if (name == "auto") l.chosen.insert(text_of(row, "chosen"));
    const std::string key = layout_.columns.empty() ? "" : column_for(row);
    l.rows[key] = &row;
    for (std::size_t m = 0; m < layout_.measures.size(); ++m) {
      const std::string& measure = layout_.measures[m];
      std::string cell = key;
      if (layout_.columns.empty()) columns_[cell = key_of(2 * m)] = measure == "x" ? "x " + layout_.over : measure;
      l.cells[cell] = measure == "x" ? ratio_text(&row, base_of(l, key), shown_) : measured_text(row, measure, shown_);
    }
  }

  /// What a row's time is held against: the same column's, or what is of no column.
  [[nodiscard]] const json* base_of(const line& l, const std::string& key) const {
    if (layout_.over.empty()) return l.rows.begin()->second;
    for (const line& other : lines_) {
      if (other.group != l.group || other.name != layout_.over) continue;
      for (const std::string& column : {key, key_of(0)}) {
        if (const auto found = other.rows.find(column); found != other.rows.end()) return found->second;
      }
    }
    return nullptr;
  }

  void add_ratios() {
    const std::vector<line> before = lines_;
    for (const line& l : before) {
      if (std::find(layout_.ratios.begin(), layout_.ratios.end(), l.name) == layout_.ratios.end()) continue;
      line& ratio = line_for({l.group, l.name + " over " + layout_.over});
      for (const auto& [key, row] : l.rows) ratio.cells[key] = ratio_text(row, base_of(l, key), shown_);
    }
    if (layout_.best_of.empty()) return;
    for (const auto& [group_and_key, row] : best_rows(before)) {
      const auto& [group, key] = group_and_key;
      line& ratio = line_for({group, "best of them over " + layout_.over});
      ratio.cells[key] = ratio_text(row, base_of(ratio, key), shown_);
    }
  }

  /// The fastest row of the strategies in best_of, for each group and column.
  [[nodiscard]] std::map<std::pair<std::string, std::string>, const json*> best_rows(
      const std::vector<line>& of) const {
    std::map<std::pair<std::string, std::string>, const json*> best;
    for (const line& l : of) {
      if (std::find(layout_.best_of.begin(), layout_.best_of.end(), l.name) == layout_.best_of.end()) continue;
      for (const auto& [key, row] : l.rows) {
        const json*& kept = best[{l.group, key}];
        const auto seconds = [&](const json& of_row) { return time_with_ends(of_row, shown_).seconds; };
        if (kept == nullptr || seconds(*row) < seconds(*kept)) kept = row;
      }
    }
    return best;
  }

  void quoted(const json& row) {
    const std::string whose = fmt::format(" (quoted, {})", text_of(row, "machine"));
    const std::string beside = text_of(row, "beside");
    const std::string name = text_of(row, "strategy");
    if (layout_.columns.empty()) {
      line& l = line_for({group_of(row), beside.empty() ? name : beside});
      for (std::size_t m = 0; m < layout_.measures.size(); ++m) {
        const std::string& measure = layout_.measures[m];
        const double speedup = number_of(row, "speedup");
        columns_[key_of(2 * m + 1)] = (measure == "x" ? "x" : measure) + whose;
        if (measure != "x") {
          l.cells[key_of(2 * m + 1)] = quoted_text(row, measure);
        } else if (speedup > 0) {
          l.cells[key_of(2 * m + 1)] = fmt::format("{:.2f}x", speedup);
        }
      }
      return;
    }
    const std::string key = column_for(row);
    line_for({group_of(row), name, whose, true, beside}).cells[key] = quoted_text(row, layout_.measures.front());
    if (number_of(row, "seconds") > 0 && number_of(row, "speedup") > 0) {
      line_for({group_of(row), name + ", speedup", whose, true, beside}).cells[key] =
          fmt::format("{:.2f}x", number_of(row, "speedup"));
    }
  }

  [[nodiscard]] std::string title() const {
    const bool times = layout_.measures.front() == "x";
    std::string text = layout_.table + (layout_.part.empty() ? "" : ", " + layout_.part) + ": " + layout_.about;
    if (n_.size() == 1 && layout_.columns != "n" && layout_.groups != "n") {
      text += fmt::format(", {} items", bench::short_size(*n_.begin()));
    }
    if (!layout_.columns.empty() && !times) text += ", in " + layout_.measures.front();
    return text + fmt::format(". {} of {} runs{}:", shown_ == shown_time::mean ? "Means" : "Medians",
                              fmt::join(runs_, " or "), times ? "" : " ± the farther end of their 95% interval");
  }

  static std::vector<std::vector<std::string>> turned(const std::vector<std::vector<std::string>>& cells) {
    std::vector<std::vector<std::string>> other(cells[0].size(), std::vector<std::string>(cells.size()));
    for (std::size_t r = 0; r < cells.size(); ++r) {
      for (std::size_t c = 0; c < cells[r].size(); ++c) other[c][r] = cells[r][c];
    }
    return other;
  }

  static std::string markdown(const std::vector<std::vector<std::string>>& cells, bool padded) {
    std::vector<std::size_t> widths(cells[0].size(), 0);
    const auto width_of = [](const std::string& text) {  // of UTF-8: bytes that begin a character
      return static_cast<std::size_t>(std::count_if(
          text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; }));
    };
    if (padded) {
      for (const auto& texts : cells) {
        for (std::size_t c = 0; c < texts.size(); ++c) widths[c] = std::max(widths[c], width_of(texts[c]));
      }
    }
    std::string text;
    for (std::size_t r = 0; r < cells.size(); ++r) {
      text += "|";
      for (std::size_t c = 0; c < cells[r].size(); ++c) {
        const std::size_t width = width_of(cells[r][c]);
        const std::string fill(widths[c] > width ? widths[c] - width : 0, ' ');
        text += " " + cells[r][c] + fill + " |";
      }
      text += "\n";
      if (r != 0) continue;
      text += "|";
      for (const std::size_t width : widths) text += std::string(padded ? width + 2 : 3, '-') + "|";
      text += "\n";
    }
    return text;
  }

  const table_layout& layout_;
  shown_time shown_;
  std::vector<line> lines_;
  std::map<std::string, std::string> columns_;  ///< by their keys, in order
  std::set<std::uint64_t> runs_;
  std::set<std::uint64_t> n_;
};

}  // namespace

json layout_json(const table_layout& l) {
  return {{"paper", l.paper},     {"table", l.table},     {"part", l.part},         {"about", l.about},
          {"columns", l.columns}, {"groups", l.groups},   {"measures", l.measures}, {"over", l.over},
          {"ratios", l.ratios},   {"best_of", l.best_of}, {"rows_of", l.rows_of},   {"note", l.note}};
}

table_layout layout_of(const json& kept) {
  const auto text = [&](const char* field) { return kept.at(field).get<std::string>(); };
  const auto list = [&](const char* field) { return kept.value(field, std::vector<std::string>{}); };
  return {text("paper"),    text("table"), text("part"),   text("about"),   text("columns"), text("groups"),
          list("measures"), text("over"),  list("ratios"), list("best_of"), text("rows_of"), text("note")};
}

std::string print_paper_table(const table_layout& layout, const json& rows, bool padded, shown_time shown) {
  table printed(layout, shown);
  printed.add(rows);
  return printed.print(padded);
}

}  // namespace peneira::tool
