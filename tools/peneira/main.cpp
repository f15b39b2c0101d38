// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira: the command line program.
//
// Exit codes: 0 done; 1 it failed; 2 the command line cannot be right. A sort fails with 2, since 1 is for what is not
// sorted. A signal ends the program as if nobody had caught it: 128 + signal to a shell.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "peneira/config.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/sort/command.hpp"
#include "tools/peneira/sort/text/sort.hpp"

namespace peneira::tool {
namespace {

constexpr int unsorted = 1;
constexpr int wrong_usage = 2;

bool is_sort(int argc, char** argv) {
  return argc > 1 && std::string_view(argv[1]) == "sort";
}

int say(int code, std::string_view message) {
  tell("peneira: {}\n", message);
  return code;
}

/// CLI11's verdict: help and version go to standard output; the rest is a wrong command line.
int report(const CLI::App& app, const CLI::ParseError& e) {
  if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    std::ostringstream text;
    app.exit(e, text, text);
    write_stdout(text.str());
    return 0;
  }
  const CLI::App* deepest = &app;
  std::string name = "peneira";
  while (!deepest->get_subcommands().empty()) {
    deepest = deepest->get_subcommands().front();
    name += " " + deepest->get_name();
  }
  // CLI11 misses what is required before it sees what is unknown; the reader meant the latter.
  const std::vector<std::string> unknown = deepest->remaining();
  const std::string what = unknown.empty() ? e.what() : "unknown here: " + fmt::format("{}", fmt::join(unknown, " "));
  return say(wrong_usage, fmt::format("{}\nTry: {} --help", what, name));
}

/// Throws where a flag is given a value: CLI11 would count with it, take it for false, or fail without a name.
void refuse_flag_values(const CLI::App& app, int argc, char** argv) {
  const CLI::App* command = &app;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--") return;
    const auto& deeper = command->get_subcommands([&](const CLI::App* sub) { return sub->check_name(argument); });
    if (!deeper.empty()) command = deeper.front();
    const std::size_t equals = argument.find('=');
    if (!argument.starts_with("--") || equals == std::string::npos) continue;
    const CLI::Option* const option = command->get_option_no_throw(argument.substr(0, equals));
    if (option == nullptr || option->get_items_expected_max() > 0) continue;
    throw usage_error(
        fmt::format("{} takes no value, but is given \"{}\"", argument.substr(0, equals), argument.substr(equals + 1)));
  }
}

/// A standard stream that is closed would be the next file that is opened. It becomes one that fails, as it should: the
/// input cannot be read, the outputs cannot be written.
void guard_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) ::_exit(wrong_usage);
  }
}

struct command {
  std::string_view name;
  void (*add)(CLI::App& app);
};
constexpr std::array commands{
    command{"info", add_info},       command{"strategies", add_strategies},
    command{"explain", add_explain}, command{"gen", add_gen},
    command{"split", add_split},     command{"reduce", add_reduce},
    command{"group", add_group},     command{"sort", add_sort},
    command{"bench", add_bench},     command{"tune", add_tune},
};

/// The command that the first argument names, as setting up all of them takes most of the time of a short call; all of
/// them, for their list, where it names none.
void add_commands(CLI::App& app, std::string_view first) {
  const bool named = std::ranges::any_of(commands, [&](const command& c) { return c.name == first; });
  for (const command& c : commands) {
    if (!named || c.name == first) c.add(app);
  }
}

int run(int argc, char** argv) {
  if (is_sort(argc, argv) && sorts_text(argc, argv)) return sort_text_command(argc, argv);
  CLI::App app{
      "peneira: parallel multisplit, reduce and sort on every CPU core and on NVIDIA GPUs\n"
      "K, M, G and T in sizes are powers of 1024: 64M is 67108864.",
      "peneira"};
  app.set_version_flag("--version", fmt::format("peneira {}.{}.{}", PENEIRA_VERSION_MAJOR, PENEIRA_VERSION_MINOR,
                                                PENEIRA_VERSION_PATCH));
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
      "\nExamples:\n"
      "  peneira info                                    what this machine offers\n"
      "  peneira gen --type u32 --n 64M -o keys.bin      make an input\n"
      "  peneira split keys.bin --type u32 -n 361 -o bins.bin --offsets offsets.bin\n"
      "  peneira split -t, -k 2 -n 16 --out 'part-%04d.csv' table.csv\n"
      "  peneira group -t, -k 2 --count --sum 3 table.csv\n"
      "  peneira reduce keys.bin --type u32 --op max\n"
      "  peneira sort keys.bin --type u32 -o sorted.bin\n"
      "  peneira SUBCOMMAND --help                       more on each");
  add_commands(app, argc > 1 ? argv[1] : "");
  refuse_flag_values(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return report(app, e);
  }
  return 0;
}

/// What failed, and the exit code that it makes.
int report_failure(int failure) {
  try {
    throw;
  } catch (const broken_pipe&) {
    if (!detail::broken_pipes_are_ignored) end_by(SIGPIPE);
    return say(failure, "cannot write: nobody reads the output any more");
  } catch (const not_sorted& e) {
    return say(unsorted, e.what());
  } catch (const std::bad_alloc&) {
    return say(failure, "out of memory");
  } catch (const std::invalid_argument& e) {
    return say(wrong_usage, e.what());
  } catch (const std::exception& e) {
    return say(failure, e.what());
  }
}

}  // namespace
}  // namespace peneira::tool

int main(int argc, char** argv) {
  namespace tool = peneira::tool;
  tool::guard_standard_streams();
  tool::watch_signals();
  int code = 0;
  try {
    code = tool::run(argc, argv);
  } catch (const tool::interrupted&) {
    code = 1;
  } catch (...) {
    // A call that a signal has cut short looks like one that failed.
    if (tool::caught_signal() == 0) code = tool::report_failure(tool::is_sort(argc, argv) ? 2 : 1);
  }
  if (const int signal = tool::caught_signal(); signal != 0) tool::end_by(signal);
  return code;
}
