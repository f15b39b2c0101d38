// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A step that sorts of rows and of records share: numbers are sorted with the positions of what they stand for.
#pragma once

#include "peneira/sort.hpp"
#include "peneira/strategy.hpp"

namespace peneira::detail {

/// A stable sort of numbers with positions as values, in place, chosen as any other sort is.
struct numbered_sort {
  sort_problem problem;
  device machine;
  std::size_t bytes = 0;  ///< of temporary memory

  static sort_problem problem_of(std::size_t items, std::size_t number_bytes, std::size_t position_bytes) {
    sort_problem all = sort_problem::by_whole_keys(items, number_bytes, position_bytes);
    all.in_place = true;
    return all;
  }
  static numbered_sort of(const sort_problem& problem, const device& machine) {
    numbered_sort s{problem, machine};
    sort_gpu_strategies::with("sort", choose_sort(problem, machine).strategy, [&](auto chosen) {
      s.bytes = temporary_bytes<decltype(chosen)>(chosen.decide(problem, machine));
    });
    return s;
  }
  template <class Add>
  void each_step(const Add& add) const {
    const plan sorting = plan_by<sort_gpu_strategies>("sort", problem, machine, choose_sort(problem, machine));
    for (const step& s : sorting.steps) add(s);
  }

#if defined(__CUDACC__)
  template <class U, class Position>
  void run(const gpu& on, void* memory, view<U, Position> numbered) const {
    arena room(memory, bytes);
    const gpu sorting{.stream = on.stream, .memory = &room};
    sort_by_plan<sort_gpu_strategies, U, Position>(sorting, problem, {}, numbered, numbered, key_order<U>{}, {});
  }
#endif
};

/// The launch of a kernel whose threads go over items one at a time.
inline step over_items_step(std::string_view name, std::size_t items, const device& machine) {
  step s = number_items_step(items, machine);
  s.name = name;
  return s;
}

}  // namespace peneira::detail
