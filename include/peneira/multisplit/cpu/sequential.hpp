// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread, two plain loops, no temporary memory but some tables on the stack. The offsets themselves
// serve as the counters of few items, and as positions.
//
//   count into offsets -> running sum -> put each item at offsets[bin]++ -> move the offsets back by one bin
//
// Reads each item twice and writes it once. Wins where starting a team would cost more than the work.
#pragma once

#include "peneira/cpu/scatter/count.hpp"
#include "peneira/cpu/scatter/scatter.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

namespace peneira::multisplit_strategies {

struct sequential : detail::takes_all<multisplit_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, a plain loop, no temporary memory";

  struct parameters {
    step count{"count"};
    step scatter{"scatter"};

    static constexpr std::tuple fields{detail::members{&parameters::count, &parameters::scatter}};
  };

  static parameters decide(const multisplit_problem& /*problem*/, const host& /*machine*/) { return {}; }

  template <class K, class V, class F, class Offset>
  static void run(const cpu& /*on*/, const parameters& /*p*/, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets) {
    split(in, out, f, offsets);
  }

  /// What run does, without a plan.
  template <class K, class V, class F, class Offset>
  static void split(view<const K, const V> in, view<K, V> out, const F& f, Offset* offsets) {
    const std::size_t bins = f.bins();
    detail::count_few(f, in.keys, in.size, offsets);
    offsets[bins] = 0;
    Offset position = 0;
    for (std::size_t b = 0; b <= bins; ++b) {
      const Offset count = offsets[b];
      offsets[b] = position;
      position = static_cast<Offset>(position + count);
    }
    detail::scatter_direct(in, f, 0, out, offsets);
    for (std::size_t b = bins; b > 0; --b) offsets[b] = offsets[b - 1];
    offsets[0] = 0;
  }
};

}  // namespace peneira::multisplit_strategies
