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
//
// As published the last merge is one thread's. With merge_items a merge of more strings is halved, by merge path, into
// two that are tasks of their own, until each puts out so many at most; what is merged goes back in tasks, too.
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
    if (problem.merges.task_size == 0) return "needs a task_size of at least 1, not 0";
    return detail::refuse_merge_items(problem.merges);
  }

  struct parameters {
    sort_strings_problem problem;
    unsigned threads = 1;
    std::size_t task_size = 1;
    std::size_t merge_items = 0;
    step sort_and_merge;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::field{&parameters::task_size, "task size", "strings that a task sorts by itself"},
        detail::field{&parameters::merge_items, "merge items", "strings that a task merges; 0: any number"},
        detail::members{&parameters::sort_and_merge},
    };
  };

  static parameters decide(const sort_strings_problem& problem, const host& machine) {
    return {problem,
            machine.threads,
            problem.merges.task_size,
            problem.merges.merge_items,
            {"sort and merge", machine.threads}};
  }

  struct arrays {
    void* between;  ///< what is merged, before it goes back
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};  // nvcc takes no list of one in a return
    a.between = memory.take_bytes(p.problem.items * p.problem.index_bytes);
    return a;
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
    const sizes of{p.task_size, p.merge_items != 0 ? p.merge_items : all.size};
    team.run([&] { sort(team, permutation, between, all.size, of, before); });
  }

 private:
  /// Strings of a task at most: that it sorts by itself, and that it puts out in a merge.
  struct sizes {
    std::size_t sorted;
    std::size_t merged;
  };
  /// Neighbouring strings in order.
  template <class Index>
  struct run_of {
    const Index* begin;
    std::size_t size;
  };

  template <class Index, class Before>
  static void sort(detail::task_team& team, Index* some, Index* between, std::size_t n, const sizes& of,
                   const Before& before) {
    if (n <= of.sorted || n < 2) {
      quicksort(some, static_cast<std::ptrdiff_t>(n), before);
      return;
    }
    const std::size_t half = n / 2;
    team.both([&] { sort(team, some, between, half, of, before); },
              [&] { sort(team, some + half, between + half, n - half, of, before); });
    merge(team, run_of<Index>{some, half}, run_of<Index>{some + half, n - half}, between, of.merged, before);
    copy(team, between, n, some, of.merged);
  }

  /// Merges two runs; more than `most` strings in two tasks, each of which puts out half of them.
  template <class Index, class Before>
  static void merge(detail::task_team& team, const run_of<Index>& left, const run_of<Index>& right, Index* to,
                    std::size_t most, const Before& before) {
    const std::size_t n = left.size + right.size;
    if (n <= most) {
      std::merge(left.begin, left.begin + left.size, right.begin, right.begin + right.size, to, before);
      return;
    }
    const std::size_t out = n / 2;
    const std::size_t a = left_among(left, right, out, before);
    const std::size_t b = out - a;
    team.both(
        [&] {
          merge(team, run_of<Index>{left.begin, a}, run_of<Index>{right.begin, b}, to, most, before);
        },
        [&] {
          merge(team, run_of<Index>{left.begin + a, left.size - a}, run_of<Index>{right.begin + b, right.size - b},
                to + out, most, before);
        });
  }

  /// How many of the first `out` strings of two merged runs are the left one's.
  template <class Index, class Before>
  static std::size_t left_among(const run_of<Index>& left, const run_of<Index>& right, std::size_t out,
                                const Before& before) {
    std::size_t least = out > right.size ? out - right.size : 0;
    std::size_t most = std::min(out, left.size);
    while (least < most) {
      const std::size_t some = (least + most) / 2;
      if (before(right.begin[out - 1 - some], left.begin[some])) {
        most = some;
      } else {
        least = some + 1;
      }
    }
    return least;
  }

  template <class Index>
  static void copy(detail::task_team& team, const Index* from, std::size_t n, Index* to, std::size_t most) {
    if (n <= most) {
      std::copy(from, from + n, to);
      return;
    }
    const std::size_t half = n / 2;
    team.both([&] { copy(team, from, half, to, most); }, [&] { copy(team, from + half, n - half, to + half, most); });
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
