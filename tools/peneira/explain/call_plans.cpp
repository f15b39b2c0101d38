// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The plans of peneira explain for calls that have no published strategies.
#include <algorithm>
#include <limits>
#include <string>

#include "peneira/gather/strategies.hpp"
#include "peneira/group_by/strategies.hpp"
#include "peneira/histogram/strategies.hpp"
#include "peneira/partition/strategies.hpp"
#include "peneira/runs/strategies.hpp"
#include "peneira/scan/strategies.hpp"
#include "peneira/segmented_sort/strategies.hpp"
#include "peneira/top_k/strategies.hpp"
#include "tools/peneira/explain/plan_by_lists.hpp"

namespace peneira::tool {
namespace {

bool is_float(const std::string& type) {
  return type == "f32" || type == "f64";
}

/// Bytes that a sum gathers for a result: of a float a double, of a double two.
std::size_t sum_bytes(const std::string& result) {
  return is_float(result) ? 2 * bytes_of(result) : bytes_of(result);
}

}  // namespace

plan plan_of(const gather_explain_options& o) {
  const gather_problem problem{.items = o.items, .item_bytes = o.item_bytes, .position_bytes = o.position_bits / 8};
  return plan_by_lists<gather_cpu_strategies, gather_gpu_strategies>(
      "gather", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_gather(p, m); });
}

plan plan_of(const group_by_explain_options& o) {
  const std::string& result = o.results.empty() ? o.values : o.results;
  const std::size_t key_bytes = bytes_of(o.type);
  const std::size_t state_bytes = sum_bytes(result);
  const std::size_t aligned = std::max(key_bytes, std::min<std::size_t>(state_bytes, 8));  // as entries are
  const std::size_t entry_bytes =
      ((key_bytes + aligned - 1) / aligned + (state_bytes + aligned - 1) / aligned) * aligned;
  group_by_problem problem;
  problem.items = o.items;
  problem.room = o.groups == 0 ? o.items : o.groups;
  problem.key_bytes = key_bytes;
  problem.moved_bytes = bytes_of(o.values);
  problem.entry_bytes = entry_bytes;
  problem.result_bytes = bytes_of(result);
  problem.state_bytes = state_bytes;
  problem.keys_vary = is_float(o.type);
  return plan_by_lists<group_by_cpu_strategies, group_by_gpu_strategies>(
      "group_by", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_group_by(p, m); });
}

plan plan_of(const histogram_explain_options& o) {
  if (o.bins > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error("--bins: must be at most 4294967295, but is " + std::to_string(o.bins));
  }
  const std::size_t count_bytes = bytes_of(o.counts);
  if (count_bytes < 4) throw usage_error("--counts: must have 32 or 64 bits, but is " + o.counts);
  if (is_float(o.counts) && o.weights.empty())
    throw usage_error("--counts: items without --weights are counted by integers");
  const histogram_problem problem{.items = o.items,
                                  .bins = static_cast<std::uint32_t>(o.bins),
                                  .key_bytes = bytes_of(o.type),
                                  .weight_bytes = o.weights.empty() ? 0 : bytes_of(o.weights),
                                  .count_bytes = count_bytes,
                                  .rounds = is_float(o.counts),
                                  .grouping = order_of(o.grouping)};
  return plan_by_lists<histogram_cpu_strategies, histogram_gpu_strategies>(
      "histogram", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_histogram(p, m); });
}

plan plan_of(const partition_explain_options& o) {
  const partition_problem problem{.items = o.items,
                                  .ways = o.ways,
                                  .key_bytes = bytes_of(o.type),
                                  .value_bytes = o.value_bytes,
                                  .within_part = order_of(o.within_part)};
  return plan_by_lists<partition_cpu_strategies, partition_gpu_strategies>(
      "partition", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_partition(p, m); });
}

plan plan_of(const runs_explain_options& o) {
  const runs_problem problem{.items = o.items, .key_bytes = bytes_of(o.type), .length_bytes = o.length_bits / 8};
  return plan_by_lists<runs_cpu_strategies, runs_gpu_strategies>(
      o.length_bits == 0 ? "unique" : "run_lengths", o, problem,
      [](const auto& p, const auto& m) { return pn::detail::choose_runs(p, m); });
}

plan plan_of(const scan_explain_options& o) {
  const bool whole = o.of.segments == 0 && o.of.every == 0;
  const scan_problem problem{.items = o.items,
                             .segments = whole ? 1 : count_segments(o.of, o.items),
                             .item_bytes = bytes_of(o.type),
                             .result_bytes = bytes_of(o.result.empty() ? o.type : o.result),
                             .offset_bytes = whole ? 0 : offset_bytes(o.of)};
  return plan_by_lists<scan_cpu_strategies, scan_gpu_strategies>(
      whole ? "scan" : "segmented_scan", o, problem,
      [](const auto& p, const auto& m) { return pn::detail::choose_scan(p, m); });
}

plan plan_of(const segmented_sort_explain_options& o) {
  const std::size_t key_bytes = bytes_of(o.type);
  const segmented_sort_problem problem{.items = o.items,
                                       .segments = count_segments(o.of, o.items),
                                       .key_bytes = key_bytes,
                                       .value_bytes = o.value_bytes,
                                       .first_bit = 0,
                                       .last_bit = static_cast<unsigned>(8 * key_bytes),
                                       .in_place = o.in_place,
                                       .offset_bytes = offset_bytes(o.of),
                                       .segment_items = o.of.every};
  return plan_by_lists<segmented_sort_cpu_strategies, segmented_sort_gpu_strategies>(
      "segmented_sort", o, problem,
      [](const auto& p, const auto& m) { return pn::detail::choose_segmented_sort(p, m); });
}

plan plan_of(const top_k_explain_options& o) {
  if (o.k > o.items) throw usage_error("--k: must be at most --n, but is " + std::to_string(o.k));
  const top_k_problem problem{.items = o.items,
                              .k = o.k,
                              .key_bytes = bytes_of(o.type),
                              .value_bytes = o.value_bytes,
                              .sorted = !o.unsorted,
                              .segments = 1,
                              .offset_bytes = 0,
                              .segment_items = o.items};
  return plan_by_lists<top_k_cpu_strategies, top_k_gpu_strategies>(
      "top_k", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_top_k(p, m); });
}

}  // namespace peneira::tool
