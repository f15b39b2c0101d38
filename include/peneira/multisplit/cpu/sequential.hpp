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

#include <algorithm>
#include <array>

#include "peneira/cpu/scatter/count.hpp"
#include "peneira/cpu/scatter/scatter.hpp"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"
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
    count(in.keys, in.size, f, offsets);
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

 private:
  /// The items of each bin into offsets: where they are many for their bins, first into tables on the stack.
  template <class K, class F, class Offset>
  static void count(const K* keys, std::size_t n, const F& f, Offset* offsets) {
    const std::size_t bins = f.bins();
    offsets[bins] = 0;
    const std::size_t least = std::max(tuning::cpu_stack_count_least, tuning::cpu_stack_count_items * bins);
    if (bins <= tuning::cpu_stack_count_bins && n >= least && n >> 32U == 0) {
      return count_on_stack(keys, n, f, offsets);
    }
    std::fill_n(offsets, bins, Offset{0});
    detail::for_batches<false>(f, keys, 0, n,
                               [=]<std::size_t Count, bool Run>(std::size_t /*i*/, const std::uint32_t* bin) {
                                 for (std::size_t k = 0; k < Count; ++k) ++offsets[bin[k]];
                               });
  }

  /// Several tables let increments of one bin overlap.
  template <class K, class F, class Offset>
  [[gnu::noinline]] static void count_on_stack(const K* keys, std::size_t n, const F& f, Offset* offsets) {
    const std::size_t bins = f.bins();
    std::array<std::uint32_t, detail::count_tables * tuning::cpu_stack_count_bins> counters;
    std::fill_n(counters.data(), detail::count_tables * bins, 0);
    detail::count_into<detail::count_tables>(f, keys, 0, n, counters.data());
    for (std::size_t b = 0; b < bins; ++b) {
      std::uint32_t all = 0;
      for (unsigned t = 0; t < detail::count_tables; ++t) all += counters[t * bins + b];
      offsets[b] = static_cast<Offset>(all);
    }
  }
};

}  // namespace peneira::multisplit_strategies
