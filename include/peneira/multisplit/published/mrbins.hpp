// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// mrbins: chooses among the other published strategies by the number of bins.
//
//   bins:  1 ......... buffers ............. 14 * buffers ......... any
//          buffer_global | buffer_persistent      | large
//
// where `buffers` is how many buffers of 32 items the shared memory of a block holds: 361 for the paper's 48 KiB and
// 32-bit keys. Bytes as for the chosen one. The problem's limits set the paper's numbers instead: 48 KiB, 5,000 bins.
//
// Cordeiro, Nunan Zola: mrBins, section 6 (see histograms.hpp).
#pragma once

#include "peneira/multisplit/published/buffer_global.hpp"
#include "peneira/multisplit/published/buffer_persistent.hpp"
#include "peneira/multisplit/published/large.hpp"
#include "peneira/multisplit/published/one_of.hpp"

namespace peneira::multisplit_strategies {

/// The paper goes over to large past 5,000 bins: its 361 buffers would go through the input more than 14 times.
inline constexpr std::size_t mrbins_most_rounds = 14;

struct mrbins : one_of<buffer_global, buffer_persistent, large> {
  static constexpr std::string_view name = "mrbins";
  static constexpr std::string_view about = "published: buffer_global, buffer_persistent or large, by the bins";

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    return refuse_all(problem, machine);
  }

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    return decide_for(choose(problem, machine), problem, machine);
  }

 private:
  static std::string_view choose(const multisplit_problem& problem, const device& machine) {
    const std::size_t buffers = buffers_of(problem, machine);
    const std::size_t limit = problem.published.buffered_bins;
    const std::size_t buffered = limit == 0 ? mrbins_most_rounds * buffers : limit;
    if (problem.bins > buffered || buffers == 0) return large::name;
    return problem.bins <= buffers ? buffer_global::name : buffer_persistent::name;
  }
};

}  // namespace peneira::multisplit_strategies
