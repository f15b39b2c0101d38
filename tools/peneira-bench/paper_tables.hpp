// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The tables of papers as Markdown, from the rows of a result file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/peneira-bench/papers.hpp"

namespace peneira::tool {

/// What a result file keeps of a layout, and back.
nlohmann::ordered_json layout_json(const table_layout& layout);
table_layout layout_of(const nlohmann::ordered_json& kept);

/// Which of the times of some runs a table shows: their mean, as the papers do, where all rows have one; or the median.
enum class shown_time { mean, median };

/// The rows of a table, out of all rows; empty where none is its. `padded` lines its columns up for a terminal.
std::string print_paper_table(const table_layout& layout, const nlohmann::ordered_json& rows, bool padded,
                              shown_time shown = shown_time::mean);

}  // namespace peneira::tool
