// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU multisplit strategies of Cordeiro and Nunan Zola (2025) and of Ashkiani et al. (2017), to measure against and
// to learn from. They stand in a list and behind a call of their own, so that pn::multisplit does not compile a
// caller's function for them.
#pragma once

#include <concepts>
#include <type_traits>

#include "peneira/multisplit.hpp"
#include "peneira/multisplit/published/buffer_global.hpp"
#include "peneira/multisplit/published/buffer_per_bin.hpp"
#include "peneira/multisplit/published/buffer_persistent.hpp"
#include "peneira/multisplit/published/gpu_multisplit.hpp"
#include "peneira/multisplit/published/large.hpp"
#include "peneira/multisplit/published/mrbins.hpp"
#include "peneira/multisplit/published/multipartition.hpp"

namespace peneira {

/// The published strategies of multisplit, all for a GPU.
using multisplit_published_strategies =
    strategy_list<multisplit_strategies::large, multisplit_strategies::buffer_per_bin,
                  multisplit_strategies::buffer_global, multisplit_strategies::buffer_persistent,
                  multisplit_strategies::mrbins, multisplit_strategies::multipartition,
                  multisplit_strategies::gpu_multisplit>;

namespace published {

/// pn::multisplit by a published strategy, which the options must name, on a GPU or a planner for one. None of them but
/// gpu_multisplit keeps the input order, so the options must allow order::any. `limits` set the shared memory of a
/// block, its buffers and where mrbins goes over to large, as on the GPU of a paper.
template <class Place, class In, class Out, class F, class Offsets>
requires std::same_as<std::remove_cvref_t<Place>, gpu> || std::same_as<std::remove_cvref_t<Place>, planner<device>>
void multisplit(Place&& on, In&& in, Out&& out, const F& f, Offsets&& offsets, const multisplit_options& options,
                const published_multisplit_limits& limits = {}) {
  if (options.strategy.empty()) {
    detail::reject("multisplit", "strategy", "must name one of: " + multisplit_published_strategies::names());
  }
  if constexpr (detail::multisplit_arguments<Place, In, Out, F, Offsets>::good) {
    detail::multisplit_by<multisplit_published_strategies>(on, in, out, f, offsets, options, limits);
  }
}

}  // namespace published
}  // namespace peneira
