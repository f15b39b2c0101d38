// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira: the command line program.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "tools/peneira/cli/launcher.hpp"
#include "tools/peneira/cli/program.hpp"
#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/sort/command.hpp"
#include "tools/peneira/sort/text/sort.hpp"

namespace peneira::tool {
namespace {

constexpr std::array commands{
    command{"info", add_info},
    command{"strategies", add_strategies},
    command{"explain", add_explain},
    command{"gen", add_gen},
    command{"split", add_split},
    command{"reduce", add_reduce},
    command{"group", add_group},
    command{"count", add_count},
    command{"sort", add_sort},
    command{"man", add_man},
    command{"completions", add_completions},
};

bool is_sort(int argc, char** argv) {
  return argc > 1 && std::string_view(argv[1]) == "sort";
}

void name_program(CLI::App& app) {
  app.name("peneira");
  app.description(
      "peneira: parallel multisplit, reduce and sort on every CPU core and on NVIDIA GPUs\n"
      "K, M, G, T, P and E in sizes are powers of 1024: 64M is 67108864.");
  app.footer(
      "\nExamples:\n"
      "  peneira info                                    what this machine offers\n"
      "  peneira gen --type u32 --n 64M -o keys.bin      make an input\n"
      "  peneira split keys.bin --type u32 -n 361 -o bins.bin --offsets offsets.bin\n"
      "  peneira split -t, -k 2 -n 16 --out 'part-%04d.csv' table.csv\n"
      "  peneira group -t, -k 2 --count --sum 3 table.csv\n"
      "  peneira count -t, -k 2 --top 10 table.csv\n"
      "  peneira reduce keys.bin --type u32 --op max\n"
      "  peneira sort keys.bin --type u32 -o sorted.bin\n"
      "  peneira help SUBCOMMAND                         more on each, as peneira SUBCOMMAND --help\n"
      "\nExit codes: 0 done; 1 it failed; 2 the command line is wrong. As GNU sort's, those of sort are 1 for \"not\n"
      "sorted\" and 2 for all that failed.\n"
      "\nBenchmarks are a program of their own: peneira-bench --help");
}

int run(int argc, char** argv) {
  if (is_sort(argc, argv) && sorts_text(argc, argv)) return sort_text_command(argc, argv);
  CLI::App app;
  name_program(app);
  return run_commands(app, commands, argc, argv);
}

/// Becomes another program, beside this one or in PATH. Returns only where it cannot: the folder of this one.
std::string become(std::string name, char** arguments) {
  std::error_code unknown;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", unknown);
  arguments[0] = name.data();
  ::execv((self.parent_path() / name).c_str(), arguments);
  ::execvp(name.c_str(), arguments);
  return self.parent_path().string();
}

/// One of several processes that mpirun started: what shares the work among them is the program peneira-mpi.
int exec_mpi(const launched& by, char** argv) {
  const std::string folder = become("peneira-mpi", argv);
  tell(
      "peneira: {} says that this is one of {} processes, which would all do the same and write over one another; "
      "peneira-mpi, which shares the work among them, is neither in {} nor in PATH. It is built where MPI is found. "
      "PENEIRA_ALONE=1 lets each work for itself.\n",
      by.variable, by.processes, folder);
  return 2;
}

/// What `peneira bench` and `peneira tune` were is the program peneira-bench: becomes that.
int exec_bench(char** argv) {
  const std::string_view given = argv[1];
  const std::string folder = become("peneira-bench", given == "bench" ? argv + 1 : argv);
  tell(
      "peneira: peneira {} is now the program peneira-bench, which is neither in {} nor in PATH; ./run bench builds "
      "it\n",
      given, folder);
  return 1;
}

}  // namespace

void describe_program(CLI::App& app) {
  name_program(app);
  for (const command& c : commands) c.add(app);
  add_version_flags(app);
}

}  // namespace peneira::tool

int main(int argc, char** argv) {
  namespace tool = peneira::tool;
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "bench" || first == "tune") return tool::exec_bench(argv);
  if (const tool::launched by = tool::find_launcher(); by.processes > 1) return tool::exec_mpi(by, argv);
  return tool::run_program("peneira", tool::is_sort(argc, argv) ? 2 : 1, [&] { return tool::run(argc, argv); });
}
