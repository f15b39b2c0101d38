// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira explain: what a call would do, here or on a machine that is merely described.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "peneira/tuning/gpus.hpp"
#include "tools/peneira/commands.hpp"
#include "tools/peneira/explain/options.hpp"

namespace peneira::tool {

std::string to_json(const plan& p) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  for (const parameter& q : p.parameters) {
    nlohmann::ordered_json& to = parameters[std::string(q.name)];
    if (q.word.empty()) {
      to = q.value;
    } else {
      to = q.word;
    }
  }
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const step& s : p.steps) {
    steps.push_back({{"name", s.name},
                     {"grid", s.grid},
                     {"block", s.block},
                     {"shared", s.shared},
                     {"cluster", s.cluster},
                     {"at_once", s.at_once}});
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

std::vector<std::string> gpu_names() {
  std::vector<std::string> names;
  for (const tuning::known_gpu& one : tuning::known_gpus) names.emplace_back(one.name);
  return names;
}

device gpu_of(const std::string& name, int arch, int sms) {
  device like = arch != 0 ? tuning::device_of_arch(arch) : device{};
  for (const tuning::known_gpu& one : tuning::known_gpus) {
    if (one.name == name) like = one.like;
  }
  if (sms != 0) like.sms = sms;
  return like;
}

namespace {

void add_explain_multisplit(CLI::App& explain) {
  CLI::App* const multisplit = explain.add_subcommand("multisplit", "Partition n items into bins");
  const auto o = std::make_shared<multisplit_explain_options>();
  add_size(*multisplit, "--n", o->items, "Items")->required();
  add_size(*multisplit, "--bins", o->bins, "Bins", 1)->required();
  add_item_type(*multisplit, o->type, "Type of the keys")->capture_default_str();
  add_value_bytes(*multisplit, o->value_bytes, 64);
  add_offsets(*multisplit, o->offset_bits);
  add_order(*multisplit, o->within_bin, "Order within a bin");
  add_common(*multisplit, o);
  multisplit->footer(
      "\nThe GPU is an H200 unless --gpu names another, or --arch and --sms describe one; none is needed here.\n"
      "\nExamples:\n"
      "  peneira explain multisplit --n 64M --bins 361 --type u32\n"
      "  peneira explain multisplit --n 1G --bins 100000 --value-bytes 4 --threads 16\n"
      "  peneira explain multisplit --n 64M --bins 361 --gpu a100 --json");
}

/// Adds what reduce and segmented_reduce have in common.
void add_reduce_options(CLI::App& sub, reduce_explain_options& o) {
  add_item_type(sub, o.type, "Type of the items")->capture_default_str();
  sub.add_option("--result", o.result, "Type of the result (default: that of the items)")
      ->check(CLI::IsMember(item_type_names));
  sub.add_flag("--ordered", o.ordered, "The operator is not commutative");
  sub.add_option("--grouping", o.grouping,
                 "stable: items are combined in the same order on every run; any: in any order")
      ->check(CLI::IsMember({"stable", "any"}))
      ->capture_default_str();
}

void add_explain_reduce(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("reduce", "Combine n items into one");
  const auto o = std::make_shared<reduce_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  add_reduce_options(*sub, *o);
  add_common(*sub, o);
  sub->footer(
      "\nExamples:\n"
      "  peneira explain reduce --n 128M --type f32\n"
      "  peneira explain reduce --n 1G --type u8 --result u64 --threads 16");
}

void add_explain_segmented_reduce(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("segmented_reduce", "Combine the items of each of many segments");
  const auto o = std::make_shared<segmented_reduce_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  add_segments(*sub, o->of);
  add_reduce_options(*sub, *o);
  add_common(*sub, o);
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
  add_value_bytes(*sub, o->value_bytes, 16);
  add_order(*sub, o->equal_keys, "Order of pairs with equal keys");
  sub->add_option("--first-bit", o->first_bit, "Lowest bit of the ordered key to sort by")->capture_default_str();
  sub->add_option("--last-bit", o->last_bit, "One past the highest bit to sort by; 0: all bits");
  sub->add_flag("--in-place", o->in_place, "The output is the input");
  auto* const ranks = sub->add_option("--ranks", o->ranks, "Processes of MPI that the items are spread over")
                          ->check(CLI::Range(1, 10'000'000));
  sub->add_option("--ranks-a-node", o->a_node, "Ranks that share the link of a node")
      ->check(CLI::Range(1, 1024))
      ->needs(ranks)
      ->capture_default_str();
  sub->add_option("--latency", o->latency, "Latency of a message, in microseconds")
      ->check(CLI::Range(0.0, 1e6))
      ->needs(ranks)
      ->capture_default_str();
  sub->add_option("--bandwidth", o->bandwidth, "GB/s of a node's link")
      ->check(CLI::Range(1e-3, 1e6))
      ->needs(ranks)
      ->capture_default_str();
  add_common(*sub, o);
  sub->footer(
      "\nExamples:\n"
      "  peneira explain sort --n 128M --type u32\n"
      "  peneira explain sort --n 1G --type u64 --value-bytes 8 --threads 16 --in-place\n"
      "  peneira explain sort --n 10000000 --type u64 --ranks 10000 --threads 1");
}

void add_explain_sort_strings(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("sort_strings", "Find the sorted order of n strings");
  const auto o = std::make_shared<strings_explain_options>();
  add_size(*sub, "--n", o->items, "Strings")->required();
  add_offsets(*sub, o->offset_bits);
  sub->add_option("--indices", o->index_bits, "Bits of the permutation's entries")
      ->check(CLI::IsMember({32U, 64U}))
      ->capture_default_str();
  add_size(*sub, "--task-size", o->task_size, "Strings that a task of task_merge_quicksort sorts by itself", 1);
  add_size(*sub, "--block-threads", o->block_threads, "Threads of a block of doubling_merge", 1);
  add_size(*sub, "--merge-items", o->merge_items,
           "Strings that a thread of a published strategy merges at most; 0: each merge is one thread's");
  add_common(*sub, o);
  sub->footer(
      "\nExamples:\n"
      "  peneira explain sort_strings --n 10M --threads 16\n"
      "  peneira explain sort_strings --n 10M --strategy task_merge_quicksort --task-size 1000\n"
      "  peneira explain sort_strings --n 10M --place gpu");
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* const sub = app.add_subcommand("explain", "Show what a call would do: strategy, steps, temporary memory");
  sub->require_subcommand(1);
  sub->footer(
      "\nExamples:\n"
      "  peneira explain sort --n 64M --type u32\n"
      "  peneira explain multisplit --n 64M --bins 361 --gpu a100\n"
      "  peneira help explain reduce                     the options of one of them");
  add_explain_multisplit(*sub);
  add_explain_reduce(*sub);
  add_explain_segmented_reduce(*sub);
  add_explain_sort(*sub);
  add_explain_sort_strings(*sub);
  add_explain_calls(*sub);
}

}  // namespace peneira::tool
