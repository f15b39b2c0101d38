// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira explain: what a call would do, here or on a machine that is merely described.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "peneira/multisplit/published.hpp"
#include "peneira/multisplit/strategies.hpp"
#include "peneira/reduce/published.hpp"
#include "peneira/reduce/strategies.hpp"
#include "peneira/segmented_reduce/published.hpp"
#include "peneira/segmented_reduce/strategies.hpp"
#include "peneira/sort/published.hpp"
#include "peneira/sort/strategies.hpp"
#include "peneira/strings/published.hpp"
#include "peneira/strings/strategies.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/output_file.hpp"
#include "tools/peneira/sizes.hpp"
#include "tools/peneira/types.hpp"

namespace peneira::tool {
namespace {

/// The options of every primitive.
struct explain_options {
  std::uint64_t items = 0;
  std::string type = "u32";
  std::string place = "cpu";
  unsigned threads = 0;
  std::string strategy;
  device gpu_like;
  bool json = false;
};

struct multisplit_explain_options : explain_options {
  std::uint64_t bins = 0;
  std::size_t value_bytes = 0;
  unsigned offset_bits = 32;
  std::string within_bin = "stable";
};

struct reduce_explain_options : explain_options {
  std::string result;
  std::string grouping = "stable";
  bool ordered = false;
  std::uint64_t segments = 0;
  unsigned offset_bits = 32;
  std::uint64_t every = 0;
};

struct sort_explain_options : explain_options {
  std::size_t value_bytes = 0;
  std::string equal_keys = "stable";
  unsigned first_bit = 0;
  unsigned last_bit = 0;
  bool in_place = false;
};

struct strings_explain_options : explain_options {
  unsigned offset_bits = 64;
  unsigned index_bits = 32;
  std::uint64_t task_size = string_merge_shape{}.task_size;
  std::uint64_t block_threads = string_merge_shape{}.block_threads;
};

std::size_t bytes_of(const std::string& type) {
  std::size_t bytes = 0;
  with_item_type(type, [&]<class T>(std::type_identity<T>) { bytes = sizeof(T); });
  return bytes;
}

std::string to_json(const plan& p) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  for (const parameter& q : p.parameters) parameters[std::string(q.name)] = q.value;
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const step& s : p.steps) {
    steps.push_back({{"name", s.name}, {"grid", s.grid}, {"block", s.block}, {"shared", s.shared}});
  }
  const nlohmann::ordered_json all{{"primitive", p.primitive},
                                   {"place", p.place},
                                   {"strategy", p.strategy},
                                   {"because", p.why},
                                   {"parameters", parameters},
                                   {"steps", steps},
                                   {"temporary_bytes", p.temporary_bytes}};
  return all.dump(2) + "\n";
}

void show(const plan& made, const explain_options& o) {
  write_stdout(o.json ? to_json(made) : to_string(made));
}

void explain_multisplit(const multisplit_explain_options& o) {
  if (o.bins > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error(fmt::format("--bins: must be at most 4294967295, but is {}", o.bins));
  }
  multisplit_problem problem;
  problem.items = o.items;
  problem.bins = static_cast<std::uint32_t>(o.bins);
  problem.key_bytes = bytes_of(o.type);
  problem.value_bytes = o.value_bytes;
  problem.offset_bytes = o.offset_bits / 8;
  problem.within_bin = o.within_bin == "any" ? order::any : order::stable;
  if (o.offset_bits == 32 && o.items > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error(fmt::format("--offsets: 32 bits are too few for {} items; use 64", o.items));
  }
  using all_of_the_gpu = joined<multisplit_gpu_strategies, multisplit_published_strategies>;
  const plan made = o.place == "gpu"
                        ? pn::detail::plan_multisplit<device, all_of_the_gpu>(problem, o.gpu_like, o.strategy)
                        : pn::detail::plan_multisplit(problem, host::here().with_threads(o.threads), o.strategy);
  show(made, o);
}

/// The plan of a problem by the CPU's list or the GPU's.
template <class Cpu, class Gpu, class Problem, class Choose>
plan plan_of(std::string_view primitive, const explain_options& o, const Problem& problem, const Choose& choose) {
  const auto by = [&]<class List>(List /*list*/, const auto& machine) {
    return pn::detail::plan_by<List>(primitive, problem, machine,
                                     pn::detail::asked_or(o.strategy, [&] { return choose(problem, machine); }));
  };
  return o.place == "gpu" ? by(Gpu{}, o.gpu_like) : by(Cpu{}, host::here().with_threads(o.threads));
}

void explain_reduce(const reduce_explain_options& o) {
  const reduce_problem problem{o.items, bytes_of(o.type), bytes_of(o.result.empty() ? o.type : o.result), !o.ordered,
                               o.grouping == "any" ? order::any : order::stable};
  show(plan_of<reduce_cpu_strategies, joined<reduce_gpu_strategies, reduce_published_strategies>>(
           "reduce", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_reduce(p, m); }),
       o);
}

