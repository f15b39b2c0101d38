// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the segments of a scan lie: whether they are in order, and which of them an item is in.
#pragma once

#include <algorithm>
#include <string>

#include "peneira/error.hpp"

namespace peneira::detail {

[[noreturn, gnu::noinline, gnu::cold]] inline void reject_scan_segment(std::size_t segment, std::size_t begin,
                                                                       std::size_t end, std::size_t items) {
  reject("segmented_scan", "offsets",
         "give segment " + std::to_string(segment) + " the items from " + std::to_string(begin) + " to " +
             std::to_string(end) + ", but there are " + std::to_string(items) +
             (end < begin ? " and segments must not end before they begin" : ""));
}

/// Throws std::invalid_argument for a segment from `from` to before `to` that does not lie within n items.
template <class Segments>
void check_segments([[maybe_unused]] const Segments& segments, [[maybe_unused]] std::size_t from,
                    [[maybe_unused]] std::size_t to, [[maybe_unused]] std::size_t n) {
  if constexpr (!Segments::regular) {
    bool wrong = false;
    for (std::size_t s = from; s < to; ++s) {
      wrong |= segments.end(s) < segments.begin(s) || segments.end(s) > n;
    }
    for (std::size_t s = from; wrong && s < to; ++s) {
      const std::size_t begin = segments.begin(s);
      const std::size_t end = segments.end(s);
      if (end < begin || end > n) reject_scan_segment(s, begin, end, n);
    }
  }
}

/// The segment of an item that is in one; `count` of them lie one behind the other.
template <class Segments>
std::size_t segment_at(const Segments& segments, std::size_t count, std::size_t item) {
  if constexpr (Segments::regular) {
    return item / segments.size;
  } else {
    const auto is_before = [](std::size_t at, auto offset) { return at < static_cast<std::size_t>(offset); };
    const auto* const behind = std::upper_bound(segments.offsets + 1, segments.offsets + count, item, is_before);
    return static_cast<std::size_t>(behind - segments.offsets) - 1;
  }
}

/// The segment of the item where segment s ends, which is in one: most often the next.
template <class Segments>
std::size_t segment_behind(const Segments& segments, std::size_t count, std::size_t s) {
  constexpr std::size_t looked_at = 16;
  const std::size_t item = segments.end(s);
  for (std::size_t k = 1; k <= looked_at; ++k) {
    if (segments.end(s + k) > item) return s + k;
  }
  return segment_at(segments, count, item);
}

}  // namespace peneira::detail
