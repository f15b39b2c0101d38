// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort_all: all items are sorted, and the first k copied. For few items, and for k that is a good part of them.
//
// Needs room for all items, and what their sort needs; of k items that are all there are, that alone.
#pragma once

#include <vector>

#include "peneira/sort.hpp"
#include "peneira/strategy.hpp"
#include "peneira/top_k/problem.hpp"
#include "peneira/view.hpp"

namespace peneira::top_k_strategies {

struct sort_all {
  static constexpr std::string_view name = "sort_all";
  static constexpr std::string_view about = "all items sorted, of which the first k are copied";

  static std::string refuses(const top_k_problem& problem, const device& machine) {
    if (!problem.sorted) return "does not keep the order of the input";
    return problem.k == 0 ? "" : detail::refuse_sort("top_k", sort_of(problem), machine);
  }

  struct parameters {
    top_k_problem problem;
    std::size_t sort_bytes = 0;
    std::vector<step> sort;

    /// Items that are sorted beside the output.
    [[nodiscard]] std::size_t beside() const { return problem.k < problem.items ? problem.items : 0; }

    static constexpr std::tuple fields{
        detail::field{&parameters::sort_bytes, "sort bytes", "of the temporary memory of the sort of all items"},
        detail::members{&parameters::sort},
    };
  };

  static parameters decide(const top_k_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    if (problem.k == 0) return p;
    const sort_problem all = sort_of(problem);
    const plan sorting = detail::plan_by<sort_gpu_strategies>("sort", all, machine, detail::choose_sort(all, machine));
    p.sort_bytes = sorting.temporary_bytes;
    p.sort = sorting.steps;
    return p;
  }

  struct arrays {
    detail::item_arrays sorted;
    void* sort_memory;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.problem.k == 0) return a;
    a.sorted = detail::item_arrays::take(memory, p.problem, p.beside());
    a.sort_memory = memory.take_bytes(p.sort_bytes);
    return a;
  }

#if defined(__CUDACC__)
  template <class K, class V, class U = detail::bits_of<K>>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out,
                  const detail::key_order<U>& by) {
    if (p.problem.k == 0) return;
    const detail::temporary<sort_all> a(on, p);
    arena sort_memory(a.sort_memory, p.sort_bytes);
    const gpu sorting{.stream = on.stream, .memory = &sort_memory};
    const view<K, V> sorted = p.beside() == 0 ? out : a.sorted.template as<K, V>(in.size);
    detail::sort_in_order<sort_gpu_strategies>(sorting, in, sorted, by, {});
    if (p.beside() == 0) return;
    const auto copy = [&](void* to, const void* from, std::size_t item_bytes) {
      detail::check(cudaMemcpyAsync(to, from, p.problem.k * item_bytes, cudaMemcpyDeviceToDevice, on.stream),
                    "cudaMemcpyAsync");
    };
    copy(out.keys, sorted.keys, sizeof(K));
    if constexpr (view<K, V>::has_values) copy(out.values, sorted.values, sizeof(V));
  }
#endif

 private:
  static sort_problem sort_of(const top_k_problem& problem) {
    return sort_problem::by_whole_keys(problem.items, problem.key_bytes, problem.value_bytes);
  }
};

}  // namespace peneira::top_k_strategies
