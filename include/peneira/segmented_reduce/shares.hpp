// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// shares: items and segments together are dealt out evenly to all threads, whatever the shape of the segments.
//
//   segments   |  0  |1|2|          3          | 4 |      items and ends of segments in one row, cut into p equal
//   shares row        i i i e i e e i i i i i i i i i i e i i e threads    [  thread 0  |  thread 1  |  thread 2  ]
//   thread 1 ends in segment 3, which thread 2 finishes
//
// A binary search finds the segment where each share begins (the merge path of offsets and item numbers). A thread
// writes the segments that end in its share; what it has of the one after is kept apart, and the pieces of cut segments
// are combined in order at the end. Reads every item and offset once and writes every result once. The shares follow
// from the offsets and the number of threads, so the same call gives the same bits on every run. A float sum of a
// segment of m items is off by at most about (m / 8 + 24) * epsilon / 2 * (the sum of magnitudes), a double one by m /
// 4 + 24.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include "peneira/cpu/lines.hpp"
#include "peneira/cpu/segments.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::segmented_reduce_strategies {

struct shares {
  static constexpr std::string_view name = "shares";
  static constexpr std::string_view about = "all threads, items and segments dealt out evenly together";

  static std::string refuses(const segmented_reduce_problem& /*problem*/, const host& /*machine*/) { return {}; }

  static plan make_plan(const segmented_reduce_problem& problem, const host& machine) {
    plan p;
    const std::size_t useful = problem.items / tuning::cpu_least_share + problem.segments / tuning::cpu_least_share;
    const std::size_t threads = std::clamp<std::size_t>(useful, 1, std::max(1U, machine.threads));
    p.set("threads", threads, "that work together");
    if (threads > 1) p.steps.push_back({"search"});
    p.steps.push_back({"reduce", threads});
    if (threads > 1) {
      p.steps.push_back({"combine"});
      p.reserve<cut>(threads + 1);
      p.temporary_bytes += detail::workspace::round_up(threads * stride(problem.result_bytes));
    }
    return p;
  }

  template <class T, class Result, class Segments, class Op>
  static void run(const cpu& on, const plan& made, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op) {
    if (count == 0) return;
    const detail::segment_work<T, Segments, Result, Op> work{items, n, segments, results, op};
    const auto threads = static_cast<unsigned>(made.get("threads"));
    const std::size_t begin = segments.begin(0);
    const std::size_t end = segments.end(count - 1);
    if (begin > end || end > n) reject_first(segments, count, n);
    if (threads == 1) {
      if (!detail::fold_segments(work, 0, count)) reject_first(segments, count, n);
      return;
    }

    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, nullptr);
    auto* const cuts = memory.take<cut>(threads + 1);
    auto* const carried = memory.take<std::byte>(threads * stride(sizeof(Result)));
    const auto carry = [carried](unsigned m) {
      return reinterpret_cast<Result*>(carried + m * stride(sizeof(Result)));
    };
    cuts[0] = {0, begin};
    for (unsigned m = 1; m < threads; ++m) {
      const std::size_t row = detail::slice(end - begin + count, m, threads).first;
      cuts[m] = find(segments, cuts[m - 1].segment, count, begin, end, row);
    }
    cuts[threads] = {count, end};

    detail::on_each(threads, [&](unsigned m) {
      std::size_t s = cuts[m].segment;
      std::size_t at = cuts[m].item;
      const std::size_t stop = cuts[m + 1].segment;
      const std::size_t until = cuts[m + 1].item;
      if (s < stop) {
        if (at > segments.begin(s)) {  // the segments before began this one
          const std::size_t its_end = segments.end(s);
          cuts[m].right = segments.begin(s) <= its_end && its_end <= n;
          if (!cuts[m].right) return;
          results[s++] = at < its_end ? work.fold(at, its_end) : work.identity();
        }
        if (s < stop) cuts[m].right = detail::fold_segments(work, s, stop);
        if (!cuts[m].right) return;
      }
      if (stop < count) at = std::max(at, segments.begin(stop));
      new (carry(m)) Result(stop < count && at < until ? work.fold(at, until) : work.identity());
    });
    for (unsigned m = 0; m < threads; ++m) {
      if (!cuts[m].right) reject_first(segments, count, n);
    }

    Result pending = *carry(0);
    for (unsigned m = 1; m < threads; ++m) {
      const std::size_t s = cuts[m].segment;
      if (s == cuts[m + 1].segment) {  // all of this share lies in one segment
        pending = op(pending, *carry(m));
        continue;
      }
      if (cuts[m].item > segments.begin(s)) results[s] = op(pending, results[s]);
      pending = *carry(m);
    }
  }

 private:
  /// Where a share begins: the first segment that ends in it, and its first item.
  struct cut {
    std::size_t segment;
    std::size_t item;
    bool right = true;  ///< whether the offsets of the share's segments were
  };

  static constexpr std::size_t stride(std::size_t result_bytes) {
    return (result_bytes + detail::line_bytes - 1) / detail::line_bytes * detail::line_bytes;
  }

  /// The cut at a place in the row of items and ends of segments. Where offsets do not ascend it lies somewhere between
  /// the cut before and the end.
  template <class Segments>
  static cut find(const Segments& segments, std::size_t least, std::size_t count, std::size_t begin, std::size_t end,
                  std::size_t row) {
    std::size_t most = std::min(count, row);
    least = std::min(least, most);
    while (least < most) {
      const std::size_t middle = least + (most - least) / 2;
      const std::size_t behind = segments.end(middle) - begin + middle;  // the place of its end in the row
      if (behind < row) {
        least = middle + 1;
      } else {
        most = middle;
      }
    }
    return {least, std::clamp(begin + (row - least), begin, end)};
  }

  /// Names the first segment that is wrong; one is.
  template <class Segments>
  [[noreturn]] static void reject_first(const Segments& segments, std::size_t count, std::size_t n) {
    std::size_t s = 0;
    while (s + 1 < count && segments.begin(s) <= segments.end(s) && segments.end(s) <= n) ++s;
    detail::reject_segment(s, segments.begin(s), segments.end(s), n);
  }
};

}  // namespace peneira::segmented_reduce_strategies
