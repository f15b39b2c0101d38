// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench tune: measure the numbers that depend on the machine.
#include "tools/peneira-bench/tune.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/io/output_file.hpp"

namespace peneira::tool {
namespace {

struct tune_options {
  std::uint64_t n = std::uint64_t{16} << 20U;
  std::size_t runs = 10;
  std::string output;
  bool force = false;
};

/// Rates in items a second, the fastest with a star.
std::string print_row(const granularity_row& row, std::uint64_t n) {
  std::string line = fmt::format("{:>12}{:>12}", row.size, n / row.size);
  for (const granularity g : {by_warp, by_block, by_grid}) {
    const double seconds = row.seconds[g];
    const std::string rate = seconds == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(n) / seconds / 1e9);
    line += fmt::format("{:>10}{}", rate, g == row.fastest() ? "*" : " ");
  }
  return line + "\n";
}

void tune(const tune_options& o) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (o.n > most)
    throw usage_error(fmt::format("--n: must be at most {} for offsets of 32 bits, but is {}", most, o.n));
  if (!o.output.empty()) check_output(o.output, o.force);
  std::string why_not;
  const std::vector<gpu_info> gpus = find_gpus(why_not);
  if (gpus.empty()) throw std::runtime_error("cannot use a GPU: " + why_not);

  write_stdout(fmt::format("best_reduce on {}: {} u32, max, in G items/s; * the fastest, - not measured\n",
                           gpus.front().name, o.n));
  write_stdout(fmt::format("{:>12}{:>12}{:>10} {:>10} {:>10}\n", "SIZE", "SEGMENTS", "WARP", "BLOCK", "GRID"));
  std::vector<granularity_row> rows;
  tune_segmented_reduce({o.n, o.runs}, [&](const granularity_row& row) {
    write_stdout(print_row(row, o.n));
    rows.push_back(row);
    poll_interrupt();
  });

  const int arch = gpus.front().arch;
  const tuning::segment_limits found = find_limits(rows);
  write_stdout(fmt::format(
      "\nwarp limit        {}\n"
      "block limit       {}\n"
      "\nFor all calls: best_reduce_limits() in include/peneira/tuning/published_gpu.hpp, case {}: return {{{}, {}}};\n"
      "For one call: pn::published::segmented_reduce(..., {{.warp_items = {}, .block_items = {}}})\n",
      found.warp_items, found.block_items, arch, found.warp_items, found.block_items, found.warp_items,
      found.block_items));
  if (o.output.empty()) return;
  const nlohmann::ordered_json limits{
      {"arch", arch}, {"warp_items", found.warp_items}, {"block_items", found.block_items}};
  const std::string text = limits.dump() + "\n";
  output_file file(o.output, o.force);
  file.write(text.data(), text.size());
  file.commit();
}

void add_tune_segmented_reduce(CLI::App& tuning) {
  CLI::App* const sub =
      tuning.add_subcommand("segmented_reduce", "Segment sizes up to which best_reduce uses a warp or a block");
  const auto o = std::make_shared<tune_options>();
  add_size(*sub, "--n", o->n, "Items (default: 16M, as in the paper)", 4);
  sub->add_option("--runs", o->runs, "Timed runs of each measurement")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  sub->add_option("-o,--output", o->output, "Write the limits to this file, as JSON");
  sub->add_flag("--force", o->force, "Overwrite that file");
  sub->footer(
      "\nMeasures Figure 1 of Cordeiro and Nunan Zola (2024) on the first GPU of this machine: n items in 2, 4, 8, ... "
      "to\n"
      "n / 2 segments of one size, all of them reduced by warps, by blocks, and each by the whole grid. Every result "
      "is\n"
      "checked. The limits that it prints give each size to the fastest.\n"
      "\nExamples:\n"
      "  peneira-bench tune segmented_reduce\n"
      "  peneira-bench tune segmented_reduce --n 64M --runs 30 -o limits.json");
  sub->callback([o] { tune(*o); });
}

}  // namespace

void add_bench_tune(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("tune", "Measure tuning parameters on this machine");
  sub->require_subcommand(1);
  add_tune_segmented_reduce(*sub);
}

}  // namespace peneira::tool
