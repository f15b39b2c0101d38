// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread, one loop, no temporary memory but some tables on the stack. Wins where starting a team would
// cost more than the work.
#pragma once

#include <algorithm>

#include "peneira/cpu/scatter/count.hpp"
#include "peneira/histogram/problem.hpp"
#include "peneira/ops.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

namespace peneira::histogram_strategies {

struct sequential : detail::takes_all<histogram_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, a plain loop, no temporary memory";

  struct parameters {
    step count{"count"};

    static constexpr std::tuple fields{detail::members{&parameters::count}};
  };

  static parameters decide(const histogram_problem& /*problem*/, const host& /*machine*/) { return {}; }

  template <class K, class W, class F, class Count>
  static void run(const cpu& /*on*/, const parameters& /*p*/, view<const K, const W> in, const F& f, Count* counts) {
    count(in, f, counts);
  }

  /// What run does, without a plan.
  template <class K, class W, class F, class Count>
  static void count(view<const K, const W> in, const F& f, Count* counts) {
    if constexpr (!view<K, W>::has_values) {
      detail::count_few(f, in.keys, in.size, counts);
    } else {
      std::fill_n(counts, f.bins(), Count{0});
      detail::for_batches<false>(f, in.keys, 0, in.size,
                                 [=]<std::size_t Together, bool Run>(std::size_t i, const std::uint32_t* bin) {
                                   for (std::size_t k = 0; k < Together; ++k) {
                                     counts[bin[k]] = plus{}(counts[bin[k]], static_cast<Count>(in.values[i + k]));
                                   }
                                 });
    }
  }
};

}  // namespace peneira::histogram_strategies
