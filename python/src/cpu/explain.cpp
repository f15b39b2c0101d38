// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "explain.hpp"

#include <algorithm>
#include <peneira/peneira.hpp>
#include <type_traits>

#include "types.hpp"

namespace peneira::python {
namespace {

template <class Cpu, class Gpu, class Problem, class Machine, class Choose>
plan plan_by_lists(std::string_view call, const Problem& problem, const Machine& machine, const Choose& choose) {
  using list = std::conditional_t<std::is_same_v<Machine, host>, Cpu, Gpu>;
  return detail::plan_by<list>(call, problem, machine, choose(problem, machine));
}

template <class Machine>
plan plan_of_sort(const sizes& of, const Machine& machine) {
  const sort_problem problem{.items = of.items,
                             .key_bytes = of.item_bytes,
                             .value_bytes = of.value_bytes,
                             .last_bit = 8 * of.item_bytes,
                             .equal_keys = of.value_bytes == 0 ? order::any : order::stable};
  return plan_by_lists<sort_cpu_strategies, sort_gpu_strategies>(
      "sort", problem, machine, [](const auto& p, const auto& m) { return detail::choose_sort(p, m); });
}

template <class Machine>
plan plan_of_argsort(const sizes& of, const Machine& machine) {
  plan made;
  with_width(of.item_bytes, [&]<class U>(U) {
    const view<const U> keys{nullptr, nullptr, of.items};
    const auto into = [&]<class P>(view<P> positions) {
      made = explain([&](auto& on) { argsort(on, keys, positions); }, machine);
    };
    if (of.result_bytes == 4) return into(view<std::uint32_t>{nullptr, nullptr, of.items});
    into(view<std::uint64_t>{nullptr, nullptr, of.items});
  });
  made.primitive = "argsort";
  return made;
}

template <class Machine>
plan plan_of_multisplit(const sizes& of, const Machine& machine) {
  const multisplit_problem problem{
      .items = of.items, .bins = of.bins, .key_bytes = of.item_bytes, .value_bytes = of.value_bytes, .offset_bytes = 8};
  return plan_by_lists<multisplit_cpu_strategies, multisplit_gpu_strategies>(
      "multisplit", problem, machine, [](const auto& p, const auto& m) { return detail::choose_multisplit(p, m); });
}

template <class Machine>
plan plan_of_reduce(const sizes& of, const Machine& machine) {
  const reduce_problem problem{.items = of.items, .item_bytes = of.item_bytes, .result_bytes = of.result_bytes};
  return plan_by_lists<reduce_cpu_strategies, reduce_gpu_strategies>(
      "reduce", problem, machine, [](const auto& p, const auto& m) { return detail::choose_reduce(p, m); });
}

template <class Machine>
plan plan_of_segments(const sizes& of, const Machine& machine) {
  const segmented_reduce_problem problem{.items = of.items,
                                         .segments = of.segments,
                                         .item_bytes = of.item_bytes,
                                         .result_bytes = of.result_bytes,
                                         .offset_bytes = 8};
  return plan_by_lists<segmented_reduce_cpu_strategies, segmented_reduce_gpu_strategies>(
      "segmented_reduce", problem, machine,
      [](const auto& p, const auto& m) { return detail::choose_segmented_reduce(p, m); });
}

template <class Machine>
inline constexpr bool is_gpu = std::is_same_v<Machine, device>;

/// Bytes of keys that are widened to 4 where they have fewer.
std::size_t widened(const sizes& of) {
  return std::max(of.item_bytes, 4U);
}

/// Values follow their keys by positions of 32 bits, as narrow keys do.
template <class Machine>
plan plan_of_segmented_sort(const sizes& of, const Machine& machine) {
  const bool by_positions = of.value_bytes != 0 || of.item_bytes < 4;
  const segmented_sort_problem problem{.items = of.items,
                                       .segments = of.segments,
                                       .key_bytes = widened(of),
                                       .value_bytes = by_positions ? 4U : 0U,
                                       .last_bit = static_cast<unsigned>(8 * widened(of)),
                                       .in_place = !by_positions,
                                       .offset_bytes = 8};
  return plan_by_lists<segmented_sort_cpu_strategies, segmented_sort_gpu_strategies>(
      "segmented_sort", problem, machine,
      [](const auto& p, const auto& m) { return detail::choose_segmented_sort(p, m); });
}

template <class Machine>
plan plan_of_histogram(const sizes& of, const Machine& machine) {
  const histogram_problem problem{.items = of.items, .bins = of.bins, .key_bytes = widened(of), .count_bytes = 8};
  return plan_by_lists<histogram_cpu_strategies, histogram_gpu_strategies>(
      "histogram", problem, machine, [](const auto& p, const auto& m) { return detail::choose_histogram(p, m); });
}

template <class Machine>
plan plan_of_gather(const sizes& of, const Machine& machine) {
  const gather_problem problem{.items = of.items, .item_bytes = of.item_bytes, .position_bytes = of.result_bytes};
  return plan_by_lists<gather_cpu_strategies, gather_gpu_strategies>(
      "gather", problem, machine, [](const auto& p, const auto& m) { return detail::choose_gather(p, m); });
}

/// On a CPU all items are a segment of offsets.
template <class Machine>
plan plan_of_scan(const sizes& of, const Machine& machine) {
  const scan_problem problem{.items = of.items,
                             .segments = 1,
                             .item_bytes = of.result_bytes,
                             .result_bytes = of.result_bytes,
                             .offset_bytes = is_gpu<Machine> ? 0U : 8U};
  return plan_by_lists<scan_cpu_strategies, scan_gpu_strategies>(
      "scan", problem, machine, [](const auto& p, const auto& m) { return detail::choose_scan(p, m); });
}

/// On a GPU the positions of items go with them.
template <class Machine>
plan plan_of_top_k(const sizes& of, const Machine& machine) {
  const bool by_positions = is_gpu<Machine> || of.value_bytes != 0 || of.item_bytes < 4;
  const top_k_problem problem{.items = of.items,
                              .k = of.k,
                              .key_bytes = widened(of),
                              .value_bytes = by_positions ? 4U : 0U,
                              .segments = 1,
                              .offset_bytes = 8,
                              .segment_items = of.items};
  return plan_by_lists<top_k_cpu_strategies, top_k_gpu_strategies>(
      "top_k", problem, machine, [](const auto& p, const auto& m) { return detail::choose_top_k(p, m); });
}

template <class Machine>
plan plan_of_runs(const sizes& of, const Machine& machine) {
  const runs_problem problem{.items = of.items, .key_bytes = widened(of), .length_bytes = 8};
  return plan_by_lists<runs_cpu_strategies, runs_gpu_strategies>(
      "run_lengths", problem, machine, [](const auto& p, const auto& m) { return detail::choose_runs(p, m); });
}

template <class Machine>
plan plan_of_strings(const sizes& of, const Machine& machine) {
  const sort_strings_problem problem{.items = of.items, .index_bytes = of.result_bytes};
  return plan_by_lists<sort_strings_cpu_strategies, sort_strings_gpu_strategies>(
      "sort_strings", problem, machine, [](const auto& p, const auto& m) { return detail::choose_sort_strings(p, m); });
}

}  // namespace

plan plan_of(std::string_view call, const sizes& of, const std::variant<host, device>& machine) {
  return std::visit(
      [&](const auto& m) {
        if (call == "sort") return plan_of_sort(of, m);
        if (call == "argsort") return plan_of_argsort(of, m);
        if (call == "multisplit") return plan_of_multisplit(of, m);
        if (call == "reduce") return plan_of_reduce(of, m);
        if (call == "segmented_reduce") return plan_of_segments(of, m);
        if (call == "segmented_sort") return plan_of_segmented_sort(of, m);
        if (call == "histogram") return plan_of_histogram(of, m);
        if (call == "gather") return plan_of_gather(of, m);
        if (call == "scan") return plan_of_scan(of, m);
        if (call == "top_k") return plan_of_top_k(of, m);
        if (call == "run_lengths") return plan_of_runs(of, m);
        if (call == "sort_strings") return plan_of_strings(of, m);
        refuse_code("call");
      },
      machine);
}

}  // namespace peneira::python
