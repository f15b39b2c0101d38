// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort: which of the two sorts it is, the options of the binary one, and the help of both.
#include "tools/peneira/sort.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <string_view>

#include "tools/peneira/commands.hpp"
#include "tools/peneira/errors.hpp"
#include "tools/peneira/sort_text.hpp"

namespace peneira::tool {

bool sorts_text(int argc, char** argv) {
  constexpr std::string_view others[] = {"--type", "--record", "--help"};
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") break;
    const std::string_view name = argument.substr(0, argument.find('='));
    if (std::find(std::begin(others), std::end(others), name) != std::end(others)) return false;
  }
  return true;
}

void add_sort(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("sort", "Sort binary items or records, or lines of text as GNU sort does");
  sub->set_help_flag("--help", "Print this help message and exit");
  sub->footer("\n" + std::string(sort_text_help()));
  sub->allow_extras();
  sub->callback([] { throw usage_error("sort: binary items cannot be sorted yet"); });
}

}  // namespace peneira::tool
