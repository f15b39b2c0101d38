// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Work on whole segments by a team: offsets are checked, giants are listed, and the others are dealt out in tasks of
// about as many items and segments each (segments.hpp), which threads take in turn.
#pragma once

#include <algorithm>
#include <atomic>
#include <string_view>

#include "peneira/cpu/team.hpp"
#include "peneira/segments.hpp"
#include "peneira/tuning/cpu.hpp"

namespace peneira::detail {

/// The segments of more than so many items, which a team takes one after the other.
struct giant_segments {
  std::size_t items = 0;             ///< up to which a segment is none
  std::size_t* numbers = nullptr;    ///< which segments they are
  std::size_t room = 0;              ///< for so many, which is enough for offsets that are right
  std::atomic<std::size_t> count{};  ///< how many there are

  void add(std::size_t segment) {
    const std::size_t at = count++;
    if (at < room) numbers[at] = segment;
  }
};

/// Throws where segments, of which there are some, descend or run past n items; lists the giants.
template <class Segments>
void check_segments(std::string_view call, const Segments& segments, std::size_t segment_count, std::size_t n,
                    unsigned threads, giant_segments& giants) {
  check_segment_ends(call, segments, segment_count, n);
  if constexpr (Segments::regular) {
    if (std::min(segments.size, n) <= giants.items) return;
  }
  std::atomic<bool> right{true};
  const unsigned members = segment_count < tuning::cpu_sequential_items ? 1 : threads;
  on_each(members, [&](unsigned m) {
    const auto [first, last] = slice(segment_count, m, members);
    bool ascend = true;
    for (std::size_t s = first; s < last && ascend; ++s) {
      ascend = segments.begin(s) <= segments.end(s) && segments.end(s) <= n;
      if (ascend && segments.end(s) - segments.begin(s) > giants.items) giants.add(s);
    }
    if (!ascend) right = false;
  });
  if (!right) reject_first_segment(call, segments, segment_count, n);
}

/// Tasks of a team.
inline unsigned segment_tasks(unsigned threads) {
  return threads == 1 ? 1 : threads * tuning::cpu_segment_tasks;
}

/// Calls work(member, segment, begin, size) for every segment, of which there are some, but for giants.
template <class Segments, class Work>
void on_segments(unsigned threads, const Segments& segments, std::size_t count, std::size_t giant_items,
                 const Work& work) {
  const unsigned tasks = segment_tasks(threads);
  const std::size_t begin = segments.begin(0);
  const std::size_t end = segments.end(count - 1);
  const auto first_of = [&](unsigned task) {
    if (task == 0 || task == tasks) return task == 0 ? 0 : count;
    const std::size_t row = slice(end - begin + count, task, tasks).first;
    return row_place::find(segments, 0, count, begin, end, row).segment;
  };
  on_each_part(threads, tasks, [&](unsigned task, unsigned m) {
    const Segments of = segments;  // its own, which no write can alias
    const std::size_t giant = giant_items;
    const std::size_t stop = first_of(task + 1);
    for (std::size_t s = first_of(task); s < stop; ++s) {
      const std::size_t from = of.begin(s);
      const std::size_t size = of.end(s) - from;
      if (size <= giant) work(m, s, from, size);
    }
  });
}

}  // namespace peneira::detail
