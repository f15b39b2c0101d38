// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort, as main() sees it.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace peneira::tool {

/// Whether the arguments of main(), of which argv[1] is "sort", ask for lines of text: there is no --type, no --record
/// and no --help. Such arguments are for sort_text_command, as GNU sort writes options in ways that CLI11 does not
/// read; all others are for CLI11.
inline bool sorts_text(int argc, char** argv) {
  constexpr std::string_view others[] = {"--type", "--record"};
  for (int i = 2; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") break;
    const std::string_view name = argument.substr(0, argument.find('='));
    // Help may be shortened, as by GNU sort.
    if (argument.size() > 3 && std::string_view("--help").starts_with(argument)) return false;
    if (std::find(std::begin(others), std::end(others), name) != std::end(others)) return false;
  }
  return true;
}

}  // namespace peneira::tool
