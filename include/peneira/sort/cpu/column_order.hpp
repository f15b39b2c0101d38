// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// packed: rows of several columns by words of 64 bits (column_words.hpp).
//
//   rows --one word, the row's number in its lowest bits, sorted--> positions
//   rows --word 0 with positions, sorted as pairs--> runs of equal words --word 1 in their place, sorted--> ...
//
// Mostly all columns fit one word, and beside them the row's number. If not, only rows that are equal so far are looked
// at again, by all threads where there are many of them; the other way, a stable sort by each word from the last to the
// first, moves every row by each of them, and reads all columns in the order of positions. Stable.
//
// Needs a word for each row, and what a sort of words with positions needs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "peneira/cpu/segment_tasks.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/sort/cpu/column_words.hpp"
#include "peneira/sort/cpu/partitioned.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/strategy.hpp"

namespace peneira::sort_strategies {

struct packed : detail::takes_all<column_sort_problem> {
  static constexpr std::string_view name = "packed";
  static constexpr std::string_view about = "all threads, columns packed into words, equal ones looked at again";

  struct parameters {
    column_sort_problem problem;
    unsigned tasks = 1;
    partitioned::parameters sort;
    partitioned::parameters sort_numbered;  ///< of words that hold the rows' numbers
    step pack;

    static constexpr std::tuple fields{
        detail::field{&parameters::tasks, "tasks", "of rows whose runs of equal words are sorted again"},
        detail::members{&parameters::pack, &parameters::sort},
    };
  };

  /// Whether words are on the stack, and so is what sorts them; a call need not plan.
  static bool is_small(const column_sort_problem& problem, const host& machine) {
    return partitioned::is_small(problem.items * (sizeof(std::uint64_t) + problem.position_bytes), machine);
  }

  static parameters decide(const column_sort_problem& problem, const host& machine) {
    const bool alone = problem.items < tuning::cpu_sort_rows_team_items(machine.threads);
    const host team = machine.with_threads(alone ? 1 : machine.threads);
    parameters p;
    p.problem = problem;
    p.pack = {"pack"};
    const sort_problem pairs{problem.items, sizeof(std::uint64_t), problem.position_bytes, 0, 64};
    const sort_problem words{problem.items, sizeof(std::uint64_t), 0, 0, 64};
    const bool small = is_small(problem, machine);
    if (small || (team.threads == 1 && problem.items <= partitioned::cached_items(pairs, machine))) {
      p.sort = partitioned::decide_leaf(pairs, small ? 0 : problem.items);
      p.sort_numbered = partitioned::decide_leaf(words, small ? 0 : problem.items);
      return p;
    }
    p.tasks = detail::segment_tasks(team.threads);
    p.sort = partitioned::decide_segments(pairs, team);
    p.sort_numbered = partitioned::decide_segments(words, team);
    p.pack = {"pack", team.threads};
    return p;
  }

  /// Rows whose runs of equal words one thread sorts again.
  struct task {
    std::size_t run;  ///< where the run of the first of them begins; up to `begin` it is sorted by all threads
    std::size_t begin;
    std::size_t end;
  };
  struct arrays {
    std::uint64_t* words;
    task* tasks;  ///< for each word of a row but the first
    partitioned::arrays sort;
    partitioned::arrays sort_numbered;  ///< in the same memory, since one of them is wanted
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (is_on_stack(p)) return a;
    a.words = memory.template take<std::uint64_t>(p.problem.items);
    if (p.sort.levels.has_value()) a.tasks = memory.template take<task>(std::size_t{p.tasks} * (p.problem.words - 1));
    const std::size_t bytes =
        std::max(detail::temporary_bytes<partitioned>(p.sort), detail::temporary_bytes<partitioned>(p.sort_numbered));
    void* const shared = memory.take_bytes(bytes);
    detail::memory_part pairs(shared);
    detail::memory_part numbered(shared);
    a.sort = partitioned::lay_out(pairs, p.sort);
    a.sort_numbered = partitioned::lay_out(numbered, p.sort_numbered);
    return a;
  }

  template <class Position, class... Columns>
  static void run(const cpu& on, const parameters& p, const column_set<Columns...>& set, Position* positions) {
    if (set.rows == 0) return;
    run_words(on, p, detail::column_words<Columns...>(set, threads_of(p)), positions);
  }

