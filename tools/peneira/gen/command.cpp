// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of peneira gen.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "bench/inputs.hpp"
#include "bench/text_lines.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/gen/gen.hpp"

namespace peneira::tool {

void add_gen(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("gen", "Generate an input: binary items, records or lines of text");
  const auto o = std::make_shared<gen_options>();
  std::vector<std::string> kinds;
  kinds.reserve(std::size(bench::text_kinds));
  for (const bench::text_kind& k : bench::text_kinds) kinds.emplace_back(k.name);
  const std::vector<std::string> shapes(bench::distribution_names.begin(), bench::distribution_names.end());

  auto* const type = add_item_type(*sub, o->type, "Binary items of this type");
  auto* const items = add_size(*sub, "--n", o->items, "Number of items");
  auto* const shape =
      sub->add_option("--dist", o->shape,
                      "Distribution over the range of the type; floats: [0, 1); the last four: whole numbers")
          ->check(CLI::IsMember(shapes))
          ->capture_default_str();
  auto* const records = add_size(*sub, "--records", o->records, "Number of binary records");
  auto* const size = add_size(*sub, "--size", o->record_bytes, "Bytes of a record (default 100)", 1);
  auto* const lines = add_size(*sub, "--lines", o->lines, "Number of lines of text");
  auto* const text = sub->add_option("--text", o->text, "Content of the lines; csv: id,key,value,word")
                         ->check(CLI::IsMember(kinds))
                         ->capture_default_str();
  add_whole(*sub, "--seed", o->seed, "Seed of the random numbers");
  sub->add_option(output_names, o->out, "Output file; -: standard output")->capture_default_str();
  add_threads(*sub, o->threads);
  sub->add_flag("--force", o->force, "Replace an existing output");
  add_quiet(*sub, o->quiet);
  for (CLI::Option* const binary : {type, items, shape, records, size}) {
    for (CLI::Option* const line : {lines, text}) binary->excludes(line);
  }
  type->excludes(records);
  size->needs(records);
  type->needs(items);
  items->needs(type);
  text->needs(lines);
  sub->footer(
      "\nThe same options make the same bytes on every machine. Binary items are in the machine's byte order.\n"
      "A record is a key of 10 bytes, 8 of the distribution and 2 random ones, its number in 8 bytes, and random "
      "bytes.\n"
      "\nExamples:\n"
      "  peneira gen --type u32 --n 64M --dist zipf --seed 7 -o keys.bin\n"
      "  peneira gen --records 10M --size 100 -o records.bin\n"
      "  peneira gen --lines 10M --text url -o urls.txt\n"
      "  peneira gen --lines 1M --text csv | peneira split -t, -k 2 -n 16 --out 'part-%02d.csv'");
  sub->callback([o, type, records, lines] {
    if (type->count() + records->count() + lines->count() == 0) {
      throw usage_error("gen: one of --type with --n, --records or --lines is required");
    }
    if (lines->count() > 0) return generate_lines(*o);
    if (records->count() > 0) return generate_records(*o);
    generate_items(*o);
  });
}

}  // namespace peneira::tool
