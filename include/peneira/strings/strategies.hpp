// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The strategies of sort_strings and the choice among them. To add one: include its file and put its name into a list;
// to prefer it somewhere: edit the choice.
#pragma once

#include "peneira/strategy.hpp"
#include "peneira/strings/cpu/prefixes.hpp"
#include "peneira/strings/cpu/sequential.hpp"
#include "peneira/strings/gpu/rounds.hpp"
#include "peneira/strings/problem.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira {

/// The strategies of sort_strings on a CPU.
using sort_strings_cpu_strategies =
    strategy_list<sort_strings_strategies::sequential, sort_strings_strategies::prefixes>;

/// The strategies of sort_strings on a GPU.
using sort_strings_gpu_strategies = strategy_list<sort_strings_strategies::rounds>;

namespace detail {

/// The automatic choice on a CPU.
inline choice choose_sort_strings(const sort_strings_problem& problem, const host& /*machine*/) {
  if (problem.items < tuning::cpu_plain_strings) return {"sequential", "so few strings want nothing but comparisons"};
  return {"prefixes", "cached words, so that strings are touched no more often than it takes"};
}

/// The automatic choice on a GPU.
inline choice choose_sort_strings(const sort_strings_problem& /*problem*/, const device& /*machine*/) {
  return {"rounds", "cached words, sorted as numbers are"};
}

}  // namespace detail
}  // namespace peneira
