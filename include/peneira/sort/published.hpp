// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU sort of Bizio (2025), to measure against and to learn from. It stands in a list and behind a call of its own,
// so that pn::sort does not compile a caller's types for it.
#pragma once

#include <concepts>
#include <type_traits>

#include "peneira/sort.hpp"
#include "peneira/sort/published/mpp_sort.hpp"

namespace peneira {

/// The published strategies of sort, all for a GPU.
using sort_published_strategies = strategy_list<sort_strategies::mpp_sort>;

namespace published {

/// pn::sort by a published strategy, which the options must name, on a GPU or a planner for one. It does not keep the
/// order of equal keys: for pairs the options must allow order::any. `limits` say into how many partitions the first
/// round divides the keys, and how partitions are sorted.
template <class Place, class In, class Out>
requires std::same_as<std::remove_cvref_t<Place>, gpu> || std::same_as<std::remove_cvref_t<Place>, planner<device>>
void sort(Place&& on, In&& in, Out&& out, const sort_options& options, const mpp_sort_limits& limits = {}) {
  if (options.strategy.empty()) {
    detail::reject("sort", "strategy", "must name one of: " + sort_published_strategies::names());
  }
  if constexpr (detail::sort_arguments<Place, In, Out>::good) {
    detail::sort_by<sort_published_strategies>(on, in, out, options, &limits);
  }
}

}  // namespace published
}  // namespace peneira
