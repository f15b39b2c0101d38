// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sequential: one thread, a stable sort of the standard library that compares strings. The yardstick of all others.
#pragma once

#include "peneira/host.hpp"
#include "peneira/strategy.hpp"
#include "peneira/strings/problem.hpp"
#include "peneira/strings/reference.hpp"
#include "peneira/strings/view.hpp"

namespace peneira::sort_strings_strategies {

struct sequential : detail::takes_all<sort_strings_problem> {
  static constexpr std::string_view name = "sequential";
  static constexpr std::string_view about = "one thread, the standard library's stable sort";

  /// The standard library takes its memory, half as much as the permutation, by itself.
  struct parameters {
    step sort{"sort"};

    static constexpr std::tuple fields{detail::members{&parameters::sort}};
  };

  static parameters decide(const sort_strings_problem& /*problem*/, const host& /*machine*/) { return {}; }

  template <class Offset, class Index>
  static void run(const cpu& /*on*/, const parameters& /*decided*/, const strings<Offset>& all, Index* permutation,
                  bool descending) {
    reference::sort_strings(all, permutation, descending);
  }
};

}  // namespace peneira::sort_strings_strategies
