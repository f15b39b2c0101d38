// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The options that `peneira group` and `peneira count` have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/group/group.hpp"
#include "tools/peneira/text/reader.hpp"

namespace peneira::tool {

/// The parts of a list that commas separate; an empty list has one, empty.
inline std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream text(list);
  for (std::string part; std::getline(text, part, ',');) parts.push_back(part);
  if (parts.empty()) parts.emplace_back();
  return parts;
}

/// What is read, and by which key.
inline void add_group_input(CLI::App& sub, group_options& o, const std::string& without_key) {
  sub.add_option("inputs", o.inputs, "Input files; - or none is standard input");
  sub.add_option_function<std::string>(
         "-k,--key",
         [&o](const std::string& list) {
           for (const std::string& part : split_list(list)) o.keys.push_back(part);
         },
         "Key field, from 1, or a name with --header; several: 1,3; without it, " + without_key)
      ->trigger_on_parse()
      ->type_name("FIELD");
  sub.add_option(separator_names, o.separator, "Field separator, of the output too (default: tab)")
      ->check(refuse_empty);
  sub.add_flag("-W,--whitespace", o.blanks, "Fields are separated by runs of blanks; the output by tabs");
  sub.add_flag("--csv", o.csv, "Quoted fields may hold separators, \"\" and newlines (RFC 4180); -t: comma");
  sub.add_flag("--tsv", o.tsv, "The same with -t '\\t'");
  sub.add_flag("--header", o.header, "Each input begins with a header; fields have names, the output a header");
}

/// What is written, in which order, and what it may take.
inline void add_group_output(CLI::App& sub, group_options& o, const std::string& order) {
  sub.add_option("--order-by", o.order_by, "Order of the rows: " + order)->type_name("RESULT");
  add_size(sub, "--top", o.top, "The first so many rows of that order alone", 1)->type_name("N");
  sub.add_option("--format", o.format, "csv, tsv, json (a line a row) or table (aligned); default: as the input")
      ->check(CLI::IsMember({"csv", "tsv", "json", "table"}));
  sub.add_option(output_names, o.out, "Output file; -: standard output")->capture_default_str();
  sub.add_flag("--force", o.force, "Replace an existing output");
  constexpr std::uint64_t least_memory = std::uint64_t{1} << 16U;
  add_memory(sub, memory_names, o.memory,
             "Memory to use, at least 64K; from 1M on the process takes at most 8M more, 12M where zstd decompresses "
             "(default: half of the machine's)",
             least_memory);
  sub.add_option(folder_names, o.folder, "Folder for temporary files (default: $TMPDIR or /tmp)");
  add_threads(sub, o.threads);
}

}  // namespace peneira::tool
