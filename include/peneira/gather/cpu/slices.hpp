// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// slices: every thread takes a slice of the positions, and moves all columns by a block of them at a time.
//
// Reads each position once. Items in no order cost a cache line each; no temporary memory.
#pragma once

#include <algorithm>

#include "peneira/cpu/team.hpp"
#include "peneira/gather/cpu/blocks.hpp"
#include "peneira/gather/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::gather_strategies {

struct slices : detail::takes_all<gather_problem> {
  static constexpr std::string_view name = "slices";
  static constexpr std::string_view about = "all threads, a slice of the positions each";

  struct parameters {
    std::size_t threads = 1;
    step move;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::members{&parameters::move},
    };
  };

  static parameters decide(const gather_problem& problem, const host& machine) {
    const std::size_t threads = tuning::cpu_threads(problem.bytes(), tuning::cpu_least_split_bytes, machine.threads);
    return {threads, {"move", threads}};
  }

  template <bool Gather, class Position, class Ins, class Outs>
  static void run(const cpu& /*on*/, const parameters& p, const Ins& in, const Position* positions, std::size_t count,
                  const Outs& out, std::size_t limit) {
    const auto threads = static_cast<unsigned>(p.threads);
    detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = detail::slice(count, m, threads);
      detail::move_slice<Gather>(in, positions, begin, end, out, limit);
    });
  }
};

}  // namespace peneira::gather_strategies
