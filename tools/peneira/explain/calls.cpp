// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The subcommands of peneira explain for calls that have no published strategies.
#include <CLI/CLI.hpp>
#include <memory>

#include "tools/peneira/explain/options.hpp"

namespace peneira::tool {
namespace {

void add_explain_gather(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("gather", "Move n items by positions: gather or scatter");
  const auto o = std::make_shared<gather_explain_options>();
  add_size(*sub, "--n", o->items, "Positions")->required();
  sub->add_option("--item-bytes", o->item_bytes, "Bytes of an item, of all columns together")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub->add_option("--positions", o->position_bits, "Bits of a position")
      ->check(CLI::IsMember({32U, 64U}))
      ->capture_default_str();
  add_common(*sub, o);
  sub->footer("\nExamples:\n  peneira explain gather --n 64M --item-bytes 24 --place gpu");
}

void add_explain_group_by(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("group_by", "Sums of the values of each key, keys in any order");
  const auto o = std::make_shared<group_by_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  add_size(*sub, "--groups", o->groups, "Groups that there is room for (default: as many as items)", 1);
  add_item_type(*sub, o->type, "Type of the keys")->capture_default_str();
  sub->add_option("--values", o->values, "Type of the values")
      ->check(CLI::IsMember(item_type_names))
      ->capture_default_str();
  sub->add_option("--results", o->results, "Type of the sums (default: that of the values)")
      ->check(CLI::IsMember(item_type_names));
  add_common(*sub, o);
  sub->footer(
      "\nExamples:\n"
      "  peneira explain group_by --n 64M --groups 1K --type u32 --values f32 --threads 16\n"
      "  peneira explain group_by --n 64M --type u64 --values u32 --results u64 --place gpu");
}

void add_explain_histogram(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("histogram", "Count the items of each bin, or add up their weights");
  const auto o = std::make_shared<histogram_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  add_size(*sub, "--bins", o->bins, "Bins", 1)->required();
  add_item_type(*sub, o->type, "Type of the items")->capture_default_str();
  sub->add_option("--weights", o->weights, "Type of the weights (default: each item counts as one)")
      ->check(CLI::IsMember(item_type_names));
  sub->add_option("--counts", o->counts, "Type of the counts, or of the sums of weights")
      ->check(CLI::IsMember(item_type_names))
      ->capture_default_str();
  sub->add_option("--grouping", o->grouping, "stable: weights are added in the same order on every run; any: in any")
      ->check(CLI::IsMember({"stable", "any"}))
      ->capture_default_str();
  add_common(*sub, o);
  sub->footer(
      "\nExamples:\n"
      "  peneira explain histogram --n 64M --bins 4096 --place gpu\n"
      "  peneira explain histogram --n 64M --bins 100K --weights f32 --counts f64 --threads 16");
}

void add_explain_partition(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("partition", "Two parts or three of n items");
  const auto o = std::make_shared<partition_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  sub->add_option("--parts", o->ways, "Parts")->check(CLI::IsMember({2U, 3U}))->capture_default_str();
  add_item_type(*sub, o->type, "Type of the keys")->capture_default_str();
  add_value_bytes(*sub, o->value_bytes, 64);
  add_order(*sub, o->within_part, "Order within a part");
  add_common(*sub, o);
  sub->footer("\nExamples:\n  peneira explain partition --n 64M --parts 3 --gpu a100");
}

void add_explain_runs(CLI::App& explain) {
  const auto add = [&](const char* name, const char* about, unsigned length_bits) {
    CLI::App* const sub = explain.add_subcommand(name, about);
    const auto o = std::make_shared<runs_explain_options>();
    o->length_bits = length_bits;
    add_size(*sub, "--n", o->items, "Items")->required();
    add_item_type(*sub, o->type, "Type of the items")->capture_default_str();
    if (length_bits != 0) {
      sub->add_option("--lengths", o->length_bits, "Bits of a length")
          ->check(CLI::IsMember({32U, 64U}))
          ->capture_default_str();
    }
    add_common(*sub, o);
    sub->footer(std::string("\nExamples:\n  peneira explain ") + name + " --n 64M --type u64 --place gpu");
  };
  add("unique", "The first of each run of equal neighbours among n items", 0);
  add("run_lengths", "Runs of equal neighbours among n items, and their lengths", 32);
}

void add_explain_scan(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("scan", "Combine each of n items with those before it");
  const auto o = std::make_shared<scan_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  add_item_type(*sub, o->type, "Type of the items")->capture_default_str();
  sub->add_option("--result", o->result, "Type of the results (default: that of the items)")
      ->check(CLI::IsMember(item_type_names));
  add_segments(*sub, o->of);
  add_common(*sub, o);
  sub->footer(
      "\nA scan of all items, unless --segments or --every tells of segments.\n"
      "\nExamples:\n"
      "  peneira explain scan --n 64M --type u32 --result u64 --place gpu\n"
      "  peneira explain scan --n 64M --every 1000 --threads 16");
}

void add_explain_segmented_sort(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("segmented_sort", "Sort the items of each of many segments");
  const auto o = std::make_shared<segmented_sort_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  add_segments(*sub, o->of);
  add_item_type(*sub, o->type, "Type of the keys")->capture_default_str();
  add_value_bytes(*sub, o->value_bytes, 16);
  sub->add_flag("--in-place", o->in_place, "The output is the input");
  add_common(*sub, o);
  sub->footer(
      "\nExamples:\n"
      "  peneira explain segmented_sort --n 32M --segments 1M --type f32 --threads 16\n"
      "  peneira explain segmented_sort --n 32M --every 30 --place gpu");
}

void add_explain_top_k(CLI::App& explain) {
  CLI::App* const sub = explain.add_subcommand("top_k", "The k greatest of n items, or the least");
  const auto o = std::make_shared<top_k_explain_options>();
  add_size(*sub, "--n", o->items, "Items")->required();
  add_size(*sub, "--k", o->k, "How many are wanted")->required();
  add_item_type(*sub, o->type, "Type of the keys")->capture_default_str();
  add_value_bytes(*sub, o->value_bytes, 16);
  sub->add_flag("--unsorted", o->unsorted, "In the order of the input");
  add_common(*sub, o);
  sub->footer("\nExamples:\n  peneira explain top_k --n 64M --k 1000 --type f32 --place gpu");
}

}  // namespace

void add_explain_calls(CLI::App& explain) {
  add_explain_gather(explain);
  add_explain_group_by(explain);
  add_explain_histogram(explain);
  add_explain_partition(explain);
  add_explain_runs(explain);
  add_explain_scan(explain);
  add_explain_segmented_sort(explain);
  add_explain_top_k(explain);
}

}  // namespace peneira::tool
