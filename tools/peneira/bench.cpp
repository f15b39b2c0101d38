// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira bench multisplit: our strategies and their peers in one run, every output checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "bench/multisplit.hpp"
#include "bench/report.hpp"
#include "tools/peneira/bench.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/errors.hpp"
#include "tools/peneira/gpu.hpp"
#include "tools/peneira/interrupt.hpp"
#include "tools/peneira/machine.hpp"
#include "tools/peneira/output_file.hpp"
#include "tools/peneira/sizes.hpp"

namespace peneira::tool {
namespace {

struct bench_options {
  std::vector<std::string> n{"64M"};
  std::vector<std::string> bins{"2", "16", "256", "1024", "4096", "12288"};
  std::vector<std::string> distributions{"uniform"};
  std::vector<std::string> types{"u32"};
  std::vector<std::string> orders{"stable"};
  std::vector<std::string> strategies{"auto"};
  std::string place = "auto";
  unsigned threads = 0;
  std::size_t runs = 0;
  std::uint64_t seed = 1;
  bool no_peers = false;
  bool force = false;
  std::string json;
  std::string csv;
  std::string commit;
  std::string quoted;
};

/// The first line that a command prints; empty where it fails.
std::string ask(const std::string& command) {
  std::string line;
  if (std::FILE* const pipe = ::popen(command.c_str(), "r"); pipe != nullptr) {
    std::array<char, 256> text{};
    if (std::fgets(text.data(), text.size(), pipe) != nullptr) line = text.data();
    ::pclose(pipe);
  }
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

std::string commit_of_source() {
  const std::string found = ask("git -C '" PENEIRA_SOURCE_DIR "' describe --always --dirty 2>/dev/null");
  return found.empty() ? "unknown" : found;
}

/// The command line of this process, as one would type it again; where its results went is left out.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text = "peneira";
  std::string argument;
  std::getline(file, argument, '\0');
  while (std::getline(file, argument, '\0')) {
    const bool names_output = argument == "--json" || argument == "--csv" || argument == "--commit";
    if (names_output) {
      std::getline(file, argument, '\0');
    } else if (argument != "--force") {
      text += " " + argument;
    }
  }
  return text;
}

bench::multisplit_axes axes_of(const bench_options& o, bool on_gpu) {
  bench::multisplit_axes axes;
  for (const std::string& n : o.n) axes.n.push_back(parse_size(n));
  for (const std::string& b : o.bins) {
    axes.bins.push_back(parse_size(b));
    if (axes.bins.back() == 0) throw usage_error("--bins: must be at least 1, but is 0");
  }
  for (const std::string& d : o.distributions) axes.distributions.push_back(bench::parse_distribution(d));
  axes.types = o.types;
  for (const std::string& w : o.orders) axes.orders.push_back(w == "any" ? order::any : order::stable);
  axes.strategies = o.strategies;
  axes.peers = !o.no_peers;
  axes.threads = o.threads != 0 ? o.threads : host::here().threads;
  axes.runs = o.runs != 0 ? o.runs : (on_gpu ? 15 : 5);
  axes.seed = o.seed;
  return axes;
}

/// Adds what others measured of the same work: lines of peer, type, distribution, n, bins, G items/s.
void quote(const std::string& path, const bench::multisplit_axes& axes, const bench::row_sink& sink) {
  std::ifstream file(path);
  if (!file) fail("read", path);
  std::string line;
  std::getline(file, line);  // the names of the columns
  const auto has = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::array<std::string, 6> cell;
    for (std::string& c : cell) {
      if (!std::getline(cells, c, ',')) throw std::runtime_error(fmt::format("{}: too few columns: {}", path, line));
    }
    bench::row r;
    r.primitive = "multisplit";
    r.place = "gpu";
    r.strategy = cell[0];
    r.peer = r.quoted = r.right = true;
    r.type = cell[1];
    r.distribution = cell[2];
    r.order = axes.orders.front() == order::stable ? "stable" : "any";  // beside our rows
    r.n = parse_size(cell[3]);
    r.bins = parse_size(cell[4]);
    r.seconds = static_cast<double>(r.n) / (std::stod(cell[5]) * 1e9);
    r.copy_bandwidth = 1;
    if (has(axes.n, r.n) && has(axes.bins, r.bins) && has(axes.types, r.type) &&
        has(axes.distributions, bench::parse_distribution(r.distribution))) {
      sink(r);
    }
  }
}

void save(const std::string& path, const std::string& text, bool force) {
  output_file file(path, force);
  file.write(text.data(), text.size());
  file.commit();
}

void bench_multisplit(const bench_options& o) {
  for (const std::string& path : {o.json, o.csv}) {
    if (!path.empty()) check_output(path, o.force);
  }
  std::string why_not;
  const bool on_gpu = o.place == "gpu" || (o.place == "auto" && !find_gpus(why_not).empty());
  if (on_gpu && find_gpus(why_not).empty()) throw std::runtime_error("--place gpu: " + why_not);
  const bench::multisplit_axes axes = axes_of(o, on_gpu);

  bench::report report(stdout);
  const bench::row_sink sink = [&report](const bench::row& r) {
    report.add(r);
    poll_interrupt();
  };
#if defined(PENEIRA_WITH_CUDA)
  const bool right = on_gpu ? bench::bench_multisplit_gpu(axes, sink) : bench::bench_multisplit_cpu(axes, sink);
#else
  const bool right = bench::bench_multisplit_cpu(axes, sink);
#endif
  if (!o.quoted.empty() && on_gpu) quote(o.quoted, axes, sink);
  if (report.empty()) throw usage_error("--strategy: none of those takes any of these problems");

  const std::time_t now = std::time(nullptr);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  const nlohmann::ordered_json head{{"machine", machine_json()},
                                    {"compiler", __VERSION__},
                                    {"commit", o.commit.empty() ? commit_of_source() : o.commit},
                                    {"date", date.data()},
                                    {"command", command_line()}};
  if (!o.json.empty()) save(o.json, report.json(head).dump(1) + "\n", o.force);
  if (!o.csv.empty()) save(o.csv, report.csv(), o.force);
  if (!right) throw std::runtime_error("some outputs were wrong");
}

}  // namespace

