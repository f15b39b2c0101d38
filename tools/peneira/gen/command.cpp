// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira gen: inputs of any size, the same on every machine and with any number of threads.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/inputs.hpp"
#include "bench/text_lines.hpp"
#include "tools/peneira/cli/options.hpp"
#include "tools/peneira/cli/progress.hpp"
#include "tools/peneira/cli/team.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/io/output_file.hpp"

namespace peneira::tool {
namespace {

struct gen_options {
  std::string type;
  std::uint64_t items = 0;
  std::string shape = "uniform";
  std::uint64_t records = 0;
  std::uint64_t record_bytes = 100;
  std::uint64_t lines = 0;
  std::string text = "random";
  std::uint64_t seed = 1;
  std::string out = "-";
  unsigned threads = 0;
  bool force = false;
  bool quiet = false;

  [[nodiscard]] unsigned team() const { return team_of(threads); }
};

template <class T>
void generate_items(const gen_options& o) {
  if (o.items > std::numeric_limits<std::uint64_t>::max() / sizeof(T))
    throw usage_error("--n: the output would be too large");
  const bench::distribution shape = bench::parse_distribution(o.shape);
  constexpr std::size_t chunk = (std::size_t{16} << 20U) / sizeof(T);
  sink out(o.out, o.force);
  progress bar("gen", o.items * sizeof(T), progress::unit::bytes, o.quiet);
  std::vector<T> buffer(std::min<std::size_t>(chunk, o.items));
  for (std::size_t first = 0; first < o.items; first += chunk) {
    poll_interrupt();
    const std::size_t count = std::min<std::size_t>(chunk, o.items - first);
    on_slices(o.team(), count, [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
      bench::fill(buffer.data() + begin, first + begin, end - begin, o.items, shape, o.seed);
    });
    out.write(buffer.data(), count * sizeof(T));
    bar.add(count * sizeof(T));
  }
  out.commit();
}

/// Records of the sort benchmark's kind: 8 bytes of the distribution and 2 random ones, which are the key, the record's
/// number, and random bytes to the end. Numbers are written from their highest byte down, as memcmp() compares them.
void generate_records(const gen_options& o) {
  if (o.records > std::numeric_limits<std::uint64_t>::max() / o.record_bytes)
    throw usage_error("--records: the output would be too large");
  const bench::distribution shape = bench::parse_distribution(o.shape);
  constexpr std::uint64_t another = 0x7265636F7264U;  // so that the rest does not repeat the key
  const std::size_t chunk = std::max<std::size_t>(1, (std::size_t{16} << 20U) / o.record_bytes);
  sink out(o.out, o.force);
  progress bar("gen", o.records * o.record_bytes, progress::unit::bytes, o.quiet);
  std::vector<char> buffer(std::min<std::size_t>(chunk, o.records) * o.record_bytes);
  for (std::size_t first = 0; first < o.records; first += chunk) {
    poll_interrupt();
    const std::size_t count = std::min<std::size_t>(chunk, o.records - first);
    on_slices(o.team(), count, [&](unsigned /*member*/, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        char* const record = buffer.data() + i * o.record_bytes;
        std::size_t at = 0;
        const auto append = [&](std::uint64_t number, int bytes) {
          for (int b = bytes - 1; b >= 0 && at < o.record_bytes; --b) {
            record[at++] = static_cast<char>(number >> (8U * static_cast<unsigned>(b)));
          }
        };
        std::uint64_t key = 0;
        bench::fill(&key, first + i, 1, o.records, shape, o.seed);
        bench::draws from(o.seed ^ another, first + i);
        append(key, 8);
        append(from.next(), 2);
        append(first + i, 8);
        while (at < o.record_bytes) append(from.next(), 8);
      }
    });
    out.write(buffer.data(), count * o.record_bytes);
    bar.add(count * o.record_bytes);
  }
  out.commit();
}

void generate_lines(const gen_options& o) {
  const auto* const kind = std::find_if(bench::text_kinds.begin(), bench::text_kinds.end(),
                                        [&](const bench::text_kind& k) { return k.name == o.text; });
  constexpr std::size_t chunk = 1U << 17U;
  sink out(o.out, o.force);
  progress bar("gen", o.lines, progress::unit::lines, o.quiet);
  std::vector<std::string> parts(o.team());
  for (std::size_t first = 0; first < o.lines; first += chunk) {
    poll_interrupt();
    const std::size_t count = std::min<std::size_t>(chunk, o.lines - first);
    on_slices(o.team(), count, [&](unsigned m, std::size_t begin, std::size_t end) {
      parts[m].clear();
      for (std::size_t i = begin; i < end; ++i) {
        kind->append(parts[m], o.seed, first + i);
        parts[m] += '\n';
      }
    });
    for (const std::string& part : parts) out.write(part.data(), part.size());
    bar.add(count);
  }
  out.commit();
}

}  // namespace

void add_gen(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("gen", "Generate an input: binary items, records or lines of text");
  const auto o = std::make_shared<gen_options>();
  std::vector<std::string> kinds;
  kinds.reserve(std::size(bench::text_kinds));
  for (const bench::text_kind& k : bench::text_kinds) kinds.emplace_back(k.name);
  const std::vector<std::string> shapes(bench::distribution_names.begin(), bench::distribution_names.end());

  auto* const type = add_item_type(*sub, o->type, "Binary items of this type");
  auto* const items = add_size(*sub, "--n", o->items, "Number of items");
  auto* const shape = sub->add_option("--dist", o->shape, "Distribution over the range of the type; floats: [0, 1)")
                          ->check(CLI::IsMember(shapes))
                          ->capture_default_str();
  auto* const records = add_size(*sub, "--records", o->records, "Number of binary records");
  auto* const size = add_size(*sub, "--size", o->record_bytes, "Bytes of a record (default 100)", 1);
  auto* const lines = add_size(*sub, "--lines", o->lines, "Number of lines of text");
  auto* const text = sub->add_option("--text", o->text, "Content of the lines; csv: id,key,value,word")
                         ->check(CLI::IsMember(kinds))
                         ->capture_default_str();
  add_whole(*sub, "--seed", o->seed, "Seed of the random numbers");
  sub->add_option("-o,--out", o->out, "Output file; -: standard output")->capture_default_str();
  add_threads(*sub, o->threads);
  sub->add_flag("--force", o->force, "Replace an existing output");
  sub->add_flag("--quiet", o->quiet, "No progress bar");
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
    with_item_type(o->type, [&]<class T>(std::type_identity<T>) { generate_items<T>(*o); });
  });
}

}  // namespace peneira::tool
