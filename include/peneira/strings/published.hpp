// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sorts of strings of Colichio and others, "Ordenacao Paralela com OpenMP e CUDA", to measure against and to learn
// from. They stand in lists and behind a call of their own.
#pragma once

#include <type_traits>

#include "peneira/sort_strings.hpp"
#include "peneira/strings/published/doubling_merge.hpp"
#include "peneira/strings/published/task_merge_quicksort.hpp"

namespace peneira {

/// The published strategies of sort_strings on a CPU.
using sort_strings_published_cpu_strategies = strategy_list<sort_strings_strategies::task_merge_quicksort>;
/// The published strategies of sort_strings on a GPU.
using sort_strings_published_gpu_strategies = strategy_list<sort_strings_strategies::doubling_merge>;

namespace published {

/// pn::sort_strings by a published strategy, which the options must name. `merges` has their knobs.
template <class Place, class Strings, class Permutation>
requires place<std::remove_cvref_t<Place>>
void sort_strings(Place&& on, const Strings& all, Permutation&& permutation, const sort_strings_options& options,
                  const string_merge_shape& merges = {}) {
  using list = std::conditional_t<detail::is_cpu<std::remove_cvref_t<Place>>, sort_strings_published_cpu_strategies,
                                  sort_strings_published_gpu_strategies>;
  if (options.strategy.empty()) detail::reject("sort_strings", "strategy", "must name one of: " + list::names());
  if constexpr (detail::sort_strings_arguments<Place, Strings, Permutation>::good) {
    detail::sort_strings_by<list>(on, all, permutation, options, merges);
  }
}

}  // namespace published
}  // namespace peneira
