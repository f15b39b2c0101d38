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
  using choices = strategy_list<buffer_global, buffer_persistent, large>;

  static std::string refuses(const multisplit_problem& problem, const device& /*machine*/) {
    return refuse_stable(problem);
  }

  static std::string_view choose(const multisplit_problem& problem, const device& machine) {
    const std::size_t buffers = buffers_of(problem, machine);
    if (problem.bins <= buffers) return buffer_global::name;
    if (problem.bins <= mrbins_most_rounds * buffers) return buffer_persistent::name;
    return large::name;
  }

  static plan make_plan(const multisplit_problem& problem, const device& machine) {
    plan made;
    choices::with("multisplit", choose(problem, machine),
                  [&](auto chosen) { made = chosen.make_plan(problem, machine); });
    return made;
  }

#if defined(__CUDACC__)
  /// The last step of the plan names the one that was chosen.
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const plan& made, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    const std::string_view last = made.steps[made.steps.size() - 1].name;
    choices::for_each([&](auto chosen) {
      if (chosen.stage_two == last) chosen.template run<K, V>(on, made, in, out, f, offsets, checked);
    });
  }
#endif
};

}  // namespace peneira::multisplit_strategies
