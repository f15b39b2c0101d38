// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU reductions of Cordeiro and Nunan Zola (2024), to measure against and to learn from. They stand in a list and
// behind a call of their own, so that pn::reduce does not compile a caller's operator for them.
#pragma once

#include <concepts>
#include <type_traits>

#include "peneira/reduce.hpp"
#include "peneira/reduce/published/atomic.hpp"
#include "peneira/reduce/published/shared_memory.hpp"
#include "peneira/reduce/published/shuffle.hpp"
#include "peneira/reduce/published/vector4.hpp"

namespace peneira {

/// The published strategies of reduce, all for a GPU.
using reduce_published_strategies = strategy_list<reduce_strategies::shared_memory, reduce_strategies::shuffle,
                                                  reduce_strategies::atomic, reduce_strategies::vector4>;

namespace published {

/// pn::reduce by a published strategy, which the options must name, on a GPU or a planner for one. All of them combine
/// by atomics: the options must allow order::any, the operator must be commutative, and the result has 4 or 8 bytes, to
/// which its type is aligned.
template <class Place, class In, class Result, class Op>
requires std::same_as<std::remove_cvref_t<Place>, gpu> || std::same_as<std::remove_cvref_t<Place>, planner<device>>
void reduce(Place&& on, In&& in, Result* result, const Op& op, const reduce_options& options) {
  if (options.strategy.empty()) {
    detail::reject("reduce", "strategy", "must name one of: " + reduce_published_strategies::names());
  }
  if constexpr (detail::at_place<Place>::good && detail::readable_column<In>::good) {
    detail::reduce_by<reduce_published_strategies>(on, in, result, op, options);
  }
}

}  // namespace published
}  // namespace peneira
