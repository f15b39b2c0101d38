// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// shares: items and segments together are dealt out evenly to all threads, whatever the shape of the segments.
//
//   segments   |  0  |1|2|          3          | 4 |      items and ends of segments in one row,
//   row        i i i e i e e i i i i i i i i i i e i i e    which is cut into p shares, as equal as can be
//   shares     [  thread 0  |  thread 1  |  thread 2  ]     thread 1 ends in segment 3, which thread 2 finishes
//
// A binary search finds the segment where each share begins (the merge path of offsets and item numbers). Segments of
// more than 16 KB are cut between chunks, others not at all. A thread writes the segments that are its own; the chunks
// of cut ones are kept apart and combined in pairs at the end. Reads every item and offset once and writes every result
// once.
//
// How a segment is combined follows from the offsets alone (segmented_reduce/cpu/segments.hpp), and how the items of
// one that may be cut are grouped from their number (cpu/fold.hpp): the same call gives the same bits on every run and
// with any number of threads. A sum of m floats is off by at most (log2(m) + 16) * epsilon / 2 * (the sum of
// magnitudes).
#pragma once

#include <algorithm>

#include "peneira/cpu/team.hpp"
#include "peneira/segmented_reduce/cpu/segments.hpp"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::segmented_reduce_strategies {

struct shares : detail::takes_all<segmented_reduce_problem> {
  static constexpr std::string_view name = "shares";
  static constexpr std::string_view about = "all threads, items and segments dealt out evenly together";

  struct parameters {
    segmented_reduce_problem problem;
    std::size_t threads = 1;
    std::optional<step> search;  ///< of more than one thread, as combine
    step reduce;
    std::optional<step> combine;

    static constexpr std::tuple fields{
        detail::field{&parameters::threads, "threads", "that work together"},
        detail::members{&parameters::search, &parameters::reduce, &parameters::combine},
    };
  };

  /// Whether one thread does it on any machine.
  static bool is_small(std::size_t items, std::size_t segments) { return useful_threads(items, segments) <= 1; }

  static parameters decide(const segmented_reduce_problem& problem, const host& machine) {
    parameters p;
    p.problem = problem;
    p.threads = tuning::cpu_threads(useful_threads(problem.items, problem.segments), 1, machine.threads);
    p.reduce = {"reduce", p.threads};
    if (p.threads > 1) {
      p.search = {"search"};
      p.combine = {"combine"};
    }
    return p;
  }

