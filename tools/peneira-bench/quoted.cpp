// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira-bench/quoted.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/sizes.hpp"

namespace peneira::tool {
namespace {

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.emplace_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

double read_figure(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ptr != end || read.ec != std::errc() || !(value > 0)) {
    throw std::runtime_error("invalid figure \"" + text + "\"");
  }
  return value;
}

void set(bench::row& r, const std::string& column, const std::string& text) {
  if (column == "peer" || column == "algorithm") {
    r.strategy = text;
  } else if (column == "table") {
    r.published.table = text;
  } else if (column == "type") {
    r.type = text;
  } else if (column == "op") {
    r.op = text;
  } else if (column == "distribution" || column == "shape") {
    r.distribution = text;
  } else if (column == "n") {
    r.n = parse_size(text);
  } else if (column == "bins") {
    r.bins = parse_size(text);
  } else if (column == "segments") {
    r.segments = parse_size(text);
  } else if (column == "threads") {
    r.threads = static_cast<unsigned>(parse_size(text));
  } else if (column == "giga_items_per_second") {
    const double rate = read_figure(text);
    if (r.seconds == 0) r.seconds = static_cast<double>(r.n) / (rate * 1e9);
  } else if (column == "seconds") {
    r.seconds = read_figure(text);
  } else if (column == "milliseconds") {
    r.seconds = read_figure(text) / 1e3;
  } else if (column == "speedup") {
    r.published.speedup = read_figure(text);
  } else {
    throw std::runtime_error("unknown column \"" + column + "\"");
  }
}

bench::row row_of(const std::vector<std::string>& columns, const std::vector<std::string>& cells) {
  if (cells.size() != columns.size()) {
    throw std::runtime_error(fmt::format("{} cells under {} columns", cells.size(), columns.size()));
  }
  bench::row r;
  r.peer = r.quoted = r.right = true;
  r.copy_bandwidth = 1;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (!cells[c].empty()) set(r, columns[c], cells[c]);
  }
  if (r.strategy.empty()) throw std::runtime_error("the figure has no strategy");
  if (r.seconds == 0 && r.published.speedup == 0) throw std::runtime_error("the row has no figure");
  return r;
}

}  // namespace

std::vector<bench::row> read_quoted(const std::string& path) {
  constexpr std::string_view machine_mark = "# machine: ";
  std::ifstream file(path);
  if (!file) fail("read", path);
  std::string machine;
  std::vector<std::string> columns;
  std::vector<bench::row> rows;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.starts_with(machine_mark)) machine = line.substr(machine_mark.size());
    if (line.empty() || line[0] == '#') continue;
    if (columns.empty()) {
      columns = cells_of(line);
      continue;
    }
    try {
      rows.push_back(row_of(columns, cells_of(line)));
      rows.back().published.machine = machine;
    } catch (const std::exception& e) {
      throw std::runtime_error(fmt::format("{}, line {}: {}", path, number, e.what()));
    }
  }
  return rows;
}

}  // namespace peneira::tool
