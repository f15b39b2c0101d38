// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs by one thread, written as they are found.
#pragma once

#include "peneira/cpu/runs.hpp"
#include "peneira/runs/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::runs_strategies {

struct sequential : detail::takes_all<runs_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, no temporary memory; counted before only where room is short";

  struct parameters {
    step write{"write"};

    static constexpr std::tuple fields{detail::members{&parameters::write}};
  };

  static parameters decide(const runs_problem& /*problem*/, const host& /*machine*/) { return {}; }

  /// As pieces::run.
  template <class K, class Length, class Check>
  static std::size_t run(const cpu& /*on*/, const parameters& /*p*/, const K* items, std::size_t n, K* values,
                         Length* lengths, const Check& check) {
    if (check.room() < n) {
      std::uint64_t firsts[2];
      check(detail::count_runs(1, items, detail::run_pieces{n, n}, firsts));
    }
    return detail::write_runs(items, 0, n, values, lengths);
  }
};

}  // namespace peneira::runs_strategies
