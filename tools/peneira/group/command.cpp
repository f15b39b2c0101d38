// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira group: the command line.
#include "tools/peneira/group/group.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/text/reader.hpp"

namespace peneira::tool {
namespace {

/// Calls each(part) for the parts of a list that commas separate; an empty list has one, empty.
template <class Each>
void for_each_part(const std::string& list, Each&& each) {
  if (list.empty()) each(list);
  std::istringstream text(list);
  for (std::string part; std::getline(text, part, ',');) each(part);
}

}  // namespace

void add_group(CLI::App& app) {
  CLI::App* const sub =
      app.add_subcommand("group", "Group lines of text or CSV by a key, and sum, count, ... each group");
  const auto o = std::make_shared<group_options>();
  sub->add_option("inputs", o->inputs, "Input files; - or none is standard input");
  sub->add_option_function<std::string>(
         "-k,--key", [o](const std::string& list) { for_each_part(list, [&](auto& f) { o->keys.push_back(f); }); },
         "Key field, from 1, or a name with --header; several: 1,3")
      ->required()
      ->trigger_on_parse()
      ->type_name("FIELD");
  const auto add_aggregate = [&](const std::string& name, const std::string& help) {
    sub->add_option_function<std::string>(
           "--" + name,
           [o, name](const std::string& list) {
             for_each_part(list, [&](auto& f) { o->aggregates.push_back({name, f}); });
           },
           help)
        ->trigger_on_parse()
        ->type_name("FIELD")
        ->group("Aggregates, in the order of the output");
  };
  add_aggregate("sum", "Sum of a field");
  add_aggregate("mean", "Its mean");
  add_aggregate("min", "Its least value");
  add_aggregate("max", "Its greatest value");
  sub->add_flag_function(
         "--count",
         [o](std::int64_t times) {
           for (; times > 0; --times) o->aggregates.push_back({"count", ""});
         },
         "Lines of the group")
      ->trigger_on_parse()
      ->group("Aggregates, in the order of the output");
  sub->add_option("-t,--separator", o->separator, "Field separator, of the output too (default: tab)")
      ->check(refuse_empty);
  sub->add_flag("-W,--whitespace", o->blanks, "Fields are separated by runs of blanks; the output by tabs");
  sub->add_flag("--csv", o->csv, "Quoted fields may hold separators, \"\" and newlines (RFC 4180); -t: comma");
  sub->add_flag("--header", o->header, "Each input begins with a header; fields have names, the output a header");
  sub->add_option("-o,--out", o->out, "Output file; -: standard output")->capture_default_str();
  sub->add_flag("--force", o->force, "Replace an existing output");
  constexpr std::uint64_t least_memory = std::uint64_t{1} << 16U;
  add_size(*sub, "-S,--memory", o->memory,
           "Memory to use, at least 64K; from 1M on the process takes at most 8M more (default: half of the machine's)",
           least_memory);
  sub->add_option("-T,--temporary", o->folder, "Folder for temporary files (default: $TMPDIR or /tmp)");
  add_threads(*sub, o->threads);
  sub->add_flag("--quiet", o->quiet, "No progress bar");
  sub->footer(
      "\nThe input need not be sorted. The output is, by the bytes of the keys as they are written, separators and\n"
      "quotes included: one line a group, first the key, then\n"
      "the aggregates as they stand on the command line.\n"
      "Numbers: integers and decimals, also with an exponent, are exact to 32 digits, and all sums of them are exact:\n"
      "ten times 0.1 is 1, and neither the order of the lines nor --threads nor -S shows. The output is rounded once:\n"
      "whole numbers of up to 32 digits have all of them, others are the shortest text of the nearest double; what is\n"
      "beyond a double's range is an error, in the input too, but what is too small is 0. All else in a field that is\n"
      "aggregated, also nothing, blanks, nan and inf, is an error that names the line.\n"
      "With --csv a field is quoted where its first byte is a quote; any other quote is text: 5\" is 5\", and \"ab\"c "
      "is\n"
      "abc. A quoted field that does not end is an error; a record may take a quarter of -S, or 1M where that is "
      "more.\n"
      "With --header fields are found by their names in each input, also those that were given as numbers, which "
      "count\n"
      "in the first; a number beyond its fields may be a name, such as 2024.\n"
      "A byte order mark of UTF-8 at the start of an input is left out. Compressed input is refused.\n"
      "What exceeds -S goes to temporary files that have no name: nothing of them remains, whatever happens. They "
      "take\n"
      "as much space as the groups of all parts of the input do, at most twice that while they are merged.\n"
      "\nExamples:\n"
      "  peneira group -t, -k 2 --count --sum 3 --mean 3 table.csv\n"
      "  peneira group --csv --header -k country,year --sum price --max price sales-*.csv -o totals.csv\n"
      "  zcat access.log.gz | peneira group -W -k 1 --count --sum 10 | sort -k 3 -n -r | head\n"
      "  peneira group -t, -k 1 --max 4 -S 8G -T /scratch huge.csv");
  sub->callback([o] {
    if (o->aggregates.empty())
      throw usage_error("group: at least one of --count, --sum, --mean, --min and --max is required");
    group_text(*o);
  });
}

}  // namespace peneira::tool
