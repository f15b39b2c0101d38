// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort on lines of text, as main() and the help of `peneira sort` call it.
#pragma once

#include <string_view>

namespace peneira::tool {

/// Sorts text as GNU sort does. The arguments are those of main(): argv[1] is "sort", and the options follow. Returns
/// the exit code; what fails is thrown.
int sort_text_command(int argc, char** argv);

/// The part of `peneira sort --help` that speaks of text: whole lines, at most 120 columns, a newline at the end.
std::string_view sort_text_help();

}  // namespace peneira::tool
