// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// tables: every block counts a slice of the items in tables in its shared memory, and adds them to the counts.
//
//   slice of block k --shared atomics--> copies of a table --add--> one table --atomics--> counts
//
// Reads each item once: 4 bytes for a 32-bit key; where shared memory has room for some of the bins only, once for each
// of several passes. Neighbouring lanes have copies of their own, as many as there is room
// for, so that neither hot bins nor banks make them wait for each other. The counts are cleared by a launch of its own,
// during which items are counted already.
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/histogram/gpu/bin_sums.cuh"
#include "peneira/histogram/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu_calls.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/even_ranges.hpp"
#include "peneira/histogram/gpu/tables.cuh"
#endif

namespace peneira::histogram_strategies {

struct shared_tables {
  static constexpr std::string_view name = "tables";
  static constexpr std::string_view about = "blocks count in tables of their own, several copies of few bins";

  static std::string refuses(const histogram_problem& problem, const device& machine) {
    const std::string refusal = detail::refuse_rounding(problem);
    if (!refusal.empty()) return refusal;
    const std::size_t most = tuning::histogram_passes * (machine.shared_per_block / problem.sum_bytes());
    return problem.bins <= most ? "" : "counts no more than " + std::to_string(most) + " bins in its passes";
  }

  struct parameters {
    histogram_problem problem;
    std::uint32_t bins = 0;
    std::uint32_t copies = 1;
    step clear;
    std::optional<step> count;

    static constexpr std::tuple fields{
        detail::field{&parameters::bins, "bins", "that are counted at a time"},
        detail::field{&parameters::copies, "copies", "of a block's table, for neighbouring lanes"},
        detail::members{&parameters::clear, &parameters::count},
    };
  };

  static parameters decide(const histogram_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.clear = detail::clear_bins_step(problem.bins, machine);
    if (problem.items == 0) return p;
    const std::size_t useful = (problem.items - 1) / tuning::histogram_block_items + 1;
    const std::size_t blocks = std::min(useful, static_cast<std::size_t>(machine.sms));
    const std::size_t most_bins = machine.shared_per_block / problem.sum_bytes();
    const std::size_t passes = (problem.bins + most_bins - 1) / most_bins;
    p.bins = static_cast<std::uint32_t>((problem.bins + passes - 1) / passes);
    const std::size_t table = std::size_t{p.bins} * problem.sum_bytes();
    const std::size_t room = std::min(tuning::histogram_table_bytes, machine.shared_per_block);
    const std::size_t worth = problem.items / blocks / tuning::histogram_items_a_counter;  // to clear and to add up
    while (p.copies < 32 && 2 * p.copies * table <= room && 2 * p.copies * std::size_t{p.bins} <= worth) {
      p.copies *= 2;
    }
    p.count = {problem.weight_bytes == 0 ? "count_bins" : "weigh_bins", blocks, tuning::histogram_threads,
               p.copies * table};
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class W, class F, class Count>
  static void run(const gpu& on, const parameters& p, view<const K, const W> in, const F& f, Count* counts) {
    const std::uint32_t bins = p.problem.bins;
    const auto shift = static_cast<unsigned>(std::countr_zero(p.copies));
    detail::launch(on, p.clear, detail::clear_bins<Count>, counts, bins);
    if (!p.count.has_value()) return;
    detail::with_fast_form(f, [&]<class Fast>(const Fast& fast) {
      using bin = detail::whole_bin<Fast>;
      if constexpr (view<K, W>::has_values) {
        using sum = detail::weight_sum<Count>;
        detail::launch(on, detail::start::early, *p.count, detail::weigh_bins<sum, K, W, bin, Count>, in.keys,
                       in.values, in.size, bin{fast}, bins, p.bins, shift, counts);
      } else {
        detail::launch(on, detail::start::early, *p.count, detail::count_bins<K, bin, Count>, in.keys, in.size,
                       bin{fast}, bins, p.bins, shift, counts);
      }
    });
  }
#endif
};

}  // namespace peneira::histogram_strategies
