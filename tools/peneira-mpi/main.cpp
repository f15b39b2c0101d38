// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-mpi: what `mpirun -n 8 peneira sort` becomes. Every process runs it, and all make one output.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tools/peneira-mpi/job.hpp"
#include "tools/peneira-mpi/text.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/cli/program.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/sort/command.hpp"

namespace peneira::tool {
namespace {

constexpr int failure = 2;

/// Threads of a rank where nobody says: the cores of the node by its ranks, unless the launcher has bound it to some.
unsigned threads_of(unsigned asked) {
  const unsigned offered = team_of(asked);
  if (asked != 0 || offered < std::thread::hardware_concurrency()) return offered;
  MPI_Comm node = MPI_COMM_NULL;
  int ranks = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  return std::max(1U, offered / static_cast<unsigned>(ranks));
}

/// Takes an option out of the arguments; whether it was there.
bool take_flag(std::vector<std::string>& arguments, std::string_view flag) {
  const auto found = std::find(arguments.begin(), arguments.end(), flag);
  if (found == arguments.end()) return false;
  arguments.erase(found);
  return true;
}

/// Sorts text, with the options of GNU sort.
void sort_text(std::vector<std::string> arguments, job_options how) {
  const sort_text_options o = parse_sort_text(arguments);
  how.quiet = o.quiet;
  job_ranks on{MPI_COMM_WORLD, cpu{.threads = threads_of(o.threads)}};
  sort_lines(on, o, how);
}

/// Sorts binary items.
void sort_binary_items(std::vector<std::string> arguments, job_options how) {
  number_request o;
  unsigned threads = 0;
  CLI::App app{"peneira sort over the ranks of an MPI job", "peneira-mpi sort"};
  app.add_option("input", o.input, "Input file, which all ranks can read")->required();
  add_item_type(app, o.type, "Items of this type")->required();
  app.add_flag("-r,--reverse,--descending", o.descending, "Descending order");
  app.add_option("-o,--out,--output", o.out, "Output file")->required();
  add_threads(app, threads);
  app.add_flag("-q,--quiet", how.quiet, "No progress");
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& e) {
    throw usage_error(std::string(e.what()) + "\nOver ranks: mpirun -n P peneira sort FILE --type TYPE [-r] -o FILE");
  }
  job_ranks on{MPI_COMM_WORLD, cpu{.threads = threads_of(threads)}};
  sort_numbers(on, o, how);
}

int run(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "sort") {
    throw usage_error(
        "over ranks there is sort so far; PENEIRA_ALONE=1 lets each process of the launcher work for itself");
  }
  const bool text = sorts_text(argc, argv);
  std::vector<std::string> arguments(argv + 2, argv + argc);
  job_options how;
  how.report = take_flag(arguments, "--report");
  text ? sort_text(arguments, how) : sort_binary_items(arguments, how);
  return 0;
}

/// All ranks throw the same error: one tells it.
int tell_once(int rank, std::string_view message) {
  if (rank == 0) tell("peneira: {}\n", message);
  return failure;
}

int run_rank(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return tell_once(rank, "out of memory on a rank");
  } catch (const std::exception& e) {
    return tell_once(rank, e.what());
  }
}

}  // namespace
}  // namespace peneira::tool

int main(int argc, char** argv) {
  namespace tool = peneira::tool;
  MPI_Init(&argc, &argv);
  const int code = tool::run_program("peneira", 2, [&] { return tool::run_rank(argc, argv); });
  MPI_Finalize();
  return code;
}
