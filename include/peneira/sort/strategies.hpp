// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of sort and the choice among them. To add one: include its file and put its name into a list; to
// prefer it somewhere: edit the choice.
#pragma once

#include "peneira/sort/cpu/partitioned.hpp"
#include "peneira/sort/cpu/sequential.hpp"
#include "peneira/sort/gpu/cluster.hpp"
#include "peneira/sort/gpu/enumeration.hpp"
#include "peneira/sort/gpu/lsd.hpp"
#include "peneira/sort/gpu/msd.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira {

/// The strategies of sort on a CPU.
using sort_cpu_strategies = strategy_list<sort_strategies::sequential, sort_strategies::partitioned>;

/// The strategies of sort on a GPU.
using sort_gpu_strategies =
    strategy_list<sort_strategies::enumeration, sort_strategies::cluster, sort_strategies::msd, sort_strategies::lsd>;

namespace detail {

/// The automatic choice on a CPU.
inline choice choose_sort(const sort_problem& problem, const host& machine) {
  if (sort_strategies::partitioned::is_small(problem.bytes(), machine)) {
    return {"partitioned", "so few items are one bin, sorted without memory of its own"};
  }
  return {"partitioned", "bins that fit a cache are sorted there"};
}

/// The choice on a GPU where a look at the keys costs nothing, as where it says whether to sort at all: `msd`, which
/// has that look, wherever it can be faster.
inline choice choose_looking_sort(const sort_problem& problem, const device& machine) {
  if (sort_strategies::enumeration::refuses(problem, machine).empty()) {
    return {"enumeration", "so few that counting what comes before each is soonest done: one launch"};
  }
  const bool by_cluster = sort_strategies::cluster::refuses(problem, machine).empty();
  const bool by_msd = problem.whole_key() && sort_strategies::msd::takes_few(problem) &&
                      sort_strategies::msd::refuses(problem, machine).empty();
  if (!by_msd && by_cluster) {
    return {"cluster", "few enough for the shared memory of one cluster: one launch"};
  }
  if (!problem.whole_key()) return {"lsd", "some bits of the keys alone, whose order must be kept"};
  if (problem.key_bytes == 1 && sort_strategies::lsd::refuses(problem, machine).empty()) {
    return {"lsd", "one pass is all that so few bits take"};
  }
  if (!sort_strategies::msd::refuses(problem, machine).empty()) {
    return {"lsd", "msd takes no more items, or a block has too little shared memory for it"};
  }
  return {"msd", "the highest bits first, until a block can sort the rest"};
}

/// The automatic choice on a GPU.
inline choice choose_sort(const sort_problem& problem, const device& machine) {
  const choice looking = choose_looking_sort(problem, machine);
  const bool narrow = looking.strategy == sort_strategies::msd::name && sort_strategies::msd::leaves_all(problem);
  if (narrow && sort_strategies::lsd::refuses(problem, machine).empty()) {
    return {"lsd", "so few narrow keys that passes take hardly longer than levels, whatever they are"};
  }
  return looking;
}

/// Why a device cannot sort for another call; empty where it can.
inline std::string refuse_sort(std::string_view call, const sort_problem& problem, const device& machine) {
  std::string why;
  sort_gpu_strategies::with(call, choose_sort(problem, machine).strategy,
                            [&](auto sort) { why = sort.refuses(problem, machine); });
  return why;
}

}  // namespace detail
}  // namespace peneira
