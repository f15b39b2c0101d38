// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira/cli/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "peneira/config.hpp"
#include "tools/peneira/cli/ending.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/interrupt.hpp"
#include "tools/peneira/cli/suggest.hpp"
#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/cli/write.hpp"

namespace peneira::tool {
namespace {

constexpr int unsorted = 1;
constexpr int wrong_usage = 2;

int say(int code, std::string_view program, std::string_view message) {
  tell("{}: {}\n", program, message);
  return code;
}

/// The names that an argument of a command could be one of: its options, or its subcommands.
std::vector<std::string> names_like(const CLI::App& app, std::string_view given) {
  std::vector<std::string> names;
  if (!given.starts_with('-')) {
    for (const CLI::App* const sub : app.get_subcommands({})) names.push_back(sub->get_name());
    return names;
  }
  for (const CLI::Option* const option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// What to say of arguments that nobody knows.
std::string describe_unknown(const CLI::App& app, const std::vector<std::string>& unknown) {
  const std::string_view first = unknown.front();
  const std::string_view name = first.starts_with("--") ? first.substr(0, first.find('=')) : first;
  return fmt::format("unrecognized argument: {}{}", fmt::join(unknown, " "), did_you_mean(name, names_like(app, name)));
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
  std::string name = app.get_name();
  while (!deepest->get_subcommands().empty()) {
    deepest = deepest->get_subcommands().front();
    name += " " + deepest->get_name();
  }
  // CLI11 misses what is required before it sees what is unknown; the reader meant the latter.
  const std::vector<std::string> unknown = deepest->remaining();
  const std::string what = unknown.empty() ? e.what() : describe_unknown(*deepest, unknown);
  return say(wrong_usage, app.get_name(), fmt::format("{}\nTry: {} --help", what, name));
}

/// Throws where a flag is given a value: CLI11 would count with it, take it for false, or fail without a name.
void refuse_flag_values(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  for (const std::string& argument : arguments) {
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

/// Whether an argument of a command is an option whose value is the next argument.
bool takes_next(const CLI::App& command, const std::string& argument) {
  if (argument.size() < 2 || argument[0] != '-' || argument.find('=') != std::string::npos) return false;
  const auto takes = [&](const std::string& name) {
    const CLI::Option* const option = command.get_option_no_throw(name);
    return option != nullptr && option->get_items_expected_max() > 0;
  };
  if (argument[1] == '-' || argument.size() == 2) return takes(argument);
  const std::size_t first = std::find_if(argument.begin() + 1, argument.end(),
                                         [&](char letter) {
                                           return takes(std::string{'-', letter});
                                         }) -
                            argument.begin();
  return first + 1 == argument.size();  // of joined letters, the value of an earlier one is behind it
}

/// A file whose name CLI11 would take for something else: for the end of a command, a list, or an option.
bool looks_otherwise(std::string_view name, bool behind_dashes) {
  const bool in_brackets = name.starts_with('[') && name.ends_with(']');
  return name == "++" || in_brackets || (behind_dashes && name.size() > 1 && name[0] == '-');
}

/// The arguments as CLI11 takes them for what they are. It would take an empty value (--out=) for none and go on to the
/// next argument, and no file behind `--` if there was one before.
std::vector<std::string> make_plain(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> plain;
  const CLI::App* command = &app;
  bool is_value = false;
  bool operands = false;
  for (const std::string& argument : arguments) {
    if (std::exchange(is_value, false)) {
      plain.push_back(argument);
    } else if (argument == "--" && !operands) {
      operands = true;
    } else if (looks_otherwise(argument, operands)) {
      plain.push_back("./" + argument);
    } else if (!operands && argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      plain.push_back(argument.substr(0, argument.size() - 1));
      plain.emplace_back();
    } else {
      plain.push_back(argument);
      if (operands) continue;
      const auto& deeper = command->get_subcommands([&](const CLI::App* sub) { return sub->check_name(argument); });
      if (!deeper.empty()) command = deeper.front();
      is_value = takes_next(*command, argument);
    }
  }
  return plain;
}

/// Values of options in brackets are what they are, not lists.
void take_brackets_as_text(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    if (!option->get_positional()) option->allow_extra_args(false);
  }
  for (CLI::App* const sub : app.get_subcommands({})) take_brackets_as_text(*sub);
}

/// A standard stream that is closed would be the next file that is opened. It becomes one that fails, as it should: the
/// input cannot be read, the outputs cannot be written.
void guard_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) ::_exit(wrong_usage);
  }
}

bool is_named(std::span<const command> commands, std::string_view name) {
  return std::ranges::any_of(commands, [&](const command& c) { return c.name == name; });
}

/// The command that the first argument names, as setting up all of them takes most of the time of a short call; all of
/// them, for their list, where it names none.
void add_commands(CLI::App& app, std::span<const command> commands, std::string_view first) {
  const bool named = is_named(commands, first);
  for (const command& c : commands) {
    if (!named || c.name == first) c.add(app);
  }
}

void add_version(CLI::App& app, const std::string& version) {
  app.set_version_flag(app.get_option_no_throw("-V") != nullptr ? "--version" : "-V,--version", version);
  for (CLI::App* const sub : app.get_subcommands({})) add_version(*sub, version);
}

/// `help COMMAND...` as `COMMAND... --help`, which may be shortened as by GNU sort.
std::vector<std::string> translate_help(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string help = "--help";
  const auto is_help = [&](const std::string& a) { return a.size() > 3 && help.starts_with(a); };
  std::replace_if(arguments.begin(), std::find(arguments.begin(), arguments.end(), "--"), is_help, help);
  if (arguments.empty() || arguments.front() != "help") return arguments;
  std::erase(arguments, "help");
  arguments.emplace_back("--help");
  return arguments;
}

/// What failed, and the exit code that it makes.
int report_failure(std::string_view program, int failure) {
  try {
    throw;
  } catch (const broken_pipe&) {
    if (!detail::broken_pipes_are_ignored) end_by(SIGPIPE);
    return say(failure, program, "cannot write: nobody reads the output any more");
  } catch (const not_sorted& e) {
    return say(unsorted, program, e.what());
  } catch (const std::bad_alloc&) {
    return say(failure, program, "out of memory");
  } catch (const std::invalid_argument& e) {
    return say(wrong_usage, program, e.what());
  } catch (const std::exception& e) {
    return say(failure, program, e.what());
  }
}

}  // namespace

void add_version_flags(CLI::App& app) {
  add_version(app, fmt::format("{} {}.{}.{}", app.get_name(), PENEIRA_VERSION_MAJOR, PENEIRA_VERSION_MINOR,
                               PENEIRA_VERSION_PATCH));
}

int run_commands(CLI::App& app, std::span<const command> commands, int argc, char** argv) {
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  std::vector<std::string> arguments = translate_help(argc, argv);
  add_commands(app, commands, arguments.empty() ? "" : arguments.front());
  add_version_flags(app);
  const auto is_first = [&](const CLI::App* sub) { return sub->check_name(arguments.front()); };
  if (!arguments.empty() && !arguments.front().starts_with('-') && app.get_subcommands(is_first).empty()) {
    const std::string what = describe_unknown(app, {arguments.front()});
    return say(wrong_usage, app.get_name(), fmt::format("{}\nTry: {} --help", what, app.get_name()));
  }
  refuse_flag_values(app, arguments);
  take_brackets_as_text(app);
  arguments = make_plain(app, arguments);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    return report(app, e);
  }
  return 0;
}

int run_program(std::string_view name, int failure, const std::function<int()>& work) {
  guard_standard_streams();
  watch_signals();
  int code = 0;
  try {
    code = work();
  } catch (const interrupted&) {
    code = 1;
  } catch (...) {
    // A call that a signal has cut short looks like one that failed.
    if (caught_signal() == 0 || outputs_are_complete()) code = report_failure(name, failure);
  }
  if (const int signal = caught_signal(); signal != 0 && !outputs_are_complete()) end_by(signal);
  return code;
}

}  // namespace peneira::tool
