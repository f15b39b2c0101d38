// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira count: the command line. It is a group by the key whose one result is the count.
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/peneira/commands.hpp"
#include "tools/peneira/group/options.hpp"

namespace peneira::tool {

void add_count(CLI::App& app) {
  CLI::App* const sub =
      app.add_subcommand("count", "Count how often each line, or each value of a field, occurs: most frequent first");
  const auto o = std::make_shared<group_options>();
  o->command = "count";
  o->aggregates = {{&aggregate_kind_of("count"), "", ""}};
  o->whole_lines = true;
  o->results_first = true;
  o->order_by = "count";
  add_group_input(*sub, *o, "whole lines");
  add_group_output(*sub, *o, "count or key, the greatest first, with :asc the least (default: count)");
  add_quiet(*sub, o->quiet);
  sub->footer(
      "\nAs sort | uniq -c | sort -rn would, but by hashing, whatever the order of the lines: one line a value, first\n"
      "how often it occurs, then the value; of values that are equally frequent the first by its bytes comes first.\n"
      "A carriage return at the end of a line is left out. Fields, --csv, --header, -S and temporary files are those "
      "of\n"
      "group: peneira group --help.\n"
      "\nExamples:\n"
      "  peneira count words.txt\n"
      "  peneira count -t, -k 2 --top 10 table.csv\n"
      "  peneira count --csv --header -k country,year --format table sales-*.csv\n"
      "  peneira count -W -k 1 --top 20 access.log.gz\n"
      "  peneira count -t, -k 2 --order-by key:asc -S 1G table.csv -o counts.csv");
  sub->callback([o] { group_text(*o); });
}

}  // namespace peneira::tool
