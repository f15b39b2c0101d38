// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread, one loop, no temporary memory. Wins where starting a team would cost more than the work.
#pragma once

#include "peneira/scan/cpu/segments.hpp"
#include "peneira/scan/problem.hpp"
#include "peneira/scan/reference.hpp"
#include "peneira/strategy.hpp"

namespace peneira::scan_strategies {

struct sequential : detail::takes_all<scan_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, one loop, no temporary memory";

  struct parameters {
    step scan{"scan"};

    static constexpr std::tuple fields{detail::members{&parameters::scan}};
  };

  static parameters decide(const scan_problem& /*problem*/, const host& /*machine*/) { return {}; }

  template <class T, class Segments, class Result, class Op>
  static void run(const cpu& /*on*/, const parameters& /*p*/, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* out, const Op& op, bool inclusive) {
    detail::check_segments(segments, 0, count, n);
    reference::segmented_scan(items, segments, count, out, op, inclusive);
  }
};

}  // namespace peneira::scan_strategies
