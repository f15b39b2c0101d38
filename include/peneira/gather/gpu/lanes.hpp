// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// lanes: a position a lane, some of them at a time, by which it moves the items of all columns; one launch.
//
// Reads each position once. Items in no order cost a sector of 32 bytes each; no temporary memory.
#pragma once

#include <algorithm>
#include <tuple>

#include "peneira/gather/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu_calls.hpp"

#if defined(__CUDACC__)
#include "peneira/gather/gpu/lanes.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::gather_strategies {

struct lanes {
  static constexpr std::string_view name = "lanes";
  static constexpr std::string_view about = "a position a lane, by which it moves the items of all columns";

  static std::string refuses(const gather_problem& /*problem*/, const device& /*machine*/) { return {}; }

  struct parameters {
    std::uint32_t together = tuning::gather_together;
    std::optional<step> move;

    static constexpr std::tuple fields{
        detail::field{&parameters::together, "together", "positions of a thread that are on their way at once"},
        detail::members{&parameters::move},
    };
  };

  static parameters decide(const gather_problem& problem, const device& machine) {
    parameters p;
    if (problem.items == 0) return p;
    constexpr std::size_t tile = std::size_t{tuning::gather_threads} * tuning::gather_together;
    const std::size_t most = tuning::gather_blocks * static_cast<std::size_t>(machine.sms);
    p.move = {"move_items", std::min((problem.items - 1) / tile + 1, most), tuning::gather_threads};
    return p;
  }

#if defined(__CUDACC__)
  template <bool Gather, class Position, class Ins, class Outs>
  static void run(const gpu& on, const parameters& p, const Ins& in, const Position* positions, std::size_t count,
                  const Outs& out, std::size_t limit) {
    if (!p.move.has_value()) return;
    std::apply(
        [&](const auto&... from) {
          std::apply(
              [&](const auto&... to) { launch<Gather>(on, *p.move, positions, count, limit, column(from, to)...); },
              out);
        },
        in);
  }

 private:
  template <class From, class To>
  static auto column(const From& from, const To& to) {
    return detail::moved_column<typename To::key_type>{from.keys, to.keys};
  }
  template <bool Gather, class Position, class... T>
  static void launch(const gpu& on, const step& planned, const Position* positions, std::size_t count,
                     std::size_t limit, const detail::moved_column<T>&... columns) {
    detail::launch(on, planned, detail::move_items<Gather, Position, T...>, positions, count, limit, columns...);
  }
#endif
};

}  // namespace peneira::gather_strategies
