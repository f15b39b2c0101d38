// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench: the program that measures.
#include <CLI/CLI.hpp>
#include <array>

#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira/cli/program.hpp"

namespace peneira::tool {
namespace {

constexpr std::array commands{
    command{"multisplit", add_bench_multisplit},
    command{"reduce", add_bench_reduce},
    command{"segmented_reduce", add_bench_segmented_reduce},
    command{"sort", add_bench_sort},
    command{"strings", add_bench_strings},
    command{"group_by", add_bench_calls},  // and all calls that came after it
    command{"sweep", add_bench_sweep},
    command{"paper", add_bench_paper},
    command{"table", add_bench_table},
    command{"compare", add_bench_compare},
    command{"check", add_bench_check},
    command{"record", add_bench_record},
    command{"tune", add_bench_tune},
};

int run(int argc, char** argv) {
  CLI::App app{
      "peneira-bench: measures the primitives of peneira beside their peers, every output checked\n"
      "K, M, G, T, P and E in sizes are powers of 1024: 64M is 67108864.",
      "peneira-bench"};
  app.footer(
      "\nExamples:\n"
      "  peneira-bench multisplit --n 64M --bins 2,361   a primitive on this machine\n"
      "  peneira-bench sort --json sort.json             rows for the commands that read result files\n"
      "  peneira-bench sweep --minutes 2                 problems drawn at random, beside the best peer\n"
      "  peneira-bench table sort.json                   these rows as a table\n"
      "  peneira-bench paper all --dry-run               the papers that it measures again\n"
      "  peneira-bench SUBCOMMAND --help                 more on each");
  return run_commands(app, commands, argc, argv);
}

}  // namespace
}  // namespace peneira::tool

int main(int argc, char** argv) {
  return peneira::tool::run_program("peneira-bench", 1, [&] { return peneira::tool::run(argc, argv); });
}
