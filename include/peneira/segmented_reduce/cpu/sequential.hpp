// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread, a loop over the segments, no temporary memory. Wins where starting a team would cost more
// than the work.
#pragma once

#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/segmented_reduce/reference.hpp"
#include "peneira/strategy.hpp"

namespace peneira::segmented_reduce_strategies {

struct sequential : detail::takes_all<segmented_reduce_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, a loop over the segments, no temporary memory";

  struct parameters {
    step reduce{"reduce"};

    static constexpr std::tuple fields{detail::members{&parameters::reduce}};
  };

  static parameters decide(const segmented_reduce_problem& /*problem*/, const host& /*machine*/) { return {}; }

  template <class T, class Result, class Segments, class Op>
  static void run(const cpu& /*on*/, const parameters& /*p*/, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op) {
    fold(items, n, segments, count, results, op);
  }

  /// What run does, without a plan.
  template <class T, class Result, class Segments, class Op>
  static void fold(const T* items, std::size_t n, const Segments& segments, std::size_t count, Result* results,
                   const Op& op) {
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t begin = segments.begin(s);
      const std::size_t end = segments.end(s);
      if (end < begin || end > n) detail::reject_segment("segmented_reduce", s, begin, end, n);
      results[s] = reference::reduce<Result>(items, begin, end, op);
    }
  }
};

}  // namespace peneira::segmented_reduce_strategies
