// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of strings of Colichio and others, "Ordenacao Paralela com OpenMP e CUDA", to measure against and to learn
// from. It stands in a list and behind a call of its own.
#pragma once

#include <concepts>
#include <string>
#include <type_traits>

#include "peneira/sort_strings.hpp"
#include "peneira/strings/published/task_merge_quicksort.hpp"

namespace peneira {

using sort_strings_published_cpu_strategies = strategy_list<sort_strings_strategies::task_merge_quicksort>;

namespace published {

/// pn::sort_strings by a published strategy, which the options must name, on a CPU or a planner for one. `merges` has
/// its knobs.
template <class Place, class Strings, class Permutation>
requires std::same_as<std::remove_cvref_t<Place>, cpu> || std::same_as<std::remove_cvref_t<Place>, planner<host>>
void sort_strings(Place&& on, const Strings& all, Permutation&& permutation, const sort_strings_options& options,
                  const string_merge_shape& merges = {}) {
  if (options.strategy.empty()) {
    detail::reject("sort_strings", "strategy", "must name one of: " + sort_strings_published_cpu_strategies::names());
  }
  detail::sort_strings_by<sort_strings_published_cpu_strategies>(on, all, permutation, options, merges);
}

}  // namespace published
}  // namespace peneira
