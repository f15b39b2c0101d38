// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira split: a file of binary items into bins, or lines of text into shards.
#include "tools/peneira/split/split.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/cli/tell.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/io/mapped_file.hpp"
#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/text/reader.hpp"

namespace peneira::tool {

std::vector<std::string> read_splitters(const std::string& from) {
  std::vector<std::string> all;
  const auto read = [&all](std::istream& text, char separator) {
    for (std::string one; std::getline(text, one, separator);) all.push_back(one);
  };
  if (from.starts_with('@')) {
    const std::string path = from.substr(1);
    input_file file(path);
    std::istringstream text(read_whole(file));
    read(text, '\n');
    for (std::string& one : all) {
      if (one.ends_with('\r')) one.pop_back();  // as of the keys of text
    }
  } else {
    std::istringstream text(from);
    read(text, ',');
  }
  return all;
}

void summarise_split(const std::vector<std::uint64_t>& offsets, std::string_view things, std::string_view bins,
                     std::uint64_t bytes, std::chrono::steady_clock::duration took) {
  std::uint64_t largest = 0;
  std::uint64_t smallest = offsets.back();
  std::uint64_t empty = 0;
  for (std::size_t b = 0; b + 1 < offsets.size(); ++b) {
    const std::uint64_t size = offsets[b + 1] - offsets[b];
    largest = std::max(largest, size);
    smallest = std::min(smallest, size);
    empty += size == 0 ? 1 : 0;
  }
  const double seconds = std::chrono::duration<double>(took).count();
  tell("{} {}, {} into {} {}: largest {}, smallest {}, empty {}\n", offsets.back(), things,
       print_bytes(static_cast<double>(bytes)), offsets.size() - 1, bins, largest, smallest, empty);
  tell("{:.3f} s, {} {}/s, {}/s\n", seconds, print_count(static_cast<double>(offsets.back()) / seconds), things,
       print_bytes(static_cast<double>(bytes) / seconds));
}

void add_split(CLI::App& app) {
  using option_list = std::vector<CLI::Option*>;
  CLI::App* const sub = app.add_subcommand("split", "Split binary items into bins, or lines of text into shards");
  const auto o = std::make_shared<split_options>();
  sub->add_option("inputs", o->inputs, "Input files; - is standard input, as is none for text");
  sub->add_option("--by", o->by, "Binary: range (default), hash, digit, splitters. Text: hash (default), range")
      ->check(CLI::IsMember({"range", "hash", "digit", "splitters"}));
  add_size(*sub, "-n,--bins", o->bins, "Bins, or shards", 1);
  sub->add_option(output_names, o->out,
                  wrap_help("Output file; text: a pattern with a number, such as part-%04d.csv, or with the key in "
                            "braces, {city}.csv, a file for each"))
      ->required();
  sub->add_option("--splitters", o->splitters, "First key of every bin but the first: a,b,c, or @file, one a line");
  add_threads(*sub, o->threads);
  sub->add_flag("--force", o->force, "Replace existing outputs");
  add_quiet(*sub, o->quiet, "No progress bar, no summary");

  auto* const type = add_item_type(*sub, o->type, "Type of the items (default: the input is text)");
  auto* const shift =
      sub->add_option("--shift", o->shift, "digit: its lowest bit")->check(CLI::Range(0, 63))->capture_default_str();
  auto* const bits = sub->add_option("--bits", o->bits, "digit: its bits; there are 2^bits bins")
                         ->check(CLI::Range(1, 31))
                         ->capture_default_str();
  const option_list binary{
      sub->add_option("--offsets", o->offsets, "File for the bins + 1 offsets, 64 bits each, little-endian"),
      sub->add_option("--lo", o->lo, "range: lowest key (default: the lowest of the input)"),
      sub->add_option("--hi", o->hi, "range: highest key (default: the highest of the input)"),
      shift,
      bits,
      sub->add_option("--place", o->place, "Where to run; auto: where it is sooner done, by a measurement that is kept")
          ->check(CLI::IsMember({"cpu", "gpu", "auto"}))
          ->capture_default_str(),
      sub->add_option("--strategy", o->strategy, "A name from `peneira strategies` (default: automatic)"),
      add_report(*sub, o->report)};
  const option_list text{
      sub->add_option(separator_names, o->separator, "Field separator; \\t is a tab (default: runs of blanks)")
          ->check(refuse_empty),
      sub->add_option("-k,--key", o->key, "Key fields, from 1, or names with --header: 2,3 (default: the whole line)")
          ->type_name("FIELDS")
          ->check([](const std::string& said) { return said.empty() ? "must name a field, but is \"\"" : ""; }),
      sub->add_flag("--csv", o->csv, "Quoted fields may hold separators, \"\" and newlines (RFC 4180); -t: comma"),
      sub->add_flag("--tsv", o->tsv, "The same with -t '\\t'"),
      sub->add_flag("--header", o->header, "Each input begins with the same header; it goes to every shard"),
      add_size(*sub, "--top", o->top, "The so many most frequent keys, by a sample, have a shard each, the first ones",
               1),
      add_size(*sub, "-l,--lines", o->lines, "A new file after this many lines, instead of -n", 1),
      add_size(*sub, "--size", o->size, "A new file before one has more than this many bytes, of whole lines", 1),
      add_size(*sub, "--chunk", o->chunk_bytes, "Bytes to read at a time (default 32M)", 1)};
  for (CLI::Option* const option : binary) option->group("Binary items");
  for (CLI::Option* const option : text) option->group("Text");
  type->group("Binary items");

  sub->footer(
      "\nOrder is kept within a bin and within a shard. Outputs appear under their names when all are complete;\n"
      "no signal comes between them but SIGKILL, which may leave some, and hidden files, .peneira.*.tmp. An input "
      "that\n"
      "is mapped, as binary items of a plain file are, must not change meanwhile.\n"
      "mpirun -n P peneira split --type ... shares the items of a file out over processes.\n"
      "A shard is chosen by a hash of the key that is the same on every run and machine; --by range by the order of\n"
      "the keys' bytes, against --splitters or against a sample of the input. Several fields are one key, with the\n"
      "separator between them, or a blank.\n"
      "--lines and --size fill one file after the other: records, and bytes with the header; one that is larger has a\n"
      "file for itself. Shards named .gz or .zst are compressed, by all threads; --size counts bytes before that.\n"
      "--out '{}.csv' makes a file for each key, at most 100,000; {city} is -k city, {city,day} -k city,day. What no "
      "file name should have is\n"
      "written as in URLs: a slash is %2F, a percent sign %25, an empty key % alone. Without lines there are no "
      "files.\n"
      "Text: a line without the field of -k is an error that names the line; so is, with --header, an input whose\n"
      "header is not the first one's. With --csv a field is quoted where its first byte is a quote; any other quote "
      "is\n"
      "text, and a quoted field that does not end is an error. A byte order mark of UTF-8 at the start of an input is\n"
      "left out. Input that gzip or zstd has compressed is decompressed; other compressed input is refused.\n"
      "\nExamples:\n"
      "  peneira split keys.bin --type u32 -n 361 -o bins.bin --offsets offsets.bin\n"
      "  peneira split keys.bin --type f64 --by splitters --splitters 0.1,0.5,0.9 -o bins.bin\n"
      "  peneira split --csv --header -k city -n 16 --out 'part-%04d.csv' table.csv\n"
      "  peneira split --csv --header -k city -n 16 --top 3 --out 'part-%04d.csv' table.csv\n"
      "  peneira split --csv --header --out 'by-city/{city}.csv' table.csv\n"
      "  peneira split --csv --header --lines 1M --out 'part-%02d.csv' table.csv\n"
      "  peneira split -k 1 -n 64 --out 'log-%02d.txt.zst' log.gz");
  sub->callback([o, type, shift, bits, binary, text] {
    const bool is_binary = type->count() > 0;
    for (const CLI::Option* const other : is_binary ? text : binary) {
      if (other->count() == 0) continue;
      throw usage_error(fmt::format("split: {} is for {}", other->get_name(),
                                    is_binary ? "text, but --type asks for binary items" : "binary items: add --type"));
    }
    for (const CLI::Option* const of_digit : {shift, bits}) {
      if (of_digit->count() > 0 && o->by != "digit") {
        throw usage_error(fmt::format("split: {} is for --by digit", of_digit->get_name()));
      }
    }
    refuse_stdout("--out", o->out);
    refuse_stdout("--offsets", o->offsets);
    if (is_binary) refuse_compressed_name("--out", o->out);
    refuse_compressed_name("--offsets", o->offsets);
    is_binary ? split_binary(*o) : split_text(*o);
  });
}

}  // namespace peneira::tool
