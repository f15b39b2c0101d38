// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira strategies: the names that --strategy takes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "peneira/gather/strategies.hpp"
#include "peneira/group_by/strategies.hpp"
#include "peneira/histogram/strategies.hpp"
#include "peneira/multisplit/published.hpp"
#include "peneira/multisplit/strategies.hpp"
#include "peneira/partition/strategies.hpp"
#include "peneira/reduce/published.hpp"
#include "peneira/reduce/strategies.hpp"
#include "peneira/runs/strategies.hpp"
#include "peneira/scan/strategies.hpp"
#include "peneira/segmented_reduce/published.hpp"
#include "peneira/segmented_reduce/strategies.hpp"
#include "peneira/segmented_sort/strategies.hpp"
#include "peneira/sort/published.hpp"
#include "peneira/sort/strategies.hpp"
#include "peneira/strings/published.hpp"
#include "peneira/strings/strategies.hpp"
#include "peneira/top_k/strategies.hpp"
#include "tools/peneira/cli/write.hpp"
#include "tools/peneira/commands.hpp"

namespace peneira::tool {
namespace {

void append_row(std::string& table, std::string_view primitive, std::string_view at, std::string_view name,
                std::string_view about) {
  table += fmt::format("{:<18}{:<7}{:<22}{}\n", primitive, at, name, about);
}

template <class List>
void append_list(std::string& table, std::string_view primitive, std::string_view at) {
  List::for_each([&](auto strategy) { append_row(table, primitive, at, strategy.name, strategy.about); });
}

void print_strategies() {
  std::string table;
  append_row(table, "PRIMITIVE", "PLACE", "NAME", "ABOUT");
  append_list<gather_cpu_strategies>(table, "gather", "cpu");
  append_list<gather_gpu_strategies>(table, "gather", "gpu");
  append_list<group_cpu_strategies>(table, "group", "cpu");
  append_list<group_gpu_strategies>(table, "group", "gpu");
  append_list<group_by_cpu_strategies>(table, "group_by", "cpu");
  append_list<group_by_gpu_strategies>(table, "group_by", "gpu");
  append_list<histogram_cpu_strategies>(table, "histogram", "cpu");
  append_list<histogram_gpu_strategies>(table, "histogram", "gpu");
  append_list<multisplit_label_strategies>(table, "labels", "gpu");
  append_list<multisplit_cpu_strategies>(table, "multisplit", "cpu");
  append_list<multisplit_gpu_strategies>(table, "multisplit", "gpu");
  append_list<multisplit_published_strategies>(table, "multisplit", "gpu");
  append_list<partition_cpu_strategies>(table, "partition", "cpu");
  append_list<partition_gpu_strategies>(table, "partition", "gpu");
  append_list<reduce_cpu_strategies>(table, "reduce", "cpu");
  append_list<reduce_gpu_strategies>(table, "reduce", "gpu");
  append_list<reduce_published_strategies>(table, "reduce", "gpu");
  append_list<runs_cpu_strategies>(table, "run_lengths", "cpu");
  append_list<runs_gpu_strategies>(table, "run_lengths", "gpu");
  append_list<scan_cpu_strategies>(table, "scan", "cpu");
  append_list<scan_gpu_strategies>(table, "scan", "gpu");
  append_list<segmented_reduce_cpu_strategies>(table, "segmented_reduce", "cpu");
  append_list<segmented_reduce_gpu_strategies>(table, "segmented_reduce", "gpu");
  append_list<segmented_reduce_published_strategies>(table, "segmented_reduce", "gpu");
  append_list<segmented_sort_cpu_strategies>(table, "segmented_sort", "cpu");
  append_list<segmented_sort_gpu_strategies>(table, "segmented_sort", "gpu");
  append_list<sort_cpu_strategies>(table, "sort", "cpu");
  append_list<sort_gpu_strategies>(table, "sort", "gpu");
  append_list<sort_published_strategies>(table, "sort", "gpu");
  append_list<sort_strings_cpu_strategies>(table, "sort_strings", "cpu");
  append_list<sort_strings_gpu_strategies>(table, "sort_strings", "gpu");
  append_list<sort_strings_published_cpu_strategies>(table, "sort_strings", "cpu");
  append_list<sort_strings_published_gpu_strategies>(table, "sort_strings", "gpu");
  append_list<top_k_cpu_strategies>(table, "top_k", "cpu");
  append_list<top_k_gpu_strategies>(table, "top_k", "gpu");
  append_list<runs_cpu_strategies>(table, "unique", "cpu");
  append_list<runs_gpu_strategies>(table, "unique", "gpu");
  write_stdout(table);
}

}  // namespace

void add_strategies(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("strategies", "List the strategies that --strategy takes");
  sub->footer(
      "\nWithout --strategy a call chooses by itself; `peneira explain` shows its choice and parameters.\n"
      "\nExamples:\n"
      "  peneira strategies\n"
      "  peneira explain multisplit --n 64M --bins 361 --strategy direct");
  sub->callback(print_strategies);
}

}  // namespace peneira::tool
