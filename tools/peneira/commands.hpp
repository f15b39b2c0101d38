// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The subcommands: each adds itself, its options and its action to the program.
#pragma once

#include <CLI/CLI.hpp>

namespace peneira::tool {

void add_info(CLI::App& app);
void add_strategies(CLI::App& app);
void add_explain(CLI::App& app);
void add_gen(CLI::App& app);
void add_split(CLI::App& app);
void add_group(CLI::App& app);
void add_count(CLI::App& app);
void add_reduce(CLI::App& app);
void add_sort(CLI::App& app);
void add_man(CLI::App& app);
void add_completions(CLI::App& app);

/// All of the program: its name, its subcommands, and what their help says.
void describe_program(CLI::App& app);

}  // namespace peneira::tool
