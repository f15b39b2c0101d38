// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread. Wins where starting a team would cost more than the work.
#pragma once

#include "peneira/gather/cpu/blocks.hpp"
#include "peneira/gather/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::gather_strategies {

struct sequential : detail::takes_all<gather_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, a loop a column";

  struct parameters {
    step move{"move"};

    static constexpr std::tuple fields{detail::members{&parameters::move}};
  };

  static parameters decide(const gather_problem& /*problem*/, const host& /*machine*/) { return {}; }

  template <bool Gather, class Position, class Ins, class Outs>
  static void run(const cpu& /*on*/, const parameters& /*p*/, const Ins& in, const Position* positions,
                  std::size_t count, const Outs& out, std::size_t limit) {
    detail::move_slice<Gather>(in, positions, 0, count, out, limit);
  }
};

}  // namespace peneira::gather_strategies
