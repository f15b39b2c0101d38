// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Few items into many bins in one launch (sparse.cuh): every block finds the bins of all items, and writes some of the
// offsets and some of the items. `tiles` goes this way where it can.
#pragma once

#include <algorithm>

#include "peneira/bins.hpp"
#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/multisplit/gpu/sparse_shape.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/plan.hpp"
#include "peneira/tuning/gpu.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/multisplit/gpu/sparse.cuh"
#endif

namespace peneira::multisplit_strategies {

struct sparse {
  struct parameters {
    std::uint32_t bins_a_block = 0;
    step split;

    static constexpr std::tuple fields{
        detail::field{&parameters::bins_a_block, "bins a block", "whose offsets it writes"},
        detail::members{&parameters::split},
    };
  };

  /// Whether items are so few, beside the bins, that every block may look at all. `room` is what a block may have.
  static bool takes(const multisplit_problem& problem, const device& machine, std::size_t room) {
    const bool few = problem.items <= detail::most_few_items(problem.item_bytes());
    return problem.bins >= (few ? tuning::sparse_bins : tuning::tile_bins + 1) &&
           problem.items <= tuning::sparse_items(problem.bins) &&
           detail::sparse_bytes(problem.items, bins_of_block(problem, machine)) <= room;
  }

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    parameters p;
    p.bins_a_block = bins_of_block(problem, machine);
    p.split = {"split_sparse", (problem.bins - 1) / p.bins_a_block + 1, detail::sparse_threads,
               detail::sparse_bytes(problem.items, p.bins_a_block)};
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, const view<const K, const V>& in, const view<K, V>& out,
                  const F& f, Offset* offsets) {
    using bin = detail::whole_bin<F>;
    detail::launch(on, p.split, detail::split_sparse<K, V, bin, Offset>, in, out, bin{f}, f.bins(), p.bins_a_block,
                   offsets);
  }
#endif

 private:
  static std::uint32_t bins_of_block(const multisplit_problem& problem, const device& machine) {
    return (problem.bins - 1) / static_cast<std::uint32_t>(machine.sms) + 1;
  }
};

}  // namespace peneira::multisplit_strategies
