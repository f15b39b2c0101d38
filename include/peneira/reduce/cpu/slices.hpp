// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// slices: every thread combines one slice of the items, chunk by chunk, and the chunks' parts are combined in pairs.
//
//   items   [ slice 0 | slice 1 | ... | slice p-1 ]
//   thread t: the chunks of slice t, each in four streams at once by several vector accumulators  -->  a part each
//   parts   ((0 1) (2 3)) ((4 5) ...  -->  result
//
// Reads every item once. Four streams a thread, since one does not keep the memory busy. How items are grouped does not
// depend on the threads (cpu/fold.hpp), so the same call gives the same bits on every run and with any number of them;
// a float sum is off by at most (log2(n) + 16) * epsilon / 2 * (the sum of magnitudes).
#pragma once

#include <algorithm>

#include "peneira/cpu/fold.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/reduce/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::reduce_strategies {

struct slices : detail::takes_all<reduce_problem> {
  static constexpr std::string_view name = "slices";
  static constexpr std::string_view about = "all threads, a slice each in several streams, combined in pairs";

  struct parameters {
    reduce_problem problem;
    std::size_t threads = 1;
    step reduce;
    std::optional<step> combine;  ///< of more than one thread

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::members{&parameters::reduce, &parameters::combine},
    };
  };

  /// Whether one thread does it on any machine.
  static bool is_small(const reduce_problem& problem) { return problem.bytes() < 2 * tuning::cpu_least_slice_bytes; }

  static parameters decide(const reduce_problem& problem, const host& machine) {
    parameters p;
    p.problem = problem;
    p.threads = tuning::cpu_threads(problem.bytes(), tuning::cpu_least_slice_bytes, machine.threads);
    p.reduce = {"reduce", p.threads};
    if (p.threads > 1) p.combine = {"combine"};
    return p;
  }

  struct arrays {
    void* parts;  ///< what chunks were combined to; nullptr where there is one thread
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.threads > 1) a.parts = memory.take_bytes(most_chunks(p.threads) * detail::part_bytes(p.problem.result_bytes));
    return a;
  }

  template <class T, class Result, class Op>
  static void run(const cpu& on, const parameters& p, const T* items, std::size_t n, Result* result, const Op& op) {
    if (p.threads == 1) {
      *result = detail::fold_items<Result>(items, 0, n, op);
      return;
    }
    using blocks = detail::blocks_of<Result, T, Op>;
    using part = typename blocks::part;
    const auto threads = static_cast<unsigned>(p.threads);
    const detail::temporary<slices> memory(on, p);
    auto* const parts = static_cast<part*>(memory.parts);
    const blocks by{items, 0, n, op};
    const std::size_t all = detail::count_blocks<blocks>(n);
    const auto cut = detail::chunking::of(all, threads);
    const std::size_t chunks = cut.count(all);
    detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = detail::slice(chunks, m, threads);
      cut.fold(by, begin, end, parts);
    });
    *result = by.result(detail::join_chunks(by, parts, chunks));
  }

 private:
  static std::size_t most_chunks(std::size_t threads) { return tuning::cpu_fold_chunks * threads; }
};

}  // namespace peneira::reduce_strategies
