// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Segments of an array, for every call that takes them: the two ways to say where they lie, what is wrong with them,
// and how they are dealt out together with their items.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/error.hpp"
#include "peneira/view.hpp"

namespace peneira {

/// Segments of `size` items each, one behind the other; the last may be shorter.
struct every {
  std::size_t size = 1;  ///< items of a segment, at least one
};

namespace detail {

/// Segments that offsets bound: segment s reaches from offsets[s] to before offsets[s + 1].
template <class Offset>
struct offset_segments {
  static constexpr bool regular = false;
  using offset = Offset;
  const Offset* offsets;

  [[nodiscard]] PENEIRA_HD std::size_t begin(std::size_t s) const { return static_cast<std::size_t>(offsets[s]); }
  [[nodiscard]] PENEIRA_HD std::size_t end(std::size_t s) const { return static_cast<std::size_t>(offsets[s + 1]); }
};

/// Segments of one size over some items.
struct even_segments {
  static constexpr bool regular = true;
  std::size_t size;
  std::size_t items;

  [[nodiscard]] PENEIRA_HD std::size_t begin(std::size_t s) const { return s * size; }
  [[nodiscard]] PENEIRA_HD std::size_t end(std::size_t s) const {
    return items - s * size < size ? items : (s + 1) * size;
  }
  /// How many segments there are.
  [[nodiscard]] std::size_t count() const { return items / size + (items % size != 0 ? 1 : 0); }
};

/// An offset as the caller knows it: one of a signed type that is negative has become more than any array has items.
inline std::string offset_text(std::size_t offset) {
  const auto given = static_cast<std::int64_t>(offset);
  return given < 0 ? std::to_string(given) : std::to_string(offset);
}

[[noreturn, gnu::noinline, gnu::cold]] inline void reject_segment(std::string_view call, std::size_t segment,
                                                                  std::size_t begin, std::size_t end,
                                                                  std::size_t items) {
  reject(call, "offsets",
         "give segment " + std::to_string(segment) + " the items from " + offset_text(begin) + " to " +
             offset_text(end) + ", but there are " + std::to_string(items) +
             (end < begin ? " and segments must not end before they begin" : ""));
}

/// Names the first segment that is wrong; one is.
template <class Segments>
[[noreturn, gnu::noinline, gnu::cold]] void reject_first_segment(std::string_view call, const Segments& segments,
                                                                 std::size_t count, std::size_t n) {
  std::size_t s = 0;
  while (s + 1 < count && segments.begin(s) <= segments.end(s) && segments.end(s) <= n) ++s;
  reject_segment(call, s, segments.begin(s), segments.end(s), n);
}

/// Throws where the first segment and the last cannot both be right.
template <class Segments>
void check_segment_ends(std::string_view call, const Segments& segments, std::size_t count, std::size_t n) {
  if (segments.begin(0) > segments.end(count - 1) || segments.end(count - 1) > n) {
    reject_first_segment(call, segments, count, n);
  }
}

/// A place in the row of all items and ends of segments, by which work on segments of any shape is dealt out evenly:
///
///   segments   |  0  |1|2|          3          | 4 |
///   row        i i i e i e e i i i i i i i i i i e i i e
struct row_place {
  std::size_t segment;
  std::size_t item;

  /// The first segment, from `least` on, that ends behind a place of the row of items from `begin` to `end`, and the
  /// item there (the merge path of offsets and item numbers). Where offsets do not ascend it lies anywhere between.
  template <class Segments>
  static row_place find(const Segments& segments, std::size_t least, std::size_t count, std::size_t begin,
                        std::size_t end, std::size_t row) {
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
};

/// What says where segments lie: every{size}, or offsets.
template <class Given>
struct readable_segments {
  static constexpr bool column = readable_column<Given>::good;
  static constexpr bool good = column && is_offset<typename array_of<Given>::key>;
  static_assert(!column || good, "segments: offsets are integers of 32 or 64 bits");
};
template <class Given>
requires std::is_same_v<std::remove_cvref_t<Given>, every>
struct readable_segments<Given> {
  static constexpr bool good = true;
};

/// Segments of a call and how many there are.
template <class Segments>
struct counted_segments {
  Segments segments;
  std::size_t count;
  std::size_t offset_bytes;
  const void* table;
  std::size_t size;  ///< 0: offsets say it

  /// Bytes of the offsets.
  [[nodiscard]] std::size_t table_bytes() const { return (count + 1) * offset_bytes; }
  /// Throws std::invalid_argument for offsets at an address where they cannot be.
  template <class Place>
  void check(std::string_view call) const {
    if constexpr (!Segments::regular) check_address<Place>(call, "offsets", segments.offsets, count + 1);
  }
};

/// What a call was given to say where its segments lie.
template <class Given>
auto segments_of(std::string_view call, const Given& given, std::size_t items) {
  if constexpr (std::is_same_v<Given, every>) {
    if (given.size == 0) reject(call, "every", "has size 0; segments have at least one item");
    const even_segments even{given.size, items};
    return counted_segments<even_segments>{even, even.count(), 0, nullptr, given.size};
  } else {
    const auto table = as_view(given);
    using offset = typename decltype(table)::key_type;
    if (table.size == 0) reject(call, "offsets", "has no entries; n segments have n + 1 offsets");
    return counted_segments<offset_segments<offset>>{{table.keys}, table.size - 1, sizeof(offset), table.keys, 0};
  }
}

}  // namespace detail
}  // namespace peneira
