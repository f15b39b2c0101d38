// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// task_merge_quicksort: tasks halve the strings down to task_size, quicksort what is left, and merge on the way back.
//
//   [ s s s s s s s s ] --task--> [ s s s s ] --task--> [ s s ] quicksort --+
//                       --task--> [ s s s s ] ...       [ s s ] quicksort --merge--> [ s s s s ] --merge--> ...
//
// After Colichio, Pimenta, Borges, Menecucci, Barros and Guardia, "Ordenacao Paralela com OpenMP e CUDA": the quicksort
// of their listing 1 (Hoare's, the middle as its pivot), the tasks of listing 2, merges by one thread each. Theirs
// moves pointers to padded strings; here the numbers of strings of any length move, and equal strings are told apart by
// their numbers, which makes it stable. Touches both strings at every comparison.
#pragma once

#include <algorithm>
#include <numeric>

#include "peneira/cpu/task_team.hpp"
#include "peneira/host.hpp"
#include "peneira/strategy.hpp"
#include "peneira/strings/problem.hpp"
#include "peneira/strings/view.hpp"

namespace peneira::sort_strings_strategies {

struct task_merge_quicksort {
  static constexpr std::string_view name = "task_merge_quicksort";
  static constexpr std::string_view about = "tasks down to a size, quicksort below, merges above (OpenMP, published)";
  static constexpr bool published = true;  ///< stands behind a call of its own

  static std::string refuses(const sort_strings_problem& problem, const host& /*machine*/) {
    return problem.merges.task_size == 0 ? "needs a task_size of at least 1" : "";
  }

  struct parameters {
    sort_strings_problem problem;
    unsigned threads = 1;
    std::size_t task_size = 1;
    step sort_and_merge;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::field{&parameters::task_size, "task size", "strings that a task sorts by itself"},
        detail::members{&parameters::sort_and_merge},
    };
  };

  static parameters decide(const sort_strings_problem& problem, const host& machine) {
    return {problem, machine.threads, problem.merges.task_size, {"sort and merge", machine.threads}};
  }

  struct arrays {
    void* between;  ///< what is merged, before it goes back
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    return {memory.take_bytes(p.problem.items * p.problem.index_bytes)};
  }

  template <class Offset, class Index>
  static void run(const cpu& on, const parameters& p, const strings<Offset>& all, Index* permutation, bool descending) {
    const detail::temporary<task_merge_quicksort> memory(on, p);
    auto* const between = static_cast<Index*>(memory.between);
    std::iota(permutation, permutation + all.size, Index{0});
    const auto before = [&all, descending](Index a, Index b) {
      const int order = descending ? all[b].compare(all[a]) : all[a].compare(all[b]);
      return order != 0 ? order < 0 : a < b;
    };
    detail::task_team team(p.threads);
    team.run([&] { sort(team, permutation, between, all.size, p.task_size, before); });
  }

 private:
  template <class Index, class Before>
  static void sort(detail::task_team& team, Index* some, Index* between, std::size_t n, std::size_t task_size,
                   const Before& before) {
    if (n <= task_size || n < 2) {
      quicksort(some, static_cast<std::ptrdiff_t>(n), before);
      return;
    }
    const std::size_t half = n / 2;
    team.both([&] { sort(team, some, between, half, task_size, before); },
              [&] { sort(team, some + half, between + half, n - half, task_size, before); });
    std::merge(some, some + half, some + half, some + n, between, before);
    std::copy(between, between + n, some);
  }

  /// Goes on with the larger part in place of a second call, so that the stack stays small.
  template <class Index, class Before>
  static void quicksort(Index* some, std::ptrdiff_t n, const Before& before) {
    while (n > 1) {
      const Index pivot = some[(n - 1) / 2];
      std::ptrdiff_t left = 0;
      std::ptrdiff_t right = n - 1;
      while (left <= right) {
        while (before(some[left], pivot)) ++left;
        while (before(pivot, some[right])) --right;
        if (left <= right) std::swap(some[left++], some[right--]);
      }
      const std::ptrdiff_t above = n - left;
      if (right + 1 < above) {
        quicksort(some, right + 1, before);
        some += left;
        n = above;
      } else {
        quicksort(some + left, above, before);
        n = right + 1;
      }
    }
  }
};

}  // namespace peneira::sort_strings_strategies
