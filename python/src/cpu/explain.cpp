// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "explain.hpp"

#include <peneira/peneira.hpp>

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
        if (call == "sort_strings") return plan_of_strings(of, m);
        refuse_code("call");
      },
      machine);
}

}  // namespace peneira::python
