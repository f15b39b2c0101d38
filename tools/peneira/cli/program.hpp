// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the programs have in common: how they begin, read their command line, and end.
//
// Exit codes: 0 done; 1 it failed; 2 the command line is wrong. A sort fails with 2, since 1 means "not sorted". A
// signal ends the program as if nobody had caught it: 128 + signal to a shell.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string_view>

namespace peneira::tool {

/// A subcommand, which adds itself with its options and its action.
struct command {
  std::string_view name;
  void (*add)(CLI::App& app);
};

/// Every command says its version; -V is for sort what GNU sort has it for.
void add_version_flags(CLI::App& app);

/// Runs the subcommand that the arguments name; returns the exit code. Help and version go to standard output, what is
/// wrong with the command line to standard error.
int run_commands(CLI::App& app, std::span<const command> commands, int argc, char** argv);

/// The body of main(): calls work() with its standard streams open and with signals watched, and returns its exit code.
/// What it throws becomes a line on standard error that begins with the program's name, and the exit code `failure`, or
/// 2 if the command line is to blame.
int run_program(std::string_view name, int failure, const std::function<int()>& work);

}  // namespace peneira::tool
