// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// atomics: every item is added to its count in global memory, once for all lanes of a warp that have its bin.
//
// Reads each item once, and writes to the second-level cache once an item of a bin that its neighbours do not have: for
// more bins than shared memory holds.
#pragma once

#include <algorithm>

#include "peneira/histogram/gpu/bin_sums.cuh"
#include "peneira/histogram/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu_calls.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/even_ranges.hpp"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/histogram/gpu/atomics.cuh"
#endif

namespace peneira::histogram_strategies {

struct atomics {
  static constexpr std::string_view name = "atomics";
  static constexpr std::string_view about = "counts in global memory, for more bins than shared memory holds";

  static std::string refuses(const histogram_problem& problem, const device& /*machine*/) {
    return detail::refuse_rounding(problem);
  }

  struct parameters {
    histogram_problem problem;
    step clear;
    std::optional<step> count;

    static constexpr std::tuple fields{detail::members{&parameters::clear, &parameters::count}};
  };

  static parameters decide(const histogram_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    p.clear = detail::clear_bins_step(problem.bins, machine);
    if (problem.items == 0) return p;
    constexpr std::uint32_t threads = tuning::histogram_global_threads;
    const std::size_t blocks = std::min((problem.items - 1) / threads + 1,
                                        tuning::histogram_global_blocks * static_cast<std::size_t>(machine.sms));
    p.count = {problem.weight_bytes == 0 ? "count_bins_globally" : "weigh_bins_globally", blocks, threads};
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class W, class F, class Count>
  static void run(const gpu& on, const parameters& p, view<const K, const W> in, const F& f, Count* counts) {
    const std::uint32_t bins = p.problem.bins;
    detail::launch(on, p.clear, detail::clear_bins<Count>, counts, bins);
    if (!p.count.has_value()) return;
    detail::with_fast_form(f, [&]<class Fast>(const Fast& fast) {
      using bin = detail::whole_bin<Fast>;
      if constexpr (view<K, W>::has_values) {
        using sum = detail::weight_sum<Count>;
        detail::launch(on, detail::start::early, *p.count, detail::weigh_bins_globally<sum, K, W, bin, Count>, in.keys,
                       in.values, in.size, bin{fast}, bins, counts);
      } else {
        detail::launch(on, detail::start::early, *p.count, detail::count_bins_globally<K, bin, Count>, in.keys, in.size,
                       bin{fast}, bins, counts);
      }
    });
  }
#endif
};

}  // namespace peneira::histogram_strategies
