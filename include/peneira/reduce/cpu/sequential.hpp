// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread, one loop, no temporary memory. Wins where starting a team would cost more than the work.
#pragma once

#include "peneira/reduce/problem.hpp"
#include "peneira/reduce/reference.hpp"
#include "peneira/strategy.hpp"

namespace peneira::reduce_strategies {

struct sequential : detail::takes_all<reduce_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, one loop, no temporary memory";

  struct parameters {
    step reduce{"reduce"};

    static constexpr std::tuple fields{detail::members{&parameters::reduce}};
  };

  static parameters decide(const reduce_problem& /*problem*/, const host& /*machine*/) { return {}; }

  template <class T, class Result, class Op>
  static void run(const cpu& /*on*/, const parameters& /*p*/, const T* items, std::size_t n, Result* result,
                  const Op& op) {
    *result = reference::reduce<Result>(items, 0, n, op);
  }
};

}  // namespace peneira::reduce_strategies
