// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The plans of peneira explain: options become a problem, and the strategies of a list are asked about it.
#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>

#include "peneira/multisplit/published.hpp"
#include "peneira/ranks/cluster.hpp"
#include "peneira/reduce/published.hpp"
#include "peneira/segmented_reduce/published.hpp"
#include "peneira/sort/published.hpp"
#include "peneira/strings/published.hpp"
#include "tools/peneira/explain/plan_by_lists.hpp"

namespace peneira::tool {
namespace {

std::size_t result_bytes(const reduce_explain_options& o) {
  return bytes_of(o.result.empty() ? o.type : o.result);
}

/// The plan of a sort whose items are spread evenly over ranks.
plan plan_over_ranks(sort_problem problem, const sort_explain_options& o) {
  if (o.place == "gpu") throw usage_error("--ranks: ranks are on CPUs so far, not on --place gpu");
  if (!o.strategy.empty()) throw usage_error("--ranks: no --strategy; the ranks' number and items decide");
  problem.items = problem.items / o.ranks + (problem.items % o.ranks != 0 ? 1 : 0);
  return pn::detail::plan_rank_sort(
      problem, {o.ranks, o.a_node, o.latency * 1e-6, o.bandwidth * 1e9, host::here().with_threads(o.threads)});
}

}  // namespace

plan plan_of(const multisplit_explain_options& o) {
  if (o.bins > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error(fmt::format("--bins: must be at most 4294967295, but is {}", o.bins));
  }
  if (o.offset_bits == 32 && o.items > std::numeric_limits<std::uint32_t>::max()) {
    throw usage_error(fmt::format("--offsets: 32 bits are too few for {} items; use 64", o.items));
  }
  const multisplit_problem problem{.items = o.items,
                                   .bins = static_cast<std::uint32_t>(o.bins),
                                   .key_bytes = bytes_of(o.type),
                                   .value_bytes = o.value_bytes,
                                   .offset_bytes = o.offset_bits / 8,
                                   .within_bin = order_of(o.within_bin)};
  return plan_by_lists<multisplit_cpu_strategies, joined<multisplit_gpu_strategies, multisplit_published_strategies>>(
      "multisplit", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_multisplit(p, m); });
}

plan plan_of(const reduce_explain_options& o) {
  const reduce_problem problem{.items = o.items,
                               .item_bytes = bytes_of(o.type),
                               .result_bytes = result_bytes(o),
                               .commutative = !o.ordered,
                               .grouping = order_of(o.grouping)};
  return plan_by_lists<reduce_cpu_strategies, joined<reduce_gpu_strategies, reduce_published_strategies>>(
      "reduce", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_reduce(p, m); });
}

plan plan_of(const segmented_reduce_explain_options& o) {
  const segments_explained& of = o.of;
  const segmented_reduce_problem problem{.items = o.items,
                                         .segments = count_segments(of, o.items),
                                         .item_bytes = bytes_of(o.type),
                                         .result_bytes = result_bytes(o),
                                         .offset_bytes = offset_bytes(of),
                                         .commutative = !o.ordered,
                                         .grouping = order_of(o.grouping),
                                         .segment_items = of.every};
  return plan_by_lists<segmented_reduce_cpu_strategies,
                       joined<segmented_reduce_gpu_strategies, segmented_reduce_published_strategies>>(
      "segmented_reduce", o, problem,
      [](const auto& p, const auto& m) { return pn::detail::choose_segmented_reduce(p, m); });
}

plan plan_of(const sort_explain_options& o) {
  sort_problem problem{.items = o.items,
                       .key_bytes = bytes_of(o.type),
                       .value_bytes = o.value_bytes,
                       .first_bit = o.first_bit,
                       .last_bit = o.last_bit,
                       .equal_keys = order_of(o.equal_keys),
                       .in_place = o.in_place};
  const auto width = static_cast<unsigned>(8 * problem.key_bytes);
  if (o.last_bit == 0) problem.last_bit = width;
  if (problem.last_bit > width || o.first_bit >= problem.last_bit) {
    throw usage_error("--first-bit and --last-bit must be a range of the key's " + std::to_string(width) + " bits");
  }
  if (o.value_bytes == 0 && problem.whole_key()) problem.equal_keys = order::any;
  if (o.ranks != 0) return plan_over_ranks(problem, o);
  return plan_by_lists<sort_cpu_strategies, joined<sort_gpu_strategies, sort_published_strategies>>(
      "sort", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_sort(p, m); });
}

plan plan_of(const strings_explain_options& o) {
  if (o.index_bits == 32 && o.items > std::uint64_t{1} << 32U) {
    throw usage_error(fmt::format("--indices: 32 bits are too few for {} strings; use 64", o.items));
  }
  const sort_strings_problem problem{.items = o.items,
                                     .offset_bytes = o.offset_bits / 8,
                                     .index_bytes = o.index_bits / 8,
                                     .merges = {o.task_size, o.block_threads, o.merge_items}};
  return plan_by_lists<joined<sort_strings_cpu_strategies, sort_strings_published_cpu_strategies>,
                       joined<sort_strings_gpu_strategies, sort_strings_published_gpu_strategies>>(
      "sort_strings", o, problem, [](const auto& p, const auto& m) { return pn::detail::choose_sort_strings(p, m); });
}

}  // namespace peneira::tool