void explain_segmented_reduce(const reduce_explain_options& o) {
  if ((o.segments == 0) == (o.every == 0)) throw usage_error("say either --segments or --every, the size of each");
  const std::uint64_t count =
      o.every != 0 ? pn::detail::even_segments{o.every, static_cast<std::size_t>(o.items)}.count() : o.segments;
  const segmented_reduce_problem problem{o.items,
                                         count,
                                         bytes_of(o.type),
                                         bytes_of(o.result.empty() ? o.type : o.result),
                                         o.every != 0 ? 0 : o.offset_bits / 8,
                                         !o.ordered,
                                         o.grouping == "any" ? order::any : order::stable};
  show(plan_of<segmented_reduce_cpu_strategies,
               joined<segmented_reduce_gpu_strategies, segmented_reduce_published_strategies>>(
           "segmented_reduce", o, problem,
           [](const auto& p, const auto& m) { return pn::detail::choose_segmented_reduce(p, m); }),
       o);
}

void explain_sort(const sort_explain_options& o) {
  sort_problem problem{o.items, bytes_of(o.type), o.value_bytes, o.first_bit, o.last_bit};
  const auto width = static_cast<unsigned>(8 * problem.key_bytes);
  if (o.last_bit == 0) problem.last_bit = width;
  if (problem.last_bit > width || o.first_bit >= problem.last_bit) {
    throw usage_error("--first-bit and --last-bit must be a range of the key's " + std::to_string(width) + " bits");
  }
  const bool keys_alone = o.value_bytes == 0 && problem.whole_key();
  problem.equal_keys = o.equal_keys == "any" || keys_alone ? order::any : order::stable;
  problem.in_place = o.in_place;
  show(plan_of<sort_cpu_strategies, joined<sort_gpu_strategies, sort_published_strategies>>(
           "sort", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_sort(p, m); }),
       o);
}

void explain_sort_strings(const strings_explain_options& o) {
  if (o.index_bits == 32 && o.items > std::uint64_t{1} << 32U) {
    throw usage_error(fmt::format("--indices: 32 bits are too few for {} strings; use 64", o.items));
  }
  const sort_strings_problem problem{o.items, o.offset_bits / 8, o.index_bits / 8,
                                     false,   order::stable,     {o.task_size, o.block_threads}};
  show(plan_of<joined<sort_strings_cpu_strategies, sort_strings_published_cpu_strategies>,
               joined<sort_strings_gpu_strategies, sort_strings_published_gpu_strategies>>(
           "sort_strings", o, problem,
           [](const auto& p, const auto& m) { return pn::detail::choose_sort_strings(p, m); }),
       o);
}

/// What a block of that architecture may opt in to, by the CUDA programming guide's table of compute capabilities.
void set_shared_memory(device& like) {
  constexpr std::size_t kib = 1024;
  const bool small = like.arch == 86 || like.arch == 89 || like.arch >= 120;
  const std::size_t bytes = like.arch < 80 ? 64 * kib : small ? 99 * kib : like.arch < 90 ? 163 * kib : 227 * kib;
  like.shared_per_block = bytes;
  like.shared_per_sm = bytes + kib;
}

/// Adds the options of every primitive, and what is to be done with them.
void add_common(CLI::App& sub, const std::shared_ptr<explain_options>& o, const std::function<void()>& explain) {
  auto* const place =
      sub.add_option("--place", o->place, "Where")->check(CLI::IsMember({"cpu", "gpu"}))->capture_default_str();
  add_threads(sub, o->threads);
  sub.add_option("--strategy", o->strategy, "A name from `peneira strategies`; without it, the choice");
  auto* const arch = sub.add_option("--arch", o->gpu_like.arch, "Architecture of the GPU; implies --place gpu")
                         ->check(CLI::Range(50, 999));
  auto* const sms = sub.add_option("--sms", o->gpu_like.sms, "Multiprocessors of the GPU")->check(CLI::Range(1, 10000));
  sub.add_flag("--json", o->json, "Print JSON");
  sub.callback([o, place, arch, sms, explain] {
    if (arch->count() + sms->count() > 0) {
      if (place->count() > 0 && o->place == "cpu")
        throw usage_error("--arch and --sms describe a GPU, not --place cpu");
      o->place = "gpu";
    }
    if (arch->count() > 0) set_shared_memory(o->gpu_like);
    explain();
  });
}

void add_offsets(CLI::App& sub, unsigned& bits) {
  sub.add_option("--offsets", bits, "Bits of the offsets")->check(CLI::IsMember({32U, 64U}))->capture_default_str();
}

