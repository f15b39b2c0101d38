// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// direct: all threads, each item straight to its place.
//
//   slice of thread t  --count-->  row t of counts  --one scan over bins x threads-->  --scatter-->  out
//
// Reads each item twice and writes it once, but every write that misses the cache drags a whole line in and out. Wins
// for items that fill much of a line by themselves, for more bins than items, and for many bins of items that the
// caches hold.
#pragma once

#include "peneira/cpu/scatter/split.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::multisplit_strategies {

struct direct : detail::takes_all<multisplit_problem> {
  static constexpr std::string_view name = "direct";
  static constexpr std::string_view about = "all threads, each item straight to its place";

  struct parameters {
    std::uint32_t bins = 0;
    unsigned threads = 0;
    step count;
    step scan;
    step scatter;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::members{&parameters::count, &parameters::scan, &parameters::scatter},
    };
  };

  static parameters decide(const multisplit_problem& problem, const host& machine) {
    unsigned threads = problem.worth_threads(machine);
    if (problem.cost() > 1) {
      threads = tuning::cpu_threads(problem.items, problem.bins, threads);
    } else if (tuning::on_x86 && problem.bytes() <= machine.l2) {
      threads = tuning::cpu_threads(problem.items * problem.widest(), least_bytes_a_thread(problem), threads);
    }
    return {problem.bins, threads, {"count", threads}, {"scan"}, {"scatter", threads}};
  }

  /// Bytes of keys, or of values if these are wider, that are worth one more thread where a core's cache holds the
  /// items.
  static constexpr std::size_t least_bytes_a_thread(const multisplit_problem& problem) {
    if (problem.items >= tuning::cpu_sequential_items) return tuning::cpu_direct_part * problem.bins;
    return tuning::cpu_direct_few_part * problem.bins * (problem.value_bytes == 0 ? 1 : 2);
  }

  template <class Memory>
  static detail::split_scratch lay_out(Memory& memory, const parameters& p) {
    return detail::split_scratch::take(memory, p.bins, p.threads, 0);
  }

  template <class K, class V, class F, class Offset>
  static void run(const cpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets) {
    const detail::temporary<direct> memory(on, p);
    detail::split_level(p.threads, in, out, f, 0, 0, offsets, memory, {});
    offsets[f.bins()] = static_cast<Offset>(in.size);
  }
};

}  // namespace peneira::multisplit_strategies
