// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// records: records of up to 64 bytes by the key that a function gives. They are split as keys are (partitioned.hpp), by
// the highest bits of their keys' ranks, into bins that fit a cache; there ranks are sorted with the records' numbers,
// and each record is moved to its place (record_leaf.hpp). So a record is moved twice, and read once more to count.
// Stable.
//
// Needs a copy of the records and, for each thread, one to a few times half its second-level cache and up to 1 MiB
// more.
#pragma once

#include <algorithm>

#include "peneira/host.hpp"
#include "peneira/sort/cpu/partitioned.hpp"
#include "peneira/sort/cpu/record_leaf.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::sort_strategies {

struct records : detail::takes_all<record_sort_problem> {
  static constexpr std::string_view name = "records";
  static constexpr std::string_view about =
      "all threads, split into bins that fit a cache, there by numbers of records";

  struct parameters {
    record_sort_problem problem;
    std::size_t leaf_items = 0;  ///< all are one leaf; or else:
    std::optional<partitioned::parameters> levels;
    step sort;

    static constexpr std::tuple fields{detail::members{&parameters::levels, &parameters::sort}};
  };

  static parameters decide(const record_sort_problem& problem, const host& machine) {
    const sort_problem as_keys{problem.items, problem.record_bytes};
    parameters p;
    p.problem = problem;
    const bool alone = problem.items < tuning::cpu_sort_rows_team_items(machine.threads) || machine.threads == 1;
    if (alone && problem.items <= partitioned::cached_items(as_keys, machine)) {
      p.leaf_items = problem.items;
      p.sort = {"sort leaf"};
      return p;
    }
    p.levels = partitioned::decide_segments(as_keys, machine);
    p.levels->levels->leaf_copies = detail::record_leaf_copies(problem.record_bytes, problem.key_bytes);
    return p;
  }

  struct arrays {
    void* leaf;
    partitioned::arrays levels;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.levels.has_value()) {
      a.levels = partitioned::lay_out(memory, *p.levels);
    } else {
      const std::size_t copies = detail::record_leaf_copies(p.problem.record_bytes, p.problem.key_bytes);
      a.leaf = memory.take_bytes(p.leaf_items * copies * p.problem.record_bytes);
    }
    return a;
  }

  /// Rank: a record_rank.
  template <class Record, class Rank>
  static void run(const cpu& on, const parameters& p, view<const Record, const no_value> in, view<Record, no_value> out,
                  const Rank& rank) {
    const view<Record, no_value> to = out.part(0, in.size);
    if (in.size < 2) return detail::copy_items(in, to);
    const detail::temporary<records> memory(on, p);
    if (p.levels.has_value()) {
      const auto parts = partitioned::memory_of_levels<Record, no_value>(*p.levels, memory.levels);
      detail::level_sort<Record, no_value, Rank>(*p.levels->levels, parts, in, to, rank).run();
    } else {
      sort_leaf(in, view<Record, no_value>{static_cast<Record*>(memory.leaf), nullptr, in.size}, to, rank);
    }
  }
};

}  // namespace peneira::sort_strategies
