// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread, no memory but buffers on its stack. Wins where starting a team would cost more than the work.
#pragma once

#include <array>

#include "peneira/partition/cpu/blocks.hpp"
#include "peneira/partition/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

namespace peneira::partition_strategies {

struct sequential : detail::takes_all<partition_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, counted, then moved; no temporary memory";

  struct parameters {
    step count{"count"};
    step move{"move"};

    static constexpr std::tuple fields{detail::members{&parameters::count, &parameters::move}};
  };

  static parameters decide(const partition_problem& /*problem*/, const host& /*machine*/) { return {}; }

  template <std::size_t Ways, class K, class V, class F, class Count>
  static void run(const cpu& /*on*/, const parameters& /*p*/, view<const K, const V> in, view<K, V> out, const F& f,
                  Count* counts) {
    const std::array<std::uint64_t, Ways> sizes = detail::count_parts<Ways>(f, in.keys, 0, in.size);
    std::array<std::uint64_t, Ways> at{};
    std::array<std::uint64_t, Ways> end{};
    for (std::size_t w = 0; w < Ways; ++w) {
      at[w] = w == 0 ? 0 : end[w - 1];
      end[w] = at[w] + sizes[w];
      counts[w] = static_cast<Count>(sizes[w]);
    }
    detail::split_parts<Ways>(in, f, 0, out, at, end);
  }
};

}  // namespace peneira::partition_strategies
