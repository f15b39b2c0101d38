// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench record: times that a script took of whole programs, as rows like all others.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/sizes.hpp"

namespace peneira::tool {
namespace {

/// A line of the input: primitive, program, "ours" or "peer", input, lines, groups, threads, bytes of memory,
/// "right" or "wrong", seconds of each run; between them commas.
bench::row parse_record(const std::string& line) {
  std::istringstream cells(line);
  std::array<std::string, 9> cell;
  for (std::string& c : cell) std::getline(cells, c, ',');
  std::vector<double> times;
  for (std::string word; std::getline(cells, word, ',');) {
    double seconds = 0;
    std::istringstream number(word);
    if (!(number >> seconds) || !number.eof() || !(seconds > 0)) {
      throw usage_error(fmt::format("invalid time \"{}\": {}", word, line));
    }
    times.push_back(seconds);
  }
  if (times.empty()) throw usage_error(fmt::format("no times in the line: {}", line));
  bench::row r;
  r.primitive = cell[0];
  r.place = "cpu";
  r.peer = cell[2] == "peer";
  r.strategy = r.peer ? cell[1] : "auto";
  r.chosen = r.peer ? "" : cell[1];
  r.type = "lines";
  r.distribution = cell[3];
  r.n = parse_size(cell[4]);
  r.bins = parse_size(cell[5]);
  r.threads = static_cast<unsigned>(parse_size(cell[6]));
  r.temporary_bytes = parse_size(cell[7]);
  r.right = cell[8] == "right";
  r.set(bench::summarise(times));
  r.copy_bandwidth = 1;  // of no use for files
  return r;
}

}  // namespace

void add_bench_record(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("record", "Turn times of whole programs, from standard input, into rows");
  const auto o = std::make_shared<bench_options>();
  o->place = "cpu";
  sub->add_option("--command", o->command, "The command that took the times")->required();
  add_files(*sub, *o);
  sub->footer(
      "\nEach line of the input: primitive, program, ours or peer, input, lines, groups, threads, bytes of memory, "
      "right\n"
      "or wrong, and the seconds of each run, with commas between; peers before ours. bench/sort_text.sh and\n"
      "bench/group.sh write such lines.\n"
      "\nExample:\n"
      "  echo 'sort_text,GNU sort,peer,random,1e6,0,2,0,right,0.61,0.60,0.62' | peneira-bench record --command demo");
  sub->callback([o] {
    run_bench(*o, [](bool /*on_gpu*/, const bench::row_sink& sink) {
      bool right = true;
      for (std::string line; std::getline(std::cin, line);) {
        const bench::row r = parse_record(line);
        right = right && (r.right || r.peer);
        sink(r);
      }
      return right;
    });
  });
}

}  // namespace peneira::tool
