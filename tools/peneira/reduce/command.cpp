// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira reduce: the items of a file combined by an operator, all of them or segment by segment.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <stdexcept>
#include <string>

#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/gpu.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/reduce/reduce.hpp"

namespace peneira::tool {
namespace {

void check_request(const reduce_request& o) {
  if (o.type.starts_with('f') && (o.op == "and" || o.op == "or" || o.op == "xor")) {
    throw usage_error(fmt::format("--op {}: is for integers, not {}", o.op, o.type));
  }
  if (o.place == "gpu") {
    require_gpu();
    if (depends_on_grouping(o)) {
      throw usage_error(
          fmt::format("--place gpu: a {} of {} depends on how items are grouped, which only the CPU does "
                      "as the CPU does",
                      o.op, o.type));
    }
  }
}

}  // namespace

void add_reduce(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("reduce", "Combine the items of a binary file: all, or by segments");
  const auto o = std::make_shared<reduce_request>();
  sub->add_option("input", o->input, "Input file; - is standard input")->required()->type_name("FILE");
  add_item_type(*sub, o->type, "Type of the items")->required();
  sub->add_option("--op", o->op, "Reduction operator")
      ->check(CLI::IsMember({"sum", "product", "min", "max", "argmin", "argmax", "mean", "count", "and", "or", "xor"}))
      ->capture_default_str();
  auto* const segments = sub->add_option("--segments", o->segments,
                                         "File of n + 1 offsets that bound n segments, as split --offsets writes");
  sub->add_option("--offset-type", o->offset_type, "Type of the offsets")
      ->check(CLI::IsMember({"u32", "u64"}))
      ->capture_default_str()
      ->needs(segments);
  add_size(*sub, "--every", o->every, "Segments of this many items each; the last may be shorter", 1)
      ->excludes(segments);
  sub->add_option(output_names, o->out, "Output file; -: standard output")->capture_default_str();
  sub->add_flag("--binary", o->binary, "Write results in binary, not as lines of text");
  sub->add_flag("--force", o->force, "Replace an existing output");
  sub->add_option("--place", o->place, "Where to run; auto: where it is sooner done, by a measurement that is kept")
      ->check(CLI::IsMember({"cpu", "gpu", "auto"}))
      ->capture_default_str();
  sub->add_option("--strategy", o->strategy, "A name from `peneira strategies` (default: automatic)");
  add_threads(*sub, o->threads);
  add_quiet(*sub, o->quiet, "No effect: only results are printed anyway");
  add_report(*sub, o->report);
  sub->footer(
      "\nOne result a line. Sums of integers go into 64 bits, of 64-bit integers into 128: they cannot overflow. Sums\n"
      "of f32 and f64, products of both and all means are f64; products of integers are modulo 2^64. min, max, and,\n"
      "or, xor have the type of the items. argmin and argmax give the position in the file, from 0, of the first\n"
      "such item, a tab, and the item. Where an item is NaN, so are the least and the greatest, and argmin and argmax\n"
      "give the first NaN. What an empty segment does not have is none. --binary writes sums of 64-bit integers as 64\n"
      "bits or fails, of argmin and argmax the position (u64), count as u64, and for none the operator's identity.\n"
      "Float results are the same on every run and with any number of threads; sums are at least as close as pairwise\n"
      "ones.\n"
      "mpirun -n P peneira reduce ... shares the segments of a file out over processes.\n"
      "\nExamples:\n"
      "  peneira reduce keys.bin --type u32                        the sum\n"
      "  peneira reduce samples.bin --type f32 --op max --every 128\n"
      "  peneira split keys.bin --type u32 -n 361 -o bins.bin --offsets offsets.bin\n"
      "  peneira reduce bins.bin --type u32 --segments offsets.bin --op mean");
  sub->callback([o] {
    check_request(*o);
    reduce_file(*o);
  });
}

}  // namespace peneira::tool
