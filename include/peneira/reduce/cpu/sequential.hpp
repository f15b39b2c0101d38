// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread, one loop, no temporary memory. Wins where starting a team would cost more than the work.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "peneira/reduce/problem.hpp"
#include "peneira/reduce/reference.hpp"

namespace peneira::reduce_strategies {

struct sequential {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, one loop, no temporary memory";

  static std::string refuses(const reduce_problem& /*problem*/, const host& /*machine*/) { return {}; }

  static plan make_plan(const reduce_problem& /*problem*/, const host& /*machine*/) {
    plan p;
    p.steps.push_back({"reduce"});
    return p;
  }

  template <class T, class Result, class Op>
  static void run(const cpu& /*on*/, const plan& /*made*/, const T* items, std::size_t n, Result* result,
                  const Op& op) {
    *result = reference::reduce<Result>(items, 0, n, op);
  }
};

}  // namespace peneira::reduce_strategies
