// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Figures that others measured: the files of bench/quoted.
#pragma once

#include <string>
#include <vector>

#include "bench/harness.hpp"

namespace peneira::tool {

/// The rows of a CSV file. Lines that begin with # are comments, of which one may say `# machine: NAME`; the first
/// other line names the columns, of these: peer or algorithm, table, type, op, distribution or shape, n, bins,
/// segments, threads; giga_items_per_second, seconds or milliseconds; speedup. A cell may be empty. Errors name file
/// and line.
std::vector<bench::row> read_quoted(const std::string& path);

}  // namespace peneira::tool
