// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What blocks fold by tables: items, of one part or of several, and what they give to one another.
#pragma once

#include "peneira/group_by/gpu/group_set.cuh"
#include "peneira/view.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// The bits of a group's key, as sets keep them.
template <class K>
using set_bits = std::conditional_t<sizeof(K) == 8, std::uint64_t, std::uint32_t>;

/// What blocks share: the groups of each part of the items.
template <class U, class State>
struct table_results {
  group_set<U, std::uint32_t> set;  ///< of the first part; those of others are behind it
  State* rows;                      ///< of what block b has of part p, row b + p: a state a group, by its number
  std::uint32_t* too_many;          ///< not 0: groups do not fit
};

/// Parts of the items, of which no two have a group in common. Blocks share out evenly what they are to do: a step for
/// each item, and `extra` behind those of each part, for what it takes by itself.
struct table_parts {
  const std::uint64_t* begins;  ///< and the end of the last; nullptr: one part, of all items
  std::uint32_t count;
  std::size_t extra;
  std::size_t share;            ///< steps of a block
  const std::uint32_t* wanted;  ///< 0: nobody asks for them; nullptr: somebody does

  [[nodiscard]] __device__ std::size_t begin(std::uint32_t part, std::size_t items) const {
    if (begins == nullptr) return part == 0 ? 0 : items;
    return begins[part];
  }
  /// The part that a step lies in.
  [[nodiscard]] __device__ std::uint32_t of(std::size_t step) const {
    std::uint32_t low = 0;
    std::uint32_t high = begins == nullptr ? 1 : count;
    while (low + 1 < high) {
      const std::uint32_t middle = (low + high) / 2;
      (begins[middle] + middle * extra <= step ? low : high) = middle;
    }
    return low;
  }
  /// The block that an item of a part is for.
  [[nodiscard]] __device__ std::size_t block_of(std::uint32_t part, std::size_t item) const {
    return (item + part * extra) / share;
  }
};

/// Some neighbouring items, and what is gathered of each: its value or its position, which may have moved with it.
template <class K, class Folding>
struct table_items {
  using moved = typename Folding::moved;
  view<const K, const moved> items;

  __device__ moved value(std::size_t at) const {
    if constexpr (Folding::by_position) {
      return items.values == nullptr ? static_cast<moved>(at) : items.values[at];
    } else if constexpr (view<K, moved>::has_values) {
      return items.values[at];
    } else {
      return {};
    }
  }
};

}  // namespace peneira::detail

#endif
