// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira explain: what a call would do, here or on a machine that is merely described.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "peneira/multisplit/published.hpp"
#include "peneira/multisplit/strategies.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/output_file.hpp"
#include "tools/peneira/sizes.hpp"
#include "tools/peneira/types.hpp"

namespace peneira::tool {
namespace {

struct explain_options {
  std::uint64_t items = 0;
  std::uint64_t bins = 0;
  std::string type = "u32";
  std::size_t value_bytes = 0;
  unsigned offset_bits = 32;
  std::string within_bin = "stable";
  std::string place = "cpu";
  unsigned threads = 0;
  std::string strategy;
  device gpu_like;
  bool json = false;
};

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

void explain_multisplit(const explain_options& o) {
  if (o.bins > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error(fmt::format("--bins: must be at most 4294967295, but is {}", o.bins));
  }
  multisplit_problem problem;
  problem.items = o.items;
  problem.bins = static_cast<std::uint32_t>(o.bins);
  with_item_type(o.type, [&]<class T>(std::type_identity<T>) { problem.key_bytes = sizeof(T); });
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
  write_stdout(o.json ? to_json(made) : to_string(made));
}

/// What a block of that architecture may opt in to, by the CUDA programming guide's table of compute capabilities.
void set_shared_memory(device& like) {
  constexpr std::size_t kib = 1024;
  const bool small = like.arch == 86 || like.arch == 89 || like.arch >= 120;
  const std::size_t bytes = like.arch < 80 ? 64 * kib : small ? 99 * kib : like.arch < 90 ? 163 * kib : 227 * kib;
  like.shared_per_block = bytes;
  like.shared_per_sm = bytes + kib;
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("explain", "Tell what a call would do: strategy, steps, temporary memory");
  sub->require_subcommand(1);
  CLI::App* const multisplit = sub->add_subcommand("multisplit", "Partition n items into bins");
  const auto o = std::make_shared<explain_options>();
  add_size(*multisplit, "--n", o->items, "Items")->required();
  add_size(*multisplit, "--bins", o->bins, "Bins", 1)->required();
  add_item_type(*multisplit, o->type, "Type of the keys")->capture_default_str();
  multisplit->add_option("--value-bytes", o->value_bytes, "Bytes of the value beside each key; 0: keys alone")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  multisplit->add_option("--offsets", o->offset_bits, "Bits of the offsets")
      ->check(CLI::IsMember({32U, 64U}))
      ->capture_default_str();
  multisplit->add_option("--order", o->within_bin, "Order within a bin")
      ->check(CLI::IsMember({"stable", "any"}))
      ->capture_default_str();
  auto* const place =
      multisplit->add_option("--place", o->place, "Where")->check(CLI::IsMember({"cpu", "gpu"}))->capture_default_str();
  add_threads(*multisplit, o->threads);
  multisplit->add_option("--strategy", o->strategy, "A name from `peneira strategies`; without it, the choice");
  auto* const arch = multisplit->add_option("--arch", o->gpu_like.arch, "Architecture of the GPU; implies --place gpu")
                         ->check(CLI::Range(50, 999));
  auto* const sms =
      multisplit->add_option("--sms", o->gpu_like.sms, "Multiprocessors of the GPU")->check(CLI::Range(1, 10000));
  multisplit->add_flag("--json", o->json, "Print JSON");
  multisplit->footer(
      "\nThe GPU is an H200 unless --arch and --sms describe another, whose shared memory follows from its "
      "architecture;\n"
      "none is needed here.\n"
      "\nExamples:\n"
      "  peneira explain multisplit --n 64M --bins 361 --type u32\n"
      "  peneira explain multisplit --n 1G --bins 100000 --value-bytes 4 --threads 16\n"
      "  peneira explain multisplit --n 64M --bins 361 --arch 90 --sms 132 --json");
  multisplit->callback([o, place, arch, sms] {
    if (arch->count() + sms->count() > 0) {
      if (place->count() > 0 && o->place == "cpu")
        throw usage_error("--arch and --sms describe a GPU, not --place cpu");
      o->place = "gpu";
    }
    if (arch->count() > 0) set_shared_memory(o->gpu_like);
    explain_multisplit(*o);
  });
}

}  // namespace peneira::tool
