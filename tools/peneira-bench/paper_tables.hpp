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

/// The rows of a table, out of all rows; empty where none is its. `padded` lines its columns up for a terminal.
std::string print_paper_table(const table_layout& layout, const nlohmann::ordered_json& rows, bool padded);

}  // namespace peneira::tool