void add_bench_multisplit(CLI::App& bench) {
  CLI::App* const multisplit = bench.add_subcommand("multisplit", "Partition n items into bins");
  const auto o = std::make_shared<bench_options>();
  const auto list = [&](const std::string& name, std::vector<std::string>& to, const std::string& help) {
    return multisplit->add_option(name, to, help)->delimiter(',')->capture_default_str();
  };
  list("--n", o->n, "Items");
  list("--bins", o->bins, "Bins");
  list("--dist", o->distributions, "Inputs: uniform, normal, exponential, zipf, constant, sorted, reversed");
  list("--type", o->types, "Types: " + std::string(bench::multisplit_types));
  list("--order", o->orders, "Order within a bin: stable, any")->check(CLI::IsMember({"stable", "any"}));
  list("--strategy", o->strategies, "Names from `peneira strategies`; auto: the automatic choice; all: every one");
  multisplit->add_option("--place", o->place, "Where")
      ->check(CLI::IsMember({"cpu", "gpu", "auto"}))
      ->capture_default_str();
  add_threads(*multisplit, o->threads);
  multisplit->add_option("--runs", o->runs, "Timed runs a row; without it, 5 on the CPU and 15 on the GPU")
      ->check(CLI::Range(1, 1000));
  multisplit->add_option("--seed", o->seed, "Seed of the inputs")->capture_default_str();
  multisplit->add_flag("--no-peers", o->no_peers, "Leave the peers out");
  multisplit->add_option("--json", o->json, "Write all rows and the machine to this file");
  multisplit->add_option("--csv", o->csv, "Write all rows to this file");
  multisplit->add_option("--commit", o->commit, "What the file says of the code; without it, what git says");
  multisplit->add_option("--quoted", o->quoted,
                         "On a GPU, add figures of others from this file, such as bench/quoted/*.csv");
  multisplit->add_flag("--force", o->force, "Overwrite those files");
  multisplit->footer(
      "\n'% of copy' holds the least bytes that the work must move (each item read twice and written once) against "
      "the\n"
      "copy bandwidth of the same run; 'x peer' is the rate over the best peer's on the same input.\n"
      "\nExamples:\n"
      "  peneira bench multisplit --n 128M --threads 2\n"
      "  peneira bench multisplit --n 1M,64M --bins 2,256,361 --dist uniform,zipf --type u32,u64 --strategy all\n"
      "  peneira bench multisplit --place gpu --order stable,any --json multisplit.json");
  multisplit->callback([o] { bench_multisplit(*o); });
}

void add_bench(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("bench", "Measure a primitive beside its peers, every output checked");
  sub->require_subcommand(1);
  add_bench_multisplit(*sub);
  add_bench_table(*sub);
}

}  // namespace peneira::tool
