// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort, as main() sees it.
#pragma once

namespace peneira::tool {

/// Whether the arguments of main(), of which argv[1] is "sort", ask for lines of text: there is no --type, no --record
/// and no --help. Such arguments are for sort_text_command, as GNU sort writes options in ways that CLI11 does not
/// read; all others are for CLI11.
bool sorts_text(int argc, char** argv);

}  // namespace peneira::tool
