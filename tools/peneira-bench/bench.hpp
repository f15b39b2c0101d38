// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The commands of peneira-bench, and what its benchmarks have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "bench/mpp_sort.hpp"
#include "peneira/host.hpp"

namespace peneira::bench {
class report;
}

namespace peneira::tool {

/// All calls from group_by on.
void add_bench_calls(CLI::App& bench);
void add_bench_multisplit(CLI::App& bench);
void add_bench_paper(CLI::App& bench);
void add_bench_reduce(CLI::App& bench);
void add_bench_segmented_reduce(CLI::App& bench);
void add_bench_sort(CLI::App& bench);
void add_bench_strings(CLI::App& bench);
void add_bench_sweep(CLI::App& bench);
void add_bench_table(CLI::App& bench);
void add_bench_compare(CLI::App& bench);
void add_bench_check(CLI::App& bench);
void add_bench_record(CLI::App& bench);
void add_bench_tune(CLI::App& bench);

/// The options of every benchmark.
struct bench_options {
  std::vector<std::string> strategies{"auto"};
  std::string place = "auto";
  unsigned threads = 0;
  std::size_t runs = 0;
  double seconds = 0;
  std::uint64_t seed = 1;
  bool no_peers = false;
  bool force = false;
  bool quiet = false;
  std::string json;
  std::string csv;
  std::string commit;
  std::string command;  ///< what the file says was run; empty: this process

  /// Fills what all axes have.
  template <class Axes>
  void set(Axes& axes, bool on_gpu) const {
    axes.strategies = strategies;
    axes.peers = !no_peers;
    axes.threads = threads != 0 ? threads : host::here().threads;
    axes.runs = runs != 0 ? runs : (on_gpu ? 15 : 7);
    axes.seconds = seconds;
    axes.seed = seed;
  }
};

/// An option that takes a list, separated by commas.
CLI::Option* add_list(CLI::App& to, const std::string& name, std::vector<std::string>& values, const std::string& help);

/// Adds the options that say where results go.
void add_files(CLI::App& to, bench_options& options);

/// Adds the options that say where to measure, how often, and where results go.
void add_effort(CLI::App& to, bench_options& options);

/// Adds the options of every benchmark of strategies: these, and which.
void add_common(CLI::App& to, bench_options& options);

/// The sizes that a list of texts means, each at least `least`.
std::vector<std::uint64_t> parse_sizes(const std::string& option, const std::vector<std::string>& texts,
                                       std::uint64_t least);

/// Chooses the place, lets `measure` print its rows, and saves them. `measure` is told whether the place is the GPU,
/// and returns whether every output was right.
void run_bench(const bench_options& options, const std::function<bool(bool, const bench::row_sink&)>& measure);

/// Throws if a file for the results may not be written.
void check_result_files(const bench_options& options);

/// Writes all rows to the files that the options name; `more` goes into the head of the JSON file.
void save_results(const bench_options& options, const bench::report& rows, const nlohmann::ordered_json& more);

/// peneira-bench sort --kernels: measures the kernels of mpp_sort and prints the tables of its report.
void bench_mpp_sort(const bench_options& options, const bench::mpp_sort_work& work);

}  // namespace peneira::tool
