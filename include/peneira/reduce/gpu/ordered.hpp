// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// ordered: strictly in the order of the items, for operators that are associative and no more: a merge-based segmented
// reduce with all items as its one segment. One launch, reads each item once.
#pragma once

#include <string>
#include <string_view>

#include "peneira/reduce/problem.hpp"
#include "peneira/segmented_reduce/gpu/merged.hpp"

namespace peneira::reduce_strategies {

struct ordered {
  static constexpr std::string_view name = "ordered";
  static constexpr std::string_view about = "strictly in the order of the items, for operators that need it";

  static std::string refuses(const reduce_problem& problem, const device& machine) {
    if (problem.commutative) return "is for operators that do not say that they are commutative";
    return segments::refuses(as_one_segment(problem), machine);
  }

  using parameters = segmented_reduce_strategies::merged::parameters;

  static parameters decide(const reduce_problem& problem, const device& machine) {
    return segments::decide(as_one_segment(problem), machine);
  }
  template <class Memory>
  static auto lay_out(Memory& memory, const parameters& p) {
    return segments::lay_out(memory, p);
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, Result* result, const Op& op) {
    if constexpr (!detail::is_commutative<Op>) {  // the others need not be compiled for it
      const detail::even_segments all{n == 0 ? 1 : n, n};
      segments::run<T, Result>(on, p, items, n, all, 1, result, op, false);
    }
  }
#endif

 private:
  using segments = segmented_reduce_strategies::merged;

  static segmented_reduce_problem as_one_segment(const reduce_problem& problem) {
    return {problem.items,    1,    problem.item_bytes, problem.result_bytes, 0, problem.commutative,
            problem.grouping, false};
  }
};

}  // namespace peneira::reduce_strategies
