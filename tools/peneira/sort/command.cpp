// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira sort: which of the two sorts it is, the options of the binary one, and the help of both.
#include "tools/peneira/sort/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/io/output_file.hpp"
#include "tools/peneira/sort/binary/sort.hpp"
#include "tools/peneira/sort/text/option_names.hpp"
#include "tools/peneira/sort/text/sort.hpp"

namespace peneira::tool {

namespace {

/// Adds the options that only text has, to be told: the command line of text is read elsewhere. Returns them.
std::vector<CLI::Option*> add_text_options(CLI::App& sub) {
  std::vector<CLI::Option*> added;
  const auto add = [&](const sort_option& o) {
    const std::string name = fmt::format("--{}", o.name);
    if (o.code == sort_option::version || sub.get_option_no_throw(name) != nullptr) return;
    const std::string names = o.has_letter() ? fmt::format("-{},{}", o.code, name) : name;
    const std::string text = wrap_help(o.text);
    CLI::Option* const option = o.what == sort_option::takes::nothing ? sub.add_flag(names, text)
                                                                      : sub.add_option_function<std::string>(
                                                                               names, [](const std::string&) {}, text)
                                                                            ->type_name(std::string(o.argument));
    added.push_back(option->group("Lines of text"));
  };
  for (const sort_option& o : own_sort_options) add(o);
  for (const sort_option& o : gnu_sort_options) add(o);
  return added;
}

}  // namespace

void add_sort(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("sort", "Sort binary items or records, or lines of text as GNU sort does");
  const auto o = std::make_shared<sort_request>();
  sub->set_help_flag("--help", "Print this help message and exit");  // -h means something to GNU sort
  sub->add_option("input", o->input, "Input file; - is standard input")->required()->type_name("FILE");
  auto* const type = add_item_type(*sub, o->type, "Items of this type");
  auto* const record = add_size(*sub, "--record", o->record, "Records of this many bytes", 1)->excludes(type);
  sub->add_option("-k,--key", o->key,
                  wrap_help(fmt::format("Of a record: its key bytes, FIRST:LENGTH (default: all). Of text: {}",
                                        find_sort_option("key").text)))
      ->type_name("KEY")
      ->needs(record);
  sub->add_flag("-r,--reverse,--descending", o->descending,
                "Descending order; records with equal keys keep their order");
  sub->add_option(output_names, o->out, "Output file, replaced if it exists (default: standard output)");
  sub->add_flag("-c,--check", o->check,
                "Without -o: only check whether the input is sorted. With -o: verify the output");
  add_memory(*sub, memory_names, o->memory, "Memory to use, at least 1M (default: half of the machine's)",
             sort_request::least_memory);
  sub->add_option(folder_names, o->folder, "Folder for temporary files (default: $TMPDIR or /tmp)");
  add_threads(*sub, o->threads);
  sub->add_option("--place", o->place, "Where to run; auto: where it is sooner done, by a measurement that is kept")
      ->check(CLI::IsMember({"cpu", "gpu", "auto"}))
      ->capture_default_str();
  sub->add_option("--strategy", o->strategy, "A name from `peneira strategies` (default: automatic)");
  add_quiet(*sub, o->quiet, "No progress bar, no summary");
  add_report(*sub, o->report);
  const std::vector<CLI::Option*> text = add_text_options(*sub);
  sub->footer(
      "\nBinary items need --type or --record; without either, the input is lines of text.\n"
      "\nBinary items: -0 comes before +0, NaN last. Records are compared by the bytes of their key, each from 0 to "
      "255,\n"
      "and keep their order where the keys are equal. What exceeds -S is partitioned into temporary files that have "
      "no\n"
      "name: nothing of them remains, whatever happens. What has no size, such as a pipe, is copied to one first. The\n"
      "output may be the input; it appears under its name when it is complete. --check prints the number of items and\n"
      "a checksum that does not depend on their order; after a sort it compares order and checksum before the output\n"
      "gets its name. Exit codes: 0 done, or sorted; 1 not sorted (--check); 2 it failed.\n"
      "\nExamples:\n"
      "  peneira sort keys.bin --type u32 -o sorted.bin\n"
      "  peneira sort samples.bin --type f64 -r -o samples.bin\n"
      "  peneira gen --records 10M -o records.bin\n"
      "  peneira sort records.bin --record 100 --key 0:10 -S 256M -T /scratch -o sorted.bin --check\n"
      "  peneira sort sorted.bin --record 100 --key 0:10 --check\n"
      "\nLines of text:\n" +
      std::string(sort_text_help()));
  sub->callback([o, text] {
    for (const CLI::Option* const option : text) {
      if (option->count() == 0) continue;
      throw usage_error(fmt::format("sort: {} is for lines of text, not with --type or --record", option->get_name()));
    }
    refuse_compressed_name("--out", o->out);
    sort_binary(*o);
  });
}

}  // namespace peneira::tool