  /// The same of rows, at least one, whose words were made of anything: `words` has what column_words has.
  template <class Position, class Words>
  static void run_words(const cpu& on, const parameters& p, const Words& words, Position* positions) {
    const std::size_t n = p.problem.items;
    if (is_on_stack(p)) return sort_on_stack(words, n, positions);
    const detail::temporary<packed> memory(on, p);
    const view<std::uint64_t, Position> all{memory.words, positions, n};
    const unsigned threads = threads_of(p);
    const detail::flipped_rank<std::uint64_t> plain;
    if (words.has_room(number_bits(n))) {
      return sort_numbered(threads, words, all, [&](const auto& numbered) {
        partitioned::run_within<std::uint64_t, no_value>(p.sort_numbered, memory.sort_numbered, numbered, numbered,
                                                         plain);
      });
    }
    write_first_words(threads, words, all);
    if (p.sort.leaf.has_value()) {
      return sort_words(all, words, 0, [&](const auto& part) {
        partitioned::run_within<std::uint64_t, Position>(p.sort, memory.sort, part, part, plain);
      });
    }
    const rows<Position, Words> rows_of(p, memory, words, positions);
    rows_of.sort_by_team(0, n);
    rows_of.refine_by_team(0, n, 1);
  }

  /// Rows whose words fit the stack, by one thread.
  template <class Position, class... Columns>
  static void sort_few(const column_set<Columns...>& set, Position* positions) {
    const std::size_t n = set.rows;
    if (n < 2) return static_cast<void>(std::fill_n(positions, n, Position{0}));
    sort_on_stack(detail::column_words<Columns...>(set, 1), n, positions);
  }

 private:
  static bool is_on_stack(const parameters& p) { return p.sort.leaf.has_value() && p.sort.leaf->scratch_items == 0; }

  static unsigned threads_of(const parameters& p) {
    return p.sort.leaf.has_value() ? 1 : static_cast<unsigned>(p.sort.levels->threads);
  }

  template <class Position, class Words>
  static void sort_on_stack(const Words& words, std::size_t n, Position* positions) {
    std::array<std::uint64_t, tuning::cpu_sort_stack_bytes / (sizeof(std::uint64_t) + sizeof(Position))> room;
    const view<std::uint64_t, Position> all{room.data(), positions, n};
    const detail::flipped_rank<std::uint64_t> plain;
    if (words.has_room(number_bits(n))) {
      return sort_numbered(1, words, all, [&](const auto& numbered) {
        partitioned::run_few<std::uint64_t, no_value>(numbered, numbered, plain);
      });
    }
    write_first_words(1, words, all);
    sort_words(all, words, 0,
               [&](const auto& part) { partitioned::run_few<std::uint64_t, Position>(part, part, plain); });
  }

  /// Bits that number so many rows.
  static unsigned number_bits(std::size_t rows) { return static_cast<unsigned>(std::bit_width(rows - 1)); }