  /// Where a share begins: at a segment, or within one that is cut.
  struct cut {
    std::size_t segment;
    std::size_t chunk = 0;  ///< the first of the segment's, if it is cut
    std::size_t parts = 0;  ///< where those of the segment's chunks lie
    bool right = true;      ///< whether the offsets of the share's segments were
  };
  /// Arrays of a call; none where there is one thread.
  struct arrays {
    cut* cuts;    ///< one a thread, and the end
    void* parts;  ///< what the chunks of cut segments were combined to
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.threads == 1) return a;
    a.cuts = memory.template take<cut>(p.threads + 1);
    a.parts = memory.take_bytes(most_chunks(p.threads) * detail::part_bytes(p.problem.result_bytes));
    return a;
  }

  template <class T, class Result, class Segments, class Op>
  static void run(const cpu& on, const parameters& p, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op) {
    if (p.threads == 1) return fold_alone(items, n, segments, count, results, op);
    if (count == 0) return;
    const detail::segment_work<T, Segments, Result, Op> work{items, n, segments, count, results, op};
    detail::check_segment_ends("segmented_reduce", segments, count, n);
    const detail::temporary<shares> memory(on, p);
    const team<T, Segments, Result, Op> all(work, static_cast<unsigned>(p.threads), memory);
    all.cut_shares();
    detail::on_each(all.threads, [&](unsigned m) { all.fold_share(m); });
    all.check_shares();
    all.combine_cut_segments();
  }

  /// What run does with one thread, without a plan.
  template <class T, class Result, class Segments, class Op>
  static void fold_alone(const T* items, std::size_t n, const Segments& segments, std::size_t count, Result* results,
                         const Op& op) {
    if (count == 0) return;
    detail::check_segment_ends("segmented_reduce", segments, count, n);
    const detail::segment_work<T, Segments, Result, Op> work{items, n, segments, count, results, op};
    if (!detail::fold_segments(work)) detail::reject_first_segment("segmented_reduce", segments, count, n);
  }

 private:
  static std::size_t useful_threads(std::size_t items, std::size_t segments) {
    return (items + tuning::cpu_segment_items * segments) / tuning::cpu_least_share;
  }
  /// Chunks of all segments that are cut, which are fewer than there are threads; each may have one that is not whole.
  static std::size_t most_chunks(std::size_t threads) { return (tuning::cpu_fold_chunks + 1) * threads; }

  /// Several threads with a share each.
  template <class T, class Segments, class Result, class Op>
  struct team {
    using blocks = detail::blocks_of<Result, T, Op>;
    using part = typename blocks::part;
    const detail::segment_work<T, Segments, Result, Op>& work;
    unsigned threads;
    detail::chunking chunks;
    cut* cuts;
    part* parts;

    team(const detail::segment_work<T, Segments, Result, Op>& all, unsigned count, const arrays& a)
        : work(all),
          threads(count),
          chunks(detail::chunking::of(detail::count_blocks<blocks>(all.n), count)),
          cuts(a.cuts),
          parts(static_cast<part*>(a.parts)) {}

    [[nodiscard]] blocks run_of(std::size_t s) const {
      return {work.items, work.segments.begin(s), work.segments.end(s), work.op};
    }
    [[nodiscard]] std::size_t chunks_of(std::size_t s) const {
      return chunks.count(detail::count_blocks<blocks>(work.segments.end(s) - work.segments.begin(s)));
    }
    [[noreturn]] void reject() const {
      detail::reject_first_segment("segmented_reduce", work.segments, work.count, work.n);
    }

    /// Where each share begins.
    void cut_shares() const {
      const Segments& segments = work.segments;
      const std::size_t begin = segments.begin(0);
      const std::size_t end = segments.end(work.count - 1);
      cuts[0] = {0};
      std::size_t used = 0;  // of the room for parts
      for (unsigned m = 1; m < threads; ++m) {
        const std::size_t row = detail::slice(end - begin + work.count, m, threads).first;
        const auto [s, item] = detail::row_place::find(segments, cuts[m - 1].segment, work.count, begin, end, row);
        cuts[m] = {s};
        if (s == work.count || item <= segments.begin(s)) continue;
        if (segments.begin(s) > segments.end(s) || segments.end(s) > work.n) reject();
        if (segments.end(s) - segments.begin(s) <= tuning::cpu_long_segment_bytes / sizeof(T)) continue;
        cuts[m].chunk = std::min((item - segments.begin(s)) / (blocks::size << chunks.level), chunks_of(s));
        if (cuts[m].chunk == 0) continue;
        const bool again = cuts[m - 1].chunk != 0 && cuts[m - 1].segment == s;
        cuts[m].parts = again ? cuts[m - 1].parts : used;
        if (!again) used += chunks_of(s);
        if (used > most_chunks(threads)) reject();  // segments that overlap
      }
      cuts[threads] = {work.count};
    }

    /// The segments of a thread, and its chunks of those that are cut.
    void fold_share(unsigned m) const {
      const cut& from = cuts[m];
      const cut& to = cuts[m + 1];
      if (from.chunk != 0) {
        const std::size_t until = to.segment == from.segment ? to.chunk : chunks_of(from.segment);
        chunks.fold(run_of(from.segment), from.chunk, until, parts + from.parts);
        if (to.segment == from.segment) return;
      }
      auto own = work;
      own.first = from.segment + (from.chunk != 0 ? 1 : 0);
      own.stop = to.segment;
      cuts[m].right = detail::fold_segments(own);
      if (cuts[m].right && to.chunk != 0) chunks.fold(run_of(to.segment), 0, to.chunk, parts + to.parts);
    }

    void check_shares() const {
      for (unsigned m = 0; m < threads; ++m) {
        if (!cuts[m].right) reject();
      }
    }
    /// The results of segments that were cut.
    void combine_cut_segments() const {
      for (unsigned m = 1; m < threads; ++m) {
        const cut& at = cuts[m];
        if (at.chunk == 0 || cuts[m + 1].segment == at.segment) continue;
        const auto run = run_of(at.segment);
        work.results[at.segment] = run.result(detail::join_chunks(run, parts + at.parts, chunks_of(at.segment)));
      }
    }
  };
};

}  // namespace peneira::segmented_reduce_strategies
