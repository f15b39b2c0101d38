// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What calls are given to say where segments lie.
#pragma once

#include <string_view>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/error.hpp"
#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// What says where segments lie: every{size}, or offsets.
template <class Given>
struct readable_segments {
  static constexpr bool column = readable_column<Given>::good;
  static constexpr bool good = column && is_offset<typename array_of<Given>::key>;
  static_assert(!column || good, "offsets of segments are integers of 32 or 64 bits");
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

}  // namespace peneira::detail
