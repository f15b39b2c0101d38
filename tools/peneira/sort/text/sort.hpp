// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort on lines of text, as main(), the help of `peneira sort` and peneira-mpi call it.
#pragma once

#include <string_view>

#include "tools/peneira/sort/text/input.hpp"
#include "tools/peneira/sort/text/options.hpp"
#include "tools/peneira/sort/text/output.hpp"

namespace peneira::tool {

/// Sorts text as GNU sort does. The arguments are those of main(): argv[1] is "sort", and the options follow. Returns
/// the exit code; what fails is thrown.
int sort_text_command(int argc, char** argv);

/// The part of `peneira sort --help` that speaks of text: whole lines, at most 120 columns, a newline at the end.
std::string_view sort_text_help();

/// Draws what random orders and samples go by, where there are any, and tells the keys.
random_salt make_salt(sort_text_options& o);

/// Writes what was asked for, of options that are complete: the inputs were opened, and the locale is known.
void write_result(const sort_text_options& o, const random_salt& salt, input_opener& inputs, byte_sink& out);

}  // namespace peneira::tool
