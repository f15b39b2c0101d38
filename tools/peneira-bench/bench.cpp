// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What all benchmarks have in common: options, places, result files.
#include "tools/peneira-bench/bench.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/report.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/machine.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/io/output_file.hpp"

namespace peneira::tool {
namespace {

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
  const std::string git = "git -C '" PENEIRA_SOURCE_DIR "' ";
  const std::string found = ask(git + "describe --always 2>/dev/null");
  if (found.empty()) return "unknown";
  // Fresh results, and documents that show them, do not make the code another.
  const std::string changed =
      ask(git + "status --porcelain --untracked-files=no -- . ':!bench/results' ':!docs' ':!*.md'");
  return found + (changed.empty() ? "" : "-dirty");
}

/// The command line of this process, as one would type it again; where its results went is left out.
std::string command_line() {
  std::ifstream file("/proc/self/cmdline");
  std::string text = "peneira-bench";
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

void save(const std::string& path, const std::string& text, bool force) {
  output_file file(path, force);
  file.write(text.data(), text.size());
  file.commit();
}

}  // namespace

CLI::Option* add_list(CLI::App& to, const std::string& name, std::vector<std::string>& values,
                      const std::string& help) {
  return to.add_option(name, values, help)->delimiter(',')->capture_default_str();
}

void add_common(CLI::App& to, bench_options& options) {
  add_list(to, "--strategy", options.strategies,
           "Names from `peneira strategies`; auto: the automatic choice; all: every one");
  to.add_flag("--no-peers", options.no_peers, "Do not measure the peers");
  add_effort(to, options);
}

void add_effort(CLI::App& to, bench_options& options) {
  to.add_option("--place", options.place, "Where to run; auto: the GPU if there is one")
      ->check(CLI::IsMember({"cpu", "gpu", "auto"}))
      ->capture_default_str();
  add_threads(to, options.threads);
  to.add_option("--runs", options.runs, "Timed runs a row (default: 7 on the CPU, 15 on the GPU)")
      ->check(CLI::Range(1, 1000));
  to.add_option("--seconds", options.seconds, "Time budget a row on the CPU, in seconds (at least 3 runs)")
      ->check(CLI::NonNegativeNumber);
  add_whole(to, "--seed", options.seed, "Seed of the inputs");
  to.add_flag("--quiet", options.quiet, "Print no rows; for --json and --csv");
  add_files(to, options);
}

void add_files(CLI::App& to, bench_options& options) {
  to.add_option("--json", options.json, "Write all rows and the machine to this file");
  to.add_option("--csv", options.csv, "Write all rows to this file");
  to.add_option("--commit", options.commit, "Commit that the files name (default: that of the source tree)");
  to.add_flag("--force", options.force, "Overwrite those files");
}

std::vector<std::uint64_t> parse_sizes(const std::string& option, const std::vector<std::string>& texts,
                                       std::uint64_t least) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& text : texts) {
    try {
      sizes.push_back(parse_size(text));
    } catch (const usage_error& e) {
      throw usage_error(fmt::format("{}: {}", option, e.what()));
    }
    if (sizes.back() < least) {
      throw usage_error(fmt::format("{}: must be at least {}, but is {}", option, least, sizes.back()));
    }
  }
  return sizes;
}

void check_result_files(const bench_options& options) {
  if (!options.json.empty() && same_file(options.json, options.csv)) {
    throw usage_error("--json and --csv name the same file");
  }
  for (const auto& [option, path] : {std::pair("--json", options.json), std::pair("--csv", options.csv)}) {
    refuse_stdout(option, path);
    if (!path.empty()) check_output(path, options.force);
  }
}

void save_results(const bench_options& options, const bench::report& rows, const nlohmann::ordered_json& more) {
  const std::time_t now = std::time(nullptr);
  std::array<char, 32> date{};
  std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  nlohmann::ordered_json head{{"machine", machine_json()},
                              {"compiler", __VERSION__},
                              {"commit", options.commit.empty() ? commit_of_source() : options.commit},
                              {"date", date.data()},
                              {"command", options.command.empty() ? command_line() : options.command}};
  head.update(more);
  if (!options.json.empty()) save(options.json, rows.json(head).dump(1) + "\n", options.force);
  if (!options.csv.empty()) save(options.csv, rows.csv(), options.force);
}

void run_bench(const bench_options& options, const std::function<bool(bool, const bench::row_sink&)>& measure) {
  check_result_files(options);
  std::string why_not;
  const bool on_gpu = options.place == "gpu" || (options.place == "auto" && !find_gpus(why_not).empty());
  if (on_gpu && find_gpus(why_not).empty()) throw std::runtime_error("--place gpu: " + why_not);

  bench::report report(options.quiet ? nullptr : stdout);
  const bool right = measure(on_gpu, [&report](const bench::row& r) {
    report.add(r);
    poll_interrupt();
  });
  if (report.empty()) throw usage_error("--strategy: none of them can run any of these problems");
  save_results(options, report, nlohmann::ordered_json::object());
  if (!right) throw std::runtime_error("some outputs were wrong");
}

}  // namespace peneira::tool
