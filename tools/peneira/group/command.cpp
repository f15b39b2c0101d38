// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira group: the command line.
#include "tools/peneira/group/group.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/group/options.hpp"

namespace peneira::tool {
namespace {

/// What a part of an option's list asks for, such as 3 or, of a percentile, 95:3.
aggregate_request parse_request(const aggregate_kind& kind, const std::string& part) {
  if (kind.what != aggregate_kind::takes::argument_and_field) return {&kind, part, ""};
  const std::size_t colon = part.find(':');
  if (colon == std::string::npos || colon == 0) {
    throw usage_error(fmt::format("group: --{}: must be a number, a colon and a field, such as 95:3, but is \"{}\"",
                                  kind.name(), part));
  }
  return {&kind, part.substr(colon + 1), part.substr(0, colon)};
}

void add_aggregate(CLI::App& sub, group_options& o, const aggregate_kind& kind) {
  std::string names;
  for (const std::string& name : split_list(std::string(kind.names))) names += (names.empty() ? "--" : ",--") + name;
  const std::string help(kind.help);
  constexpr auto heading = "Aggregates, in the order of the output";
  if (kind.what == aggregate_kind::takes::nothing) {
    const auto add = [&o, &kind](std::int64_t times) {
      for (; times > 0; --times) o.aggregates.push_back({&kind, "", ""});
    };
    sub.add_flag_function(names, add, help)->trigger_on_parse()->group(heading);
    return;
  }
  const auto add = [&o, &kind](const std::string& list) {
    for (const std::string& part : split_list(list)) o.aggregates.push_back(parse_request(kind, part));
  };
  const bool has_argument = kind.what == aggregate_kind::takes::argument_and_field;
  sub.add_option_function<std::string>(names, add, help)
      ->trigger_on_parse()
      ->type_name(has_argument ? "P:FIELD" : "FIELD")
      ->group(heading);
}

}  // namespace

void add_group(CLI::App& app) {
  CLI::App* const sub =
      app.add_subcommand("group", "Group lines of text or CSV by a key, and sum, count, ... each group");
  const auto o = std::make_shared<group_options>();
  add_group_input(*sub, *o, "all lines are one group");
  for (const aggregate_kind& kind : aggregate_kinds()) add_aggregate(*sub, *o, kind);
  sub->add_flag("--approx", o->approximate,
                "--distinct is estimated where it is 4096 or more, with a standard error of 1.6%, in 32 KiB a group");
  sub->add_option_function<std::string>(
         "--list-separator", [o](const std::string& text) { o->joint = text; },
         "Between texts of --concat and --unique (default: a comma, or a semicolon where fields have commas)")
      ->type_name("TEXT");
  sub->add_option_function<std::string>(
         "--bad",
         [o](const std::string& name) {
           o->bad = name == "skip" ? bad_values::skip : name == "zero" ? bad_values::zero : bad_values::fail;
         },
         "What should be a number and is none: fail, skip it or take it for zero (default: fail)")
      ->type_name("POLICY")
      ->check(CLI::IsMember({"fail", "skip", "zero"}));
  add_group_output(*sub, *o, "a result such as sum(3), or key; the greatest first, with :asc the least");
  add_quiet(*sub, o->quiet, "No progress bar, and no word of what --bad has let pass");
  sub->footer(
      "\nThe input need not be sorted. The output is, by the bytes of the keys as the input's format has them,\n"
      "separators and quotes included, whatever --format is: one line a group, first the key, then the aggregates as\n"
      "they stand on the command line.\n"
      "--order-by orders it by a result instead, named as in the header (sum(price), p95(price)) or on the command "
      "line\n"
      "(sum:3), or by kind where there is one alone (sum); equal ones by key, what is not there last. --top without "
      "it\n"
      "takes the first aggregate.\n"
      "Numbers: integers and decimals, also with an exponent, are exact to 32 digits, and all sums of them are exact,\n"
      "those of squares too: ten times 0.1 is 1, and neither the order of the lines nor --threads nor -S shows. The\n"
      "output is rounded once: whole numbers of up to 32 digits have all of them, others are the shortest text of the\n"
      "nearest double; what is beyond a double's range is an error, in the input too, but what is too small is 0.\n"
      "The P-th percentile of n values is at P/100 * (n - 1) of them, counted from 0; where that is between two "
      "values,\n"
      "as far between them, as NumPy has it. The median is the 50th. All values count, however many they are: those\n"
      "that exceed -S go to temporary files. --stdev and --var of one value are nothing: an empty field, null in "
      "JSON.\n"
      "--distinct, --mode, --first, --last, --concat and --unique take fields as texts: 1 and 1.0 are two. The line "
      "of\n"
      "a group must fit the memory, also where --concat makes it long.\n"
      "--approx: up to 4095 different texts are counted, more are estimated; two of three estimates are within 1.6% of "
      "the\n"
      "truth, 99.7% within 4.7%. The same texts give the same estimate, in any order, with any --threads and -S.\n"
      "All else in a field that should be a number, also nothing, blanks, nan and inf, is an error that names the "
      "line.\n"
      "--bad skip leaves such values out, also of lines that lack the field: the line counts, but its value does not,\n"
      "and a group without any has empty results, but a sum of 0. --bad zero takes them for 0. Both tell how many.\n"
      "With --csv a field is quoted where its first byte is a quote; any other quote is text: 5\" is 5\", and \"ab\"c "
      "is\n"
      "abc. A quoted field that does not end is an error; a record may take a quarter of -S, or 1M where that is "
      "more.\n"
      "With --header fields are found by their names in each input, also those that were given as numbers, which "
      "count\n"
      "in the first; a number beyond its fields may be a name, such as 2024.\n"
      "A byte order mark of UTF-8 at the start of an input is left out, and so is a carriage return at the end of a\n"
      "line. Input that gzip or zstd has compressed is decompressed; -o FILE.gz and -o FILE.zst are compressed.\n"
      "--format json has an object a line, names as in a header, keys as strings; bytes that are not UTF-8 become\n"
      "U+FFFD. tsv writes tabs, newlines and backslashes in fields as \\t, \\n and \\\\. table is for people.\n"
      "Without --csv and --tsv a line may be longer than -S, and then takes what it needs.\n"
      "What exceeds -S goes to temporary files that have no name: nothing of them remains, whatever happens. They "
      "take\n"
      "as much space as the groups of all parts of the input do, at most twice that while they are merged.\n"
      "\nExamples:\n"
      "  peneira group -t, -k 2 --count --sum 3 --mean 3 table.csv\n"
      "  peneira group -t, --median 3 --percentile 95:3,99:3 --stdev 3 table.csv\n"
      "  peneira group --csv --header -k country,year --sum price --max price sales-*.csv -o totals.csv\n"
      "  peneira group --csv --header -k country --sum price --distinct customer --top 10 --format table sales.csv\n"
      "  peneira group --csv --header -k city --mean temp --bad skip --format json sensors.csv\n"
      "  peneira group -W -k 1 --count --sum 10 --order-by 'sum(10)' --top 20 access.log.gz\n"
      "  peneira group -t, -k 1 --max 4 -S 8G -T /scratch huge.csv");
  sub->callback([o] {
    if (o->aggregates.empty()) throw usage_error("group: at least one of --count, --sum, --mean, ... is required");
    const bool counts_texts = std::any_of(o->aggregates.begin(), o->aggregates.end(),
                                          [](const aggregate_request& one) { return one.kind->name() == "distinct"; });
    if (o->approximate && !counts_texts) throw usage_error("group: --approx is for --distinct, which is not there");
    group_text(*o);
  });
}

}  // namespace peneira::tool