void add_explain_multisplit(CLI::App& explain) {
  CLI::App* const multisplit = explain.add_subcommand("multisplit", "Partition n items into bins");
  const auto o = std::make_shared<multisplit_explain_options>();
  add_size(*multisplit, "--n", o->items, "Items")->required();
  add_size(*multisplit, "--bins", o->bins, "Bins", 1)->required();
  add_item_type(*multisplit, o->type, "Type of the keys")->capture_default_str();
  multisplit->add_option("--value-bytes", o->value_bytes, "Bytes of the value beside each key; 0: keys alone")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  add_offsets(*multisplit, o->offset_bits);
  multisplit->add_option("--order", o->within_bin, "Order within a bin")
      ->check(CLI::IsMember({"stable", "any"}))
      ->capture_default_str();
  add_common(*multisplit, o, [o] { explain_multisplit(*o); });
  multisplit->footer(
      "\nThe GPU is an H200 unless --arch and --sms describe another, whose shared memory follows from its "
      "architecture;\n"
      "none is needed here.\n"
      "\nExamples:\n"
      "  peneira explain multisplit --n 64M --bins 361 --type u32\n"
      "  peneira explain multisplit --n 1G --bins 100000 --value-bytes 4 --threads 16\n"
      "  peneira explain multisplit --n 64M --bins 361 --arch 90 --sms 132 --json");
}

/// Adds what reduce and segmented_reduce have in common.
void add_reduce_options(CLI::App& sub, reduce_explain_options& o) {
  add_item_type(sub, o.type, "Type of the items")->capture_default_str();
  sub.add_option("--result", o.result, "Type of the result; without it, that of the items")
      ->check(CLI::IsMember(item_type_names));
  sub.add_flag("--ordered", o.ordered, "The operator is not commutative");
  sub.add_option("--grouping", o.grouping, "stable: items are grouped the same way on every run; any: as they come")
      ->check(CLI::IsMember({"stable", "any"}))
      ->capture_default_str();
}

void add_explain_reduce(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("reduce", "Combine n items into one");
  const auto o = std::make_shared<reduce_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  add_reduce_options(*sub, *o);
  add_common(*sub, o, [o] { explain_reduce(*o); });
  sub->footer(
      "\nExamples:\n"
      "  peneira explain reduce --n 128M --type f32\n"
      "  peneira explain reduce --n 1G --type u8 --result u64 --threads 16");
}

void add_explain_segmented_reduce(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("segmented_reduce", "Combine the items of each of many segments");
  const auto o = std::make_shared<reduce_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  add_size(*sub, "--segments", o->segments, "Segments, which offsets bound", 1);
  add_size(*sub, "--every", o->every, "Items of each segment, where all have one size", 1);
  add_offsets(*sub, o->offset_bits);
  add_reduce_options(*sub, *o);
  add_common(*sub, o, [o] { explain_segmented_reduce(*o); });
  sub->footer(
      "\nExamples:\n"
      "  peneira explain segmented_reduce --n 32M --segments 16M --type f32\n"
      "  peneira explain segmented_reduce --n 32M --every 128 --type f32 --threads 8");
}

void add_explain_sort(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("sort", "Sort n keys, or pairs by their keys");
  const auto o = std::make_shared<sort_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  add_item_type(*sub, o->type, "Type of the keys")->capture_default_str();
  sub->add_option("--value-bytes", o->value_bytes, "Bytes of the value beside each key; 0: keys alone")
      ->check(CLI::Range(0, 16))
      ->capture_default_str();
  sub->add_option("--order", o->equal_keys, "Order of pairs with equal keys")
      ->check(CLI::IsMember({"stable", "any"}))
      ->capture_default_str();
  sub->add_option("--first-bit", o->first_bit, "The lowest bit of the ordered key that counts")->capture_default_str();
  sub->add_option("--last-bit", o->last_bit, "The bit behind the highest that counts; 0: all to the top");
  sub->add_flag("--in-place", o->in_place, "The output is the input");
  add_common(*sub, o, [o] { explain_sort(*o); });
  sub->footer(
      "\nExamples:\n"
      "  peneira explain sort --n 128M --type u32\n"
      "  peneira explain sort --n 1G --type u64 --value-bytes 8 --threads 16 --in-place");
}

void add_explain_sort_strings(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("sort_strings", "Tell which of n strings comes where");
  const auto o = std::make_shared<strings_explain_options>();
  add_size(*sub, "--n", o->items, "Strings")->required();
  add_offsets(*sub, o->offset_bits);
  sub->add_option("--indices", o->index_bits, "Bits of the permutation's entries")
      ->check(CLI::IsMember({32U, 64U}))
      ->capture_default_str();
  add_size(*sub, "--task-size", o->task_size, "Strings that a task of task_merge_quicksort sorts by itself", 1);
  add_size(*sub, "--block-threads", o->block_threads, "Threads of a block of doubling_merge", 1);
  add_common(*sub, o, [o] { explain_sort_strings(*o); });
  sub->footer(
      "\nExamples:\n"
      "  peneira explain sort_strings --n 10M --threads 16\n"
      "  peneira explain sort_strings --n 10M --strategy task_merge_quicksort --task-size 1000\n"
      "  peneira explain sort_strings --n 10M --place gpu");
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("explain", "Tell what a call would do: strategy, steps, temporary memory");
  sub->require_subcommand(1);
  add_explain_multisplit(*sub);
  add_explain_reduce(*sub);
  add_explain_segmented_reduce(*sub);
  add_explain_sort(*sub);
  add_explain_sort_strings(*sub);
}

}  // namespace peneira::tool
