// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// one_of: what the published strategies share that choose among others by the number of bins.
#pragma once

#include <cstddef>
#include <tuple>

#include "peneira/multisplit/published/histograms.hpp"
#include "peneira/strategy.hpp"

namespace peneira::multisplit_strategies {

template <class... Strategies>
struct one_of {
  /// The strategy that was chosen, and what it decided.
  struct parameters {
    std::string_view chosen;
    two_stages::parameters of_chosen;

    static constexpr std::tuple fields{detail::members{&parameters::of_chosen}};
  };

  template <class Memory>
  static two_stages::arrays lay_out(Memory& memory, const parameters& p) {
    return two_stages::lay_out(memory, p.of_chosen);
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    among::with("multisplit", p.chosen,
                [&](auto chosen) { chosen.template run<K, V>(on, p.of_chosen, in, out, f, offsets, checked); });
  }
#endif

 protected:
  static parameters decide_for(std::string_view chosen, const multisplit_problem& problem, const device& machine) {
    parameters p{chosen, {}};
    among::with("multisplit", chosen, [&](auto one) { p.of_chosen = one.decide(problem, machine); });
    return p;
  }

 private:
  using among = strategy_list<Strategies...>;
};

}  // namespace peneira::multisplit_strategies
