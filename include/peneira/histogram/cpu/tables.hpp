// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tables: every thread counts a part of the items in tables of its own, and all add them up, some bins each.
//
//   items   [ part 0 | part 1 | ... ]  --count, several tables at a time-->  a row of bins each  --add-->  counts
//
// Reads each item once: 4 bytes for a 32-bit key. Few bins are counted by pairs of items or in several tables, so that
// increments of one bin do not wait for each other (cpu/scatter/count.hpp). Sums of floats are doubles until the end,
// and their parts are the same for any number of threads: so are their bits.
#pragma once

#include <algorithm>
#include <type_traits>

#include "peneira/cpu/scatter/count.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/histogram/cpu/weigh.hpp"
#include "peneira/histogram/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::histogram_strategies {

struct tables : detail::takes_all<histogram_problem> {
  static constexpr std::string_view name = "tables";
  static constexpr std::string_view about = "all threads, each with tables of its own, which are added up";

  struct parameters {
    histogram_problem problem;
    unsigned threads = 1;
    unsigned parts = 1;
    step count;
    step add;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::field{&parameters::parts, "parts", "of the items, each with a row of counts"},
        detail::members{&parameters::count, &parameters::add},
    };
  };

  static parameters decide(const histogram_problem& problem, const host& machine) {
    parameters p;
    p.problem = problem;
    p.threads = tuning::cpu_threads(problem.items, detail::least_counted(problem), machine.threads);
    p.parts = p.threads;
    if (problem.rounds && problem.grouping == order::stable) {
      p.parts = fixed_parts(problem);
      p.threads = std::min(p.threads, p.parts);
    }
    const bool few = std::size_t{p.parts} * problem.bins < tuning::cpu_sequential_items;
    p.count = {"count", p.threads};
    p.add = {"add", few ? 1 : p.threads};
    return p;
  }

  struct arrays {
    void* rows;               ///< parts x bins: counts of 64 bits, or sums of weights
    std::uint32_t* counters;  ///< threads x counters_for(bins), of items without weights
    void* sums;               ///< threads x weigh_tables(bins) x bins, of items with weights
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    const std::size_t bins = p.problem.bins;
    const std::size_t sum_bytes = p.problem.weight_bytes == 0 || p.problem.rounds ? 8 : p.problem.count_bytes;
    arrays a{};
    a.rows = memory.take_bytes(p.parts * bins * sum_bytes);
    if (p.problem.weight_bytes == 0) {
      a.counters = memory.template take<std::uint32_t>(p.threads * detail::counters_for(p.problem.bins));
    } else {
      a.sums = memory.take_bytes(p.threads * detail::weigh_scratch(p.problem.bins) * sum_bytes);
    }
    return a;
  }

  template <class K, class W, class F, class Count>
  static void run(const cpu& on, const parameters& p, view<const K, const W> in, const F& f, Count* counts) {
    const detail::temporary<tables> memory(on, p);
    if constexpr (view<K, W>::has_values) {
      using sum = detail::weight_sum<Count>;
      auto* const rows = static_cast<sum*>(memory.rows);
      auto* const scratch = static_cast<sum*>(memory.sums);
      each_part(p, in, [&](view<const K, const W> part, std::size_t first, unsigned row, unsigned m) {
        detail::weigh_slice(f, part, first, scratch + m * detail::weigh_scratch(f.bins()),
                            rows + row * std::size_t{f.bins()});
      });
      add_rows(p, rows, counts);
    } else {
      auto* const rows = static_cast<std::uint64_t*>(memory.rows);
      each_part(p, in, [&](view<const K, const W> part, std::size_t first, unsigned row, unsigned m) {
        detail::count_slice(f, part.keys, first, part.size, memory.counters + m * detail::counters_for(f.bins()),
                            rows + row * std::size_t{f.bins()});
      });
      add_rows(p, rows, counts);
    }
  }

 private:
  /// As many as any machine has use for, of enough items that adding up their rows does not count.
  static unsigned fixed_parts(const histogram_problem& problem) {
    const std::size_t least = std::max<std::size_t>(tuning::cpu_sequential_items / 2, std::size_t{4} * problem.bins);
    const std::size_t most = problem.bins <= tuning::cpu_sequential_items / 4 ? 64 : 16;
    return static_cast<unsigned>(std::clamp<std::size_t>(problem.items / least, 1, most));
  }

  /// Calls work(part, number of its first item, row, member) for each part.
  template <class K, class W, class Work>
  static void each_part(const parameters& p, view<const K, const W> in, const Work& work) {
    detail::on_each_part(p.threads, p.parts, [&](unsigned row, unsigned m) {
      const auto [begin, end] = detail::slice(in.size, row, p.parts);
      work(in.part(begin, end - begin), begin, row, m);
    });
  }

  template <class Sum, class Count>
  static void add_rows(const parameters& p, const Sum* rows, Count* counts) {
    const std::size_t bins = p.problem.bins;
    const auto members = static_cast<unsigned>(p.add.grid);
    detail::on_each(members, [&](unsigned m) {
      const auto [begin, end] = detail::slice(bins, m, members);
      for (std::size_t b = begin; b < end; ++b) {
        Sum all = rows[b];
        for (unsigned r = 1; r < p.parts; ++r) all += rows[r * bins + b];
        counts[b] = static_cast<Count>(all);
      }
    });
  }
};

}  // namespace peneira::histogram_strategies
