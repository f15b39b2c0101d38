// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The plans of peneira explain for calls that have no published strategies.
#include <limits>
#include <string>

#include "peneira/gather/strategies.hpp"
#include "peneira/histogram/strategies.hpp"
#include "peneira/partition/strategies.hpp"
#include "peneira/runs/strategies.hpp"
#include "peneira/scan/strategies.hpp"
#include "peneira/segmented_sort/strategies.hpp"
#include "tools/peneira/explain/plan_by_lists.hpp"

namespace peneira::tool {
namespace {

bool is_float(const std::string& type) {
  return type == "f32" || type == "f64";
}

}  // namespace

plan plan_of(const gather_explain_options& o) {
  const gather_problem problem{.items = o.items, .item_bytes = o.item_bytes, .position_bytes = o.position_bits / 8};
  return plan_by_lists<gather_cpu_strategies, gather_gpu_strategies>(
      "gather", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_gather(p, m); });
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
  return plan_on_cpu<segmented_sort_cpu_strategies>("segmented_sort", o, problem, [](const auto& p, const auto& m) {
    return pn::detail::choose_segmented_sort(p, m);
  });
}

}  // namespace peneira::tool
