// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Few items in one launch, by ballots and without a tile (ballot_scatter.cuh). Every block reads all items and has some
// of the bins. `tiles` goes this way where it can.
#pragma once

#include <algorithm>

#include "peneira/bins.hpp"
#include "peneira/gpu/scatter/tile_shape.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/plan.hpp"
#include "peneira/tuning/gpu.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/runtime.cuh"
#include "peneira/gpu/scatter/ballot_scatter.cuh"
#endif

namespace peneira::multisplit_strategies {

struct few {
  struct parameters {
    std::size_t items_a_thread = 0;
    std::uint32_t bins_a_block = 0;
    step scatter;

    static constexpr std::tuple fields{
        detail::field{&parameters::items_a_thread, "items a thread", "at most"},
        detail::field{&parameters::bins_a_block, "bins a block",
                      "but for the first block, one of these stands for all bins below"},
        detail::members{&parameters::scatter},
    };
  };

  /// Whether so few items take a thread a few each; `shared` is what a block may have beside its static memory.
  static bool takes(const multisplit_problem& problem, std::size_t shared) {
    return problem.items <= detail::most_few_items(problem.item_bytes()) && problem.bins < tuning::sparse_bins &&
           detail::few_bytes(bins_of_block(problem)) <= shared;
  }

  static parameters decide(const multisplit_problem& problem) {
    const std::size_t items =
        problem.items <= detail::few_items ? detail::few_items : detail::most_few_items(problem.item_bytes());
    parameters p;
    p.items_a_thread = items / tuning::tile_threads;
    p.bins_a_block = bins_of_block(problem);
    const std::uint32_t blocks = problem.bins <= p.bins_a_block ? 1 : 1 + (problem.bins - 2) / (p.bins_a_block - 1);
    p.scatter = {"scatter_few", blocks, tuning::tile_threads, detail::few_bytes(p.bins_a_block)};
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, const view<const K, const V>& in, const view<K, V>& out,
                  const F& f, Offset* offsets) {
    constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
    constexpr unsigned most = detail::most_few_items(sizeof(K) + value_bytes) / tuning::tile_threads;
    constexpr unsigned least = detail::few_items / tuning::tile_threads;
    using bin = detail::whole_bin<F>;
    detail::launch(on, p.scatter,
                   p.items_a_thread <= least ? detail::scatter_few<least, K, V, bin, Offset>
                                             : detail::scatter_few<most, K, V, bin, Offset>,
                   in, out, bin{f}, f.bins(), p.bins_a_block, offsets);
  }
#endif

 private:
  /// Bins of a block; one more than its share, for those below.
  static std::uint32_t bins_of_block(const multisplit_problem& problem) {
    return std::min({problem.bins, problem.bins / tuning::few_blocks + 2, tuning::tile_bins});
  }
};

}  // namespace peneira::multisplit_strategies
