// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// slices: every thread combines one slice of the items, and the slices' results are combined in their order.
//
//   items   [ slice 0 | slice 1 | ... | slice p-1 ]
//   thread t: slice t in four streams at once, each by several vector accumulators  -->  part t
//   parts 0 to p-1 in order  -->  result
//
// Reads every item once. Four streams a thread, since one does not keep the memory busy. Threads and slices follow from
// the number of items and of threads alone, so the same call gives the same bits on every run; a float sum is off by at
// most (n / (p a) + log2(a) + p) * epsilon / 2 * (the sum of magnitudes), with the a accumulators of cpu/fold.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "peneira/cpu/fold.hpp"
#include "peneira/cpu/lines.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/reduce/problem.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::reduce_strategies {

struct slices {
  static constexpr std::string_view name = "slices";
  static constexpr std::string_view about = "all threads, a slice each in several streams, combined in order";

  static std::string refuses(const reduce_problem& /*problem*/, const host& /*machine*/) { return {}; }

  static plan make_plan(const reduce_problem& problem, const host& machine) {
    plan p;
    const std::size_t useful = problem.bytes() / tuning::cpu_least_slice_bytes;
    const std::size_t threads = std::clamp<std::size_t>(useful, 1, std::max(1U, machine.threads));
    p.set("threads", threads, "that work together");
    p.steps.push_back({"reduce", threads});
    if (threads > 1) {
      p.steps.push_back({"combine"});
      p.temporary_bytes = detail::workspace::round_up(threads * stride(problem.result_bytes));
    }
    return p;
  }

  template <class T, class Result, class Op>
  static void run(const cpu& on, const plan& made, const T* items, std::size_t n, Result* result, const Op& op) {
    const auto threads = static_cast<unsigned>(made.get("threads"));
    if (threads == 1) {
      *result = detail::fold_items<Result>(items, 0, n, op);
      return;
    }
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, nullptr);
    auto* const parts = memory.take<std::byte>(threads * stride(sizeof(Result)));
    const auto part = [parts](unsigned m) { return reinterpret_cast<Result*>(parts + m * stride(sizeof(Result))); };
    detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = detail::slice(n, m, threads);
      new (part(m)) Result(detail::fold_items<Result>(items, begin, end, op));
    });
    Result all = *part(0);  // NOLINT(clang-analyzer-core.uninitialized.Assign): every member wrote its part
    for (unsigned m = 1; m < threads; ++m) all = op(all, *part(m));
    *result = all;
  }

 private:
  /// A part has cache lines of its own, so that threads do not wait for each other's.
  static constexpr std::size_t stride(std::size_t result_bytes) {
    return (result_bytes + 2 * detail::line_bytes - 1) / detail::line_bytes * detail::line_bytes;
  }
};

}  // namespace peneira::reduce_strategies
