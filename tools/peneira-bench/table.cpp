// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench table: a result file as the Markdown tables that the documents show.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira-bench/paper_tables.hpp"
#include "tools/peneira-bench/results.hpp"
#include "tools/peneira-bench/sweep_summary.hpp"
#include "tools/peneira/cli/write.hpp"

namespace peneira::tool {
namespace {

using json = nlohmann::ordered_json;

/// A list that keeps the order in which things first came.
template <class T>
void note(std::vector<T>& list, const T& item) {
  if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
}

/// Rows of the same work, whatever the strategy and the one number that the columns are for: one table.
struct group {
  std::string title;
  std::string column;       ///< the field that has that number
  std::string column_name;  ///< what it is
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> lines;
  std::map<std::pair<std::string, std::uint64_t>, std::string> cells;

  void set(const std::string& line, std::uint64_t number, std::string cell) {
    note(lines, line);
    cells[{line, number}] = std::move(cell);
  }
};

/// The field that the columns of a primitive's tables are for.
std::string column_of(const json& row) {
  const std::string primitive = row.value("primitive", "multisplit");
  if (primitive == "sort_strings") return row.at("place") == "gpu" ? "n" : "threads";
  if (primitive == "sort_text" || primitive == "group") return "threads";
  if (primitive.starts_with("segmented_")) return "segments";
  constexpr std::array by_items{"reduce", "sort", "sort_columns", "scan", "gather"};
  return std::find(by_items.begin(), by_items.end(), primitive) != by_items.end() ? "n" : "bins";
}

/// What the numbers of that field are: files have those of every call under "bins".
std::string column_name(const json& row) {
  const std::string column = column_of(row);
  if (column == "n") return "items";
  constexpr std::array<std::pair<std::string_view, const char*>, 6> names{{{"group_by", "groups"},
                                                                           {"unique", "values"},
                                                                           {"run_lengths", "values"},
                                                                           {"top_k", "k"},
                                                                           {"sort_records", "bytes"},
                                                                           {"partition", "parts"}}};
  for (const auto& [primitive, name] : names) {
    if (row.value("primitive", "multisplit") == primitive) return name;
  }
  return column;
}

std::string title_of(const json& row) {
  const std::string where = row.at("place") == "gpu" ? "GPU" : fmt::format("{} threads", row.at("threads").get<int>());
  const std::string column = column_of(row);
  if (column == "threads") {
    return fmt::format("{} {}, {}, CPU", row.at("n").get<std::uint64_t>(), row.at("type").get<std::string>(),
                       row.at("distribution").get<std::string>());
  }
  std::string title = row.at("type").get<std::string>();
  const std::string primitive = row.value("primitive", "multisplit");
  if (primitive == "sort" || primitive == "sort_strings") {
    title += fmt::format(", {}", row.at("distribution").get<std::string>());
  } else if (const std::string op = row.value("op", ""); column != "bins" && !op.empty()) {
    title += fmt::format(", {}", op);
  }
  if (column != "n") {
    title += fmt::format(", {} items, {}", row.at("n").get<std::uint64_t>(), row.at("distribution").get<std::string>());
  }
  if (const auto order = row.at("order").get<std::string>(); column == "bins" && !order.empty()) {
    title += fmt::format(", {}", order);
  }
  return fmt::format("{}, {}", title, where);
}

void add(group& to, const json& row) {
  const auto number = row.at(to.column).get<std::uint64_t>();
  const auto strategy = row.at("strategy").get<std::string>();
  const bool sorts = row.value("primitive", "multisplit") == "sort";
  const std::string name = strategy + (sorts && row.at("order") == "any" ? ", any order" : "");
  note(to.numbers, number);
  const bool of_strings = to.column == "threads";
  const std::string rate = fmt::format("{:.{}f}", row.at("items_per_second").get<double>() / (of_strings ? 1e6 : 1e9),
                                       sorts && !of_strings ? 3 : 2);
  const bool quoted = row.value("quoted", false);
  to.set(name +
             (quoted                       ? " (quoted)"
              : row.at("peer").get<bool>() ? " (peer)"
                                           : "") +
             (of_strings ? ", M lines/s" : ", G items/s"),
         number, rate);
  if (strategy != "auto") return;
  if (const auto roofline = row.at("roofline").get<double>(); roofline > 0) {
    to.set(name + ", % of " + row.value("bandwidth", "copy"), number, fmt::format("{:.0f}", 100 * roofline));
  }
  if (row.contains("against_peer")) {
    to.set(name + ", over the best peer", number, fmt::format("{:.2f}", row.at("against_peer").get<double>()));
  }
  to.set(name + " chose", number, row.at("chosen").get<std::string>());
}

std::string print(const group& g) {
  std::string text = fmt::format("{}:\n\n| {} |", g.title, g.column_name);
  for (const std::uint64_t b : g.numbers) text += fmt::format(" {} |", b);
  text += "\n|---|" + [&] {
    std::string rule;
    for (std::size_t k = 0; k < g.numbers.size(); ++k) rule += "---|";
    return rule;
  }() + "\n";
  for (const std::string& line : g.lines) {
    text += fmt::format("| {} |", line);
    for (const std::uint64_t b : g.numbers) {
      const auto cell = g.cells.find({line, b});
      text += fmt::format(" {} |", cell == g.cells.end() ? "-" : cell->second);
    }
    text += "\n";
  }
  return text;
}

/// The processors that measured rows, each once.
std::vector<std::string> processors_of(const json& all) {
  std::vector<std::string> names;
  const json& machine = all.at("machine");
  for (const json& row : all.at("rows")) {
    if (row.value("quoted", false)) continue;
    const json& processor = row.at("place") == "gpu" ? machine.at("gpus").at(0).at("name") : machine.at("processor");
    note(names, processor.get<std::string>());
  }
  return names;
}

/// The tables of papers, which the file tells how to lay out.
std::string paper_tables_of(const json& all, shown_time shown) {
  std::string text;
  for (const json& paper : all.at("papers")) {
    const auto name = paper.at("name").get<std::string>();
    text += fmt::format("\n{}; measured there on {}.\n", paper.at("title").get<std::string>(),
                        paper.at("machine").get<std::string>());
    for (const json& kept : all.at("tables")) {
      const table_layout layout = layout_of(kept);
      if (layout.paper == name) text.append("\n").append(print_paper_table(layout, all.at("rows"), false, shown));
    }
  }
  return text;
}

std::string tables_of(const std::string& path, shown_time shown) {
  const json all = read_results(path);
  std::string text = fmt::format("{}, commit {}, `{}`\n", fmt::join(processors_of(all), " and "),
                                 all.at("commit").get<std::string>(), all.at("command").get<std::string>());
  if (all.contains("papers")) return text + paper_tables_of(all, shown);
  if (all.contains("sweep")) return text + "\n" + print_quantiles(sweep_dots(all), true);
  std::vector<group> groups;
  for (const json& row : all.at("rows")) {
    const std::string title = title_of(row);
    auto found = std::find_if(groups.begin(), groups.end(), [&](const group& g) { return g.title == title; });
    if (found == groups.end())
      found = groups.insert(groups.end(), group{title, column_of(row), column_name(row), {}, {}, {}});
    add(*found, row);
  }
  for (const group& g : groups) text += "\n" + print(g);
  return text;
}

}  // namespace

void add_bench_table(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("table", "Print result files as Markdown tables");
  const auto files = std::make_shared<std::vector<std::string>>();
  sub->add_option("FILE", *files, "Result files that `peneira-bench ... --json` wrote")->required();
  const auto median = std::make_shared<bool>(false);
  sub->add_flag("--median", *median, "In the tables of papers, medians; without it means, as in the papers");
  sub->footer("\nExample:\n  peneira-bench table bench/results/*/multisplit.json");
  sub->callback([files, median] {
    const shown_time shown = *median ? shown_time::median : shown_time::mean;
    for (const std::string& file : *files) write_stdout(tables_of(file, shown));
  });
}

}  // namespace peneira::tool
