// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One list a primitive and place. The automatic choice, `--strategy NAME`, the benchmark, the tests and `peneira
// strategies` all go through it, so that adding a strategy is one file and one word.
#pragma once

#include <string>
#include <string_view>

#include "peneira/config.hpp"
#include "peneira/error.hpp"

namespace peneira {

/// The strategies of one primitive at one place. A strategy is a struct with
///   name, about       what it is called, and one sentence on it
///   refuses(problem, machine)    why it cannot take a problem; empty if it can. Correctness only, not taste
///   make_plan(problem, machine)  what it will do
///   run(...)                     does it, by the plan
template <class... Strategies>
struct strategy_list {
  /// Calls f(Strategy{}) for each, in order.
  template <class F>
  static void for_each(F&& f) {
    (f(Strategies{}), ...);
  }

  /// Calls f(Strategy{}) for the one of that name; throws std::invalid_argument where there is none.
  template <class F>
  static void with(std::string_view call, std::string_view name, F&& f) {
    const bool found = ((Strategies::name == name && (f(Strategies{}), true)) || ...);
    if (!found) {
      detail::reject(call, "strategy",
                     std::string(1, '"').append(name).append("\" is unknown here; there are: ") + names());
    }
  }

  /// The names, separated by commas.
  static std::string names() {
    std::string all;
    (all.append(all.empty() ? "" : ", ").append(Strategies::name), ...);
    return all;
  }
};

namespace detail {

template <class... Lists>
struct joined_lists;
template <class... A, class... B>
struct joined_lists<strategy_list<A...>, strategy_list<B...>> {
  using type = strategy_list<A..., B...>;
};

}  // namespace detail

/// The strategies of two lists, one list behind the other.
template <class First, class Second>
using joined = typename detail::joined_lists<First, Second>::type;

}  // namespace peneira