  /// Rows whose words hold their numbers too: sort(words) puts them in order, and no two of them are equal.
  template <class Position, class Words, class Sort>
  static void sort_numbered(unsigned threads, const Words& words, view<std::uint64_t, Position> all, const Sort& sort) {
    const unsigned bits = number_bits(all.size);
    detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = detail::slice(all.size, m, threads);
      words.write(0, begin, end - begin, all.keys + begin);
      for (std::size_t i = begin; i < end; ++i) all.keys[i] = all.keys[i] << bits | i;
    });
    sort(view<std::uint64_t>{all.keys, nullptr, all.size});
    const std::uint64_t numbers = (std::uint64_t{1} << bits) - 1;
    detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = detail::slice(all.size, m, threads);
      for (std::size_t i = begin; i < end; ++i) all.values[i] = static_cast<Position>(all.keys[i] & numbers);
    });
  }

  template <class Position, class Words>
  static void write_first_words(unsigned threads, const Words& words, view<std::uint64_t, Position> all) {
    detail::on_each(threads, [&](unsigned m) {
      const auto [begin, end] = detail::slice(all.size, m, threads);
      words.write(0, begin, end - begin, all.keys + begin);
      for (std::size_t i = begin; i < end; ++i) all.values[i] = static_cast<Position>(i);
    });
  }

  /// Sorts rows by their words, and runs of equal ones by the next.
  template <class Position, class Words, class Sort>
  static void sort_words(view<std::uint64_t, Position> some, const Words& words, unsigned word, const Sort& sort_part) {
    sort_part(some);
    if (word + 1 == words.words()) return;
    for (std::size_t i = 0; i < some.size;) {
      std::size_t stop = i + 1;
      while (stop < some.size && some.keys[stop] == some.keys[i]) ++stop;
      if (stop - i > 1) {
        words.write(word + 1, some.values + i, stop - i, some.keys + i);
        sort_words(some.part(i, stop - i), words, word + 1, sort_part);
      }
      i = stop;
    }
  }

  /// Rows in the order of their words so far: a word each, and where it comes from.
  template <class Position, class Words>
  class rows {
    using rank = detail::flipped_rank<std::uint64_t>;
    using sorter = detail::level_sort<std::uint64_t, Position, rank>;
    static constexpr std::size_t block_rows = 1024;

   public:
    rows(const parameters& p, const arrays& a, const Words& words, Position* positions)
        : p_(p),
          a_(a),
          of_(words),
          items_{a.words, positions, p.problem.items},
          memory_(partitioned::memory_of_levels<std::uint64_t, Position>(p.sort, a.sort)),
          all_(*p.sort.levels, memory_, items_, items_, rank{}) {}

    void sort_by_team(std::size_t begin, std::size_t end) const {
      const view<std::uint64_t, Position> part = items_.part(begin, end - begin);
      auto memory = memory_;
      memory.between = memory_.between.part(begin, end - begin);
      sorter(*p_.sort.levels, memory, part, part, rank{}).run();
    }

    /// Sorts each run of equal words by the next word of its rows. Runs of more rows than a thread should take alone
    /// lie across the beginning of a task.
    void refine_by_team(std::size_t begin, std::size_t end, unsigned word) const {
      if (word == of_.words()) return;
      const unsigned threads = p_.sort.levels->threads;
      task* const tasks = a_.tasks + std::size_t{p_.tasks} * (word - 1);
      for (unsigned t = 0; t < p_.tasks; ++t) {  // all of them, before a word is replaced
        const std::size_t cut = begin + detail::slice(end - begin, t, p_.tasks).first;
        const auto run = cut == end ? std::pair{end, end} : run_of(begin, end, cut);
        tasks[t] = {run.first, run.first, end};
        if (run.second - run.first > p_.sort.levels->leaf_items) tasks[t].begin = run.second;
        if (t != 0) tasks[t - 1].end = run.first;
      }
      for (unsigned t = 0; t < p_.tasks; ++t) {
        const task run{tasks[t].run, tasks[t].run, tasks[t].begin};
        if (run.run == run.end || tasks[t].end == run.run) continue;  // none, or that of the next task
        detail::on_each(threads, [&](unsigned m) {
          const auto [from, to] = detail::slice(run.end - run.begin, m, threads);
          replace(run.begin + from, run.begin + to, word);
        });
        sort_by_team(run.begin, run.end);
        refine_by_team(run.begin, run.end, word + 1);
      }
      detail::on_each_part(threads, p_.tasks, [&](unsigned t, unsigned m) {
        if (tasks[t].begin < tasks[t].end) refine(m, tasks[t].begin, tasks[t].end, word);
      });
    }

   private:
    /// The same by one thread, a block of whole runs at a time.
    void refine(unsigned m, std::size_t begin, std::size_t end, unsigned word) const {
      if (word == of_.words()) return;
      for (std::size_t i = begin; i < end;) {
        std::size_t stop = std::min(end, i + block_rows);
        while (stop < end && items_.keys[stop] == items_.keys[stop - 1]) ++stop;
        refine_block(m, i, stop, word);
        i = stop;
      }
    }
    /// Where many rows are in runs, the next words of all are read at once, which waits less for the memory.
    void refine_block(unsigned m, std::size_t begin, std::size_t end, unsigned word) const {
      std::size_t equal = 0;
      for (std::size_t i = begin + 1; i < end; ++i) equal += items_.keys[i] == items_.keys[i - 1] ? 1 : 0;
      if (equal == 0) return;
      std::array<std::uint64_t, block_rows> next;
      const bool at_once = end - begin <= block_rows && equal >= (end - begin) / 8;
      if (at_once) of_.write(word, items_.values + begin, end - begin, next.data());
      for (std::size_t i = begin; i < end;) {
        std::size_t stop = i + 1;
        while (stop < end && items_.keys[stop] == items_.keys[i]) ++stop;
        if (stop - i > 1) {
          if (at_once) {
            std::copy_n(next.data() + (i - begin), stop - i, items_.keys + i);
          } else {
            replace(i, stop, word);
          }
          if (!std::is_sorted(items_.keys + i, items_.keys + stop)) all_.sort_part(m, i, stop - i);
          refine(m, i, stop, word + 1);
        }
        i = stop;
      }
    }
    void replace(std::size_t begin, std::size_t end, unsigned word) const {
      of_.write(word, items_.values + begin, end - begin, items_.keys + begin);
    }
    /// The run of words that equal the one at a place.
    [[nodiscard]] std::pair<std::size_t, std::size_t> run_of(std::size_t begin, std::size_t end, std::size_t at) const {
      const auto equal = std::equal_range(items_.keys + begin, items_.keys + end, items_.keys[at]);
      return {static_cast<std::size_t>(equal.first - items_.keys),
              static_cast<std::size_t>(equal.second - items_.keys)};
    }

    const parameters& p_;
    const arrays& a_;
    const Words& of_;
    view<std::uint64_t, Position> items_;
    detail::level_memory<std::uint64_t, Position> memory_;
    sorter all_;
  };
};

}  // namespace peneira::sort_strategies
