// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// mrbins: chooses among the other published strategies by the number of bins.
//
//   bins:  1 ......... buffers ............. 14 * buffers ......... any
//          buffer_global | buffer_persistent      | large
//
// where `buffers` is how many buffers of 32 items the shared memory of a block holds: 361 for the paper's 48 KiB and
// 32-bit keys. Bytes as for the chosen one.
//
// Cordeiro, Nunan Zola: mrBins, section 6 (see histograms.hpp).
#pragma once

#include "peneira/multisplit/published/buffer_global.hpp"
#include "peneira/multisplit/published/buffer_persistent.hpp"
#include "peneira/multisplit/published/large.hpp"
#include "peneira/strategy.hpp"

namespace peneira::multisplit_strategies {

/// The paper goes over to large past 5,000 bins: its 361 buffers would go through the input more than 14 times.
inline constexpr std::size_t mrbins_most_rounds = 14;

struct mrbins {
  static constexpr std::string_view name = "mrbins";
  static constexpr std::string_view about = "published: buffer_global, buffer_persistent or large, by the bins";

  enum class choice { buffer_global, buffer_persistent, large };

  /// The strategy that was chosen, and what it decided.
  struct parameters {
    choice chosen{};
    two_stages::parameters of_chosen;

    static constexpr std::tuple fields{detail::members{&parameters::of_chosen}};
  };

  static std::string refuses(const multisplit_problem& problem, const device& /*machine*/) {
    return refuse_stable(problem);
  }

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    parameters p;
    p.chosen = choose(problem, machine);
    with(p.chosen, [&](auto chosen) { p.of_chosen = chosen.decide(problem, machine); });
    return p;
  }

  template <class Memory>
  static two_stages::arrays lay_out(Memory& memory, const parameters& p) {
    return two_stages::lay_out(memory, p.of_chosen);
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    with(p.chosen, [&](auto chosen) { chosen.template run<K, V>(on, p.of_chosen, in, out, f, offsets, checked); });
  }
#endif

 private:
  static choice choose(const multisplit_problem& problem, const device& machine) {
    const std::size_t buffers = buffers_of(problem, machine);
    if (problem.bins <= buffers) return choice::buffer_global;
    if (problem.bins <= mrbins_most_rounds * buffers) return choice::buffer_persistent;
    return choice::large;
  }
  /// Calls use(Strategy{}) for the one that was chosen.
  template <class Use>
  static void with(choice chosen, const Use& use) {
    if (chosen == choice::buffer_global) {
      use(buffer_global{});
    } else if (chosen == choice::buffer_persistent) {
      use(buffer_persistent{});
    } else {
      use(large{});
    }
  }
};

}  // namespace peneira::multisplit_strategies
