// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-mpi: what `mpirun -n 8 peneira sort` becomes. Every process runs it, and all make one output.
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tools/peneira-mpi/job.hpp"
#include "tools/peneira-mpi/text.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/launcher.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/cli/program.hpp"
#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/sort/command.hpp"

namespace peneira::tool {
namespace {

/// Exit codes: as one process has them, of which sort fails with 2.
constexpr int wrong_usage = 2;
int failure_of(int argc, char** argv) {
  return argc > 1 && std::string_view(argv[1]) == "sort" ? 2 : 1;
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

/// While it lives, a rank but the first says nothing: all would say the same of one command line.
class silence {
 public:
  explicit silence(int rank) {
    if (rank == 0) return;
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int stream = 0; stream < 2 && nowhere >= 0; ++stream) {
      kept_[stream] = ::fcntl(stream + 1, F_DUPFD_CLOEXEC, 3);
      ::dup2(nowhere, stream + 1);
    }
    ::close(nowhere);
  }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;
  ~silence() {
    for (int stream = 0; stream < 2; ++stream) {
      if (kept_[stream] < 0) continue;
      ::dup2(kept_[stream], stream + 1);
      ::close(kept_[stream]);
    }
  }

 private:
  int kept_[2] = {-1, -1};
};

/// A command with the options that it has in one process.
int run_command(const command& one, std::vector<std::string> arguments, const job_options& how, int rank) {
  std::vector<char*> plain;
  for (std::string& argument : arguments) plain.push_back(argument.data());
  int code = 0;
  {
    const silence of_others(rank);
    CLI::App app{"peneira over the ranks of an MPI job", "peneira"};
    code = run_commands(app, {&one, 1}, static_cast<int>(plain.size()), plain.data());
  }
  if (asked_for()) asked_for()(how);
  return code;
}

int run(int argc, char** argv, int rank) {
  std::vector<std::string> arguments(argv, argv + argc);
  job_options how;
  how.report = take_flag(arguments, "--report");
  for (const command& one : {command{"count", add_count}, command{"group", add_group}, command{"reduce", add_reduce},
                             command{"split", add_split}}) {
    if (argc > 1 && one.name == argv[1]) return run_command(one, arguments, how, rank);
  }
  if (argc < 2 || std::string_view(argv[1]) != "sort") {
    throw usage_error(
        "over ranks there are count, group, reduce, sort and split; PENEIRA_ALONE=1 lets each process of the launcher "
        "work "
        "for itself");
  }
  if (std::any_of(arguments.begin() + 2, arguments.end(), [](const auto& a) { return a == "--help"; })) {
    throw usage_error(
        "over ranks: mpirun -n P peneira sort FILE --type TYPE [-r] -o FILE, or of text sort [OPTION]... FILE... -o "
        "FILE; "
        "all options of one process: PENEIRA_ALONE=1 peneira sort --help");
  }
  const bool text = sorts_text(argc, argv);
  arguments.erase(arguments.begin(), arguments.begin() + 2);
  text ? sort_text(arguments, how) : sort_binary_items(arguments, how);
  return 0;
}

/// All ranks throw the same error: one tells it.
int tell_once(int rank, int code, std::string_view message) {
  if (rank == 0) tell("peneira: {}\n", message);
  return code;
}

/// A call of MPI failed. Most often all ranks know, and the first one tells it and ends them; if it has not heard, one
/// of the others does. MPI is not ended: it could wait for what failed.
[[noreturn]] void abandon(int rank, int code, std::string_view message) {
  if (rank != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1000 + 300 * std::min(rank, 8)));
  tell("peneira: {}\n", message);
  MPI_Abort(MPI_COMM_WORLD, code);
  ::_exit(code);
}

/// Throws where a launcher started more processes than MPI knows of: each would write the whole output.
void check_launcher() {
  int known = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &known);
  const launched by = find_launcher();
  if (known != 1 || by.processes == 1) return;
  throw std::runtime_error(
      fmt::format("{} says that there are {} processes, but MPI knows of one alone: the launcher is of another MPI "
                  "than peneira-mpi; "
                  "PENEIRA_ALONE=1 lets each process work for itself",
                  by.variable, by.processes));
}

int run_rank(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    check_launcher();
    return run(argc, argv, rank);
  } catch (const pn::mpi_error& e) {
    abandon(rank, failure_of(argc, argv), e.what());
  } catch (const std::bad_alloc&) {
    return tell_once(rank, failure_of(argc, argv), "out of memory on a rank");
  } catch (const std::invalid_argument& e) {
    return tell_once(rank, wrong_usage, e.what());
  } catch (const std::exception& e) {
    return tell_once(rank, failure_of(argc, argv), e.what());
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
