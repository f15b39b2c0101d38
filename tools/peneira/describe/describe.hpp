// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The program described for others: man pages and completions, made of what --help is made of.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace peneira::tool {

/// The man page of a command, whose name is that of the program and its own: "peneira sort".
std::string man_page(const CLI::App& command, const std::string& name);

/// What a shell completes: bash, zsh or fish.
std::string completions(const CLI::App& program, const std::string& shell);

/// The subcommands, in their order.
std::vector<const CLI::App*> subcommands_of(const CLI::App& app);

/// The options that have names, in their order.
std::vector<const CLI::Option*> named_options_of(const CLI::App& app);

/// All names of an option, with their dashes.
std::vector<std::string> names_of(const CLI::Option& option);

/// Whether an option takes an argument.
bool takes_argument(const CLI::Option& option);

/// What an option's argument is called, and the words that it may be; none: any.
std::string argument_of(const CLI::Option& option);
std::vector<std::string> choices_of(const CLI::Option& option);

/// A text with each such character changed to another text.
std::string replaced(const std::string& text, char from, const std::string& to);

/// A description on one line.
std::string summary_of(const std::string& description);

}  // namespace peneira::tool
