// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU segmented reduction of Cordeiro and Nunan Zola (2024), to measure against and to learn from. It stands in a
// list and behind a call of its own, so that pn::segmented_reduce does not compile a caller's operator for it.
#pragma once

#include <concepts>
#include <type_traits>

#include "peneira/segmented_reduce.hpp"
#include "peneira/segmented_reduce/published/best_reduce.hpp"

namespace peneira {

/// The published strategies of segmented_reduce, all for a GPU.
using segmented_reduce_published_strategies = strategy_list<segmented_reduce_strategies::best_reduce>;

namespace published {

/// pn::segmented_reduce by a published strategy, which the options must name, on a GPU or a planner for one. It
/// combines by atomics: the options must allow order::any, the operator must be commutative, and results have 4 or 8
/// bytes, to which their type is aligned. `limits` say which segments a warp, a block and the whole grid take.
template <class Place, class In, class Segments, class Out, class Op>
requires std::same_as<std::remove_cvref_t<Place>, gpu> || std::same_as<std::remove_cvref_t<Place>, planner<device>>
void segmented_reduce(Place&& on, In&& in, Segments&& segments, Out&& out, const Op& op,
                      const segmented_reduce_options& options, const best_reduce_limits& limits = {}) {
  if (options.strategy.empty()) {
    detail::reject("segmented_reduce", "strategy",
                   "must name one of: " + segmented_reduce_published_strategies::names());
  }
  if constexpr (detail::at_place<Place>::good && detail::readable_column<In>::good &&
                detail::readable_segments<Segments>::good && detail::writable_column<Out>::good) {
    detail::segmented_reduce_by<segmented_reduce_published_strategies>(on, in, segments, out, op, options, limits);
  }
}

}  // namespace published
}  // namespace peneira
