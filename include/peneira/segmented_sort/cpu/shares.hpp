// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// shares: items and segments together are dealt out evenly to all threads, whatever the shape of the segments.
//
//   segments   |  0  |1|2|          3          | 4 |      giants by all threads, one after the other;
//   row        i i i e i e e i i i i i i i i i i e i i e    then the row of the others is cut into tasks, as equal
//   tasks      [    0    |    1    |   (giant)    |  2 ]     as whole segments allow, which threads take in turn
//
// A segment is sorted as a bin of pn::sort is (sort/cpu): few items by counting, what fits a cache by a window of its
// keys, what does not by splitting it first. A giant is larger than a cache and than an eighth of a thread's share.
// Stable. Offsets are checked before anything is written.
//
// Needs for each thread room for the longest segment, up to half its second-level cache; where segments may be longer,
// what a sort of all items needs, of which it touches what long segments ask for.
#pragma once

#include <algorithm>

#include "peneira/cpu/segment_tasks.hpp"
#include "peneira/segmented_sort/problem.hpp"
#include "peneira/segments.hpp"
#include "peneira/sort/cpu/partitioned.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::segmented_sort_strategies {

struct shares : detail::takes_all<segmented_sort_problem> {
  static constexpr std::string_view name = "shares";
  static constexpr std::string_view about = "all threads, items and segments dealt out evenly together";

  struct parameters {
    segmented_sort_problem problem;
    detail::level_shape shape;
    unsigned tasks = 1;
    std::size_t giant_items = 0;
    std::optional<sort_strategies::partitioned::parameters> levels;  ///< of segments that may be longer than a leaf
    step sort;

    static constexpr std::tuple fields{
        detail::field{&parameters::tasks, "tasks", "of about as many items and segments each"},
        detail::field{&parameters::giant_items, "giant items", "up to which a segment is sorted by one thread"},
        detail::members{&parameters::shape, &parameters::sort},
    };
  };

  /// Whether one thread does it with a second copy of each segment on the stack, and a call need not plan.
  static bool is_small(std::size_t bytes, std::size_t segments, const host& machine) {
    return segments < tuning::cpu_sequential_items && sort_strategies::partitioned::is_small(bytes, machine);
  }

  static parameters decide(const segmented_sort_problem& problem, const host& machine) {
    using sort_strategies::partitioned;
    const bool alone = problem.items + problem.segments < tuning::cpu_sort_rows_team_items(machine.threads);
    const host team = machine.with_threads(alone ? 1 : machine.threads);
    const sort_problem all{problem.items,    problem.key_bytes, problem.value_bytes, problem.first_bit,
                           problem.last_bit, order::stable,     problem.in_place};
    parameters p;
    p.problem = problem;
    p.giant_items = problem.items;
    p.sort = {"sort segments"};
    if (is_small(problem.bytes(), problem.segments, machine)) return p;
    p.tasks = detail::segment_tasks(team.threads);
    const std::size_t leaf = std::clamp<std::size_t>(problem.longest(), 1, partitioned::cached_items(all, machine));
    if (problem.longest() > leaf) {
      p.levels = partitioned::decide_segments(all, team);
      p.shape = *p.levels->levels;
    } else {
      p.shape.threads = team.threads;
      p.shape.leaf_items = leaf;
    }
    p.giant_items = std::max(p.shape.leaf_items, problem.items / p.shape.threads / 8);
    p.sort = {"sort segments", p.shape.threads, 1, p.shape.leaf_items * problem.item_bytes()};
    return p;
  }

  struct arrays {
    sort_strategies::partitioned::arrays levels;
    detail::item_arrays leaves;  ///< where there are no levels
    std::size_t* giants;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.shape.leaf_items == 0) return a;
    if (p.levels.has_value()) {
      a.levels = sort_strategies::partitioned::lay_out(memory, *p.levels);
      a.giants = memory.template take<std::size_t>(most_giants(p));
    } else {
      a.leaves = detail::item_arrays::take(memory, p.problem, p.shape.threads * p.shape.leaf_items);
    }
    return a;
  }

  template <class K, class V, class Segments, class U = detail::bits_of<K>>
  static void run(const cpu& on, const parameters& p, view<const K, const V> in, const Segments& segments,
                  view<K, V> out, const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    if (p.problem.segments == 0) return;
    if (p.shape.leaf_items == 0) return run_small(in, segments, p.problem.segments, out, by, part);
    const detail::temporary<shares> memory(on, p);
    detail::giant_segments giants{p.giant_items, memory.giants, most_giants(p)};
    detail::check_segments("segmented_sort", segments, p.problem.segments, in.size, p.shape.threads, giants);
    detail::with_rank<K>(by, part,
                         [&](const auto& rank) { sort_all<K, V>(p, memory, in, segments, out, rank, giants); });
  }

  /// What run does for few items, without a plan.
  template <class K, class V, class Segments, class U = detail::bits_of<K>>
  static void run_small(view<const K, const V> in, const Segments& segments, std::size_t count, view<K, V> out,
                        const detail::key_order<U>& by, const detail::bit_range<U>& part) {
    for (std::size_t s = 0; s < count; ++s) {
      if (segments.begin(s) > segments.end(s) || segments.end(s) > in.size) {
        detail::reject_segment("segmented_sort", s, segments.begin(s), segments.end(s), in.size);
      }
    }
    detail::with_rank<K>(by, part, [&](const auto& rank) {
      for (std::size_t s = 0; s < count; ++s) {
        const std::size_t begin = segments.begin(s);
        const std::size_t size = segments.end(s) - begin;
        if (size != 0) sort_strategies::partitioned::run_few(in.part(begin, size), out.part(begin, size), rank);
      }
    });
  }

 private:
  /// Each is larger than an eighth of a thread's share.
  static std::size_t most_giants(const parameters& p) { return std::size_t{8} * (p.shape.threads + 1); }

  template <class K, class V, class Segments, class Rank>
  static void sort_all(const parameters& p, const arrays& a, view<const K, const V> in, const Segments& segments,
                       view<K, V> out, const Rank& rank, const detail::giant_segments& giants) {
    detail::level_memory<K, V> memory;
    if (p.levels.has_value()) {
      memory = sort_strategies::partitioned::memory_of_levels<K, V>(*p.levels, a.levels);
    } else {
      memory.leaves = a.leaves.as<K, V>(p.shape.threads * p.shape.leaf_items);
    }
    for (std::size_t g = 0; g < giants.count; ++g) {
      const std::size_t begin = segments.begin(giants.numbers[g]);
      const std::size_t size = segments.end(giants.numbers[g]) - begin;
      detail::level_memory<K, V> its = memory;
      its.between = memory.between.part(begin, size);
      detail::level_sort<K, V, Rank>(p.shape, its, in.part(begin, size), out.part(begin, size), rank).run();
    }
    const detail::level_sort<K, V, Rank> all(p.shape, memory, in, out, rank);
    const auto sort = [&all, in, out, rank](unsigned m, std::size_t /*s*/, std::size_t begin, std::size_t size) {
      if (size > detail::small_items<Rank>) return all.sort_part(m, begin, size);
      if (size < 2) return detail::copy_few(in.part(begin, size), out.part(begin, size));
      detail::sort_small(in.part(begin, size), out.part(begin, size), rank);
    };
    detail::on_segments(p.shape.threads, segments, p.problem.segments, p.giant_items, sort);
  }
};

}  // namespace peneira::segmented_sort_strategies
