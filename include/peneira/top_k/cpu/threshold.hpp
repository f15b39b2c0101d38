// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// threshold: the rank of the last item that is wanted is found first, then what comes before it is gathered and, if
// asked for, sorted (selection.hpp). Keys are read once, and a second time where a block of 4,096 of them has
// any that may be wanted.
//
// Segments that fit a cache are dealt out to all threads by items and segments (cpu/segment_tasks.hpp); what is longer
// is taken by all threads together, one after the other. top_k has one segment. Few items take no memory (few.hpp).
//
// Needs room for a sixteenth of the longest segment's keys, and what a sort of the items that come of it needs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>

#include "peneira/cpu/segment_tasks.hpp"
#include "peneira/segments.hpp"
#include "peneira/sort/cpu/partitioned.hpp"
#include "peneira/strategy.hpp"
#include "peneira/top_k/cpu/few.hpp"
#include "peneira/top_k/cpu/selection.hpp"
#include "peneira/top_k/problem.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::top_k_strategies {

struct threshold : detail::takes_all<top_k_problem> {
  static constexpr std::string_view name = "threshold";
  static constexpr std::string_view about = "all threads, the last wanted rank first, then all before it";

  struct parameters {
    top_k_problem problem;
    unsigned threads = 1;
    std::size_t alone_items = 0;
    std::size_t row_items = 0;
    detail::selection_size mine;  ///< of one thread
    detail::selection_size team;
    std::optional<sort_strategies::partitioned::parameters> sort;  ///< of rows that are longer than a thread sorts
    step select;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::field{&parameters::alone_items, "alone items", "up to which a segment is one thread's"},
        detail::field{&parameters::row_items, "row items", "up to which one thread sorts what comes of a segment"},
        detail::members{&parameters::select},
    };
  };

  static parameters decide(const top_k_problem& problem, const host& machine) {
    using sort_strategies::partitioned;
    const std::size_t most = problem.most_kept();
    const sort_problem rows{most, problem.key_bytes, problem.value_bytes, 0,
                            static_cast<unsigned>(8 * problem.key_bytes)};
    const std::size_t cached = std::max(partitioned::cached_items(rows, machine), std::size_t{1});
    parameters p;
    p.problem = problem;
    p.threads = problem.items + problem.segments < tuning::cpu_sequential_items ? 1 : machine.threads;
    const bool by_team = problem.segments == 1 && p.threads > 1;
    p.alone_items = by_team ? 0 : std::min(cached, problem.longest());
    if (detail::are_few(problem.longest(), problem.item_bytes())) {
      p.alone_items = problem.longest();
      p.select = {"select", p.threads};
      return p;
    }
    p.row_items = problem.sorted ? std::min(cached, most) : 0;
    p.mine = detail::selection_size::of(p.alone_items);
    if (problem.longest() > p.alone_items) {
      p.team = detail::selection_size::of(problem.longest());
      if (problem.sorted && most > p.row_items) {
        p.sort = partitioned::decide_segments(rows, machine.with_threads(p.threads));
      }
    }
    p.select = {"select", p.threads, 1, p.row_items * problem.item_bytes()};
    return p;
  }

  struct arrays {
    std::byte* mine;  ///< of each thread in turn
    detail::selection_memory<void> team;
    detail::item_arrays rows;
    sort_strategies::partitioned::arrays sort;
    std::size_t* giants;
    void* lowest;  ///< lowest_ranks of each thread
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.mine.blocks == 0 && p.team.blocks == 0) return a;
    a.mine = memory.template take<std::byte>(p.alone_items == 0 ? 0 : p.threads * bytes_of_one(p));
    a.rows = detail::item_arrays::take(memory, p.problem, p.threads * p.row_items);
    if (p.team.blocks == 0) return a;
    a.team = detail::selection_memory<void>::take(memory, p.problem.key_bytes, p.team);
    a.giants = memory.template take<std::size_t>(most_giants(p));
    a.lowest = memory.take_bytes(p.threads * bytes_of_lowest(p));
    if (p.sort.has_value()) a.sort = sort_strategies::partitioned::lay_out(memory, *p.sort);
    return a;
  }

  template <class K, class V, class Segments, class U = detail::bits_of<K>>
  static void run(const cpu& on, const parameters& p, view<const K, const V> in, const Segments& segments,
                  view<K, V> out, const detail::key_order<U>& by) {
    if (p.problem.segments == 0 || p.problem.k == 0) return;
    const detail::temporary<threshold> memory(on, p);
    detail::giant_segments giants{p.alone_items, memory.giants, most_giants(p)};
    detail::check_segments("segmented_top_k", segments, p.problem.segments, in.size, p.threads, giants);
    const detail::bit_range<U> part;
    detail::with_rank<K>(by, part, [&](const auto& rank) {
      using rank_type = std::remove_cvref_t<decltype(rank)>;
      const rows_of<K, V, rank_type> all{p, memory, in, out, rank};
      for (std::size_t g = 0; g < giants.count; ++g) {
        const std::size_t s = giants.numbers[g];
        all.by_team(s, segments.begin(s), segments.end(s) - segments.begin(s));
      }
      const auto alone = [&](unsigned m, std::size_t s, std::size_t begin, std::size_t size) {
        all.by_one(m, s, begin, size);
      };
      if (p.alone_items != 0) detail::on_segments(p.threads, segments, p.problem.segments, p.alone_items, alone);
    });
  }

 private:
  static std::size_t most_giants(const parameters& p) {
    return std::min(p.problem.segments, p.problem.items / (p.alone_items + 1) + 1);
  }

  static std::size_t bytes_of_lowest(const parameters& p) {
    using detail::lowest_ranks;
    switch (p.problem.key_bytes) {
      case 1:
        return sizeof(lowest_ranks<std::uint8_t>);
      case 2:
        return sizeof(lowest_ranks<std::uint16_t>);
      case 4:
        return sizeof(lowest_ranks<std::uint32_t>);
      default:
        return sizeof(lowest_ranks<std::uint64_t>);
    }
  }

  /// Memory of one thread's selections.
  static std::size_t bytes_of_one(const parameters& p) {
    detail::workspace_size size;
    detail::selection_memory<void>::take(size, p.problem.key_bytes, p.mine);
    return size.used();
  }

  /// What comes of each segment.
  template <class K, class V, class Rank>
  struct rows_of {
    using number = typename Rank::number;
    const parameters& p;
    const arrays& a;
    view<const K, const V> in;
    view<K, V> out;
    Rank rank;

    /// A segment by one thread.
    void by_one(unsigned m, std::size_t s, std::size_t begin, std::size_t size) const {
      const view<const K, const V> from = in.part(begin, size);
      const std::size_t kept = std::min(p.problem.k, size);
      const view<K, V> to = out.part(s * p.problem.k, kept);
      if (detail::are_few(size, p.problem.item_bytes())) {
        return detail::top_of_few<K, V>(from, to, p.problem.sorted, rank);
      }
      if (detail::top_by_insertion<K, V>(from, to, p.problem.sorted, rank)) return;
      detail::memory_part mine(a.mine + m * bytes_of_one(p));
      const auto memory = detail::selection_memory<void>::take(mine, sizeof(K), p.mine).template as<number>();
      detail::selection<K, V, Rank>(1, memory, from, kept, to, rank).run();
      if (p.problem.sorted) sort_row(m, to);
    }

    /// A segment by all threads.
    void by_team(std::size_t s, std::size_t begin, std::size_t size) const {
      const std::size_t kept = std::min(p.problem.k, size);
      const view<K, V> to = out.part(s * p.problem.k, kept);
      auto* const found = static_cast<detail::lowest_ranks<number>*>(a.lowest);
      const view<const K, const V> from = in.part(begin, size);
      if (detail::top_by_insertion<K, V>(p.threads, found, from, to, p.problem.sorted, rank)) return;
      const auto memory = a.team.template as<number>();
      detail::selection<K, V, Rank>(p.threads, memory, from, kept, to, rank).run();
      if (!p.problem.sorted) return;
      if (kept <= p.row_items) return sort_row(0, to);
      sort_strategies::partitioned::run_within<K, V>(*p.sort, a.sort, to, to, rank);
    }

   private:
    void sort_row(unsigned m, view<K, V> row) const {
      const view<K, V> all = a.rows.template as<K, V>(p.threads * p.row_items);
      detail::sort_leaf<K, V>(row, all.part(m * p.row_items, row.size), row, rank);
    }
  };
};

}  // namespace peneira::top_k_strategies
