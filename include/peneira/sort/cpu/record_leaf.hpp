// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of records that fit a cache, by one thread, stable: ranks and numbers of records are sorted as pairs, then
// each record is moved once.
//
//   records --rank, number--> pairs --sorted--> numbers --gathered--> records
#pragma once

#include <cstring>

#include "peneira/memory.hpp"
#include "peneira/sort/cpu/leaf_sort.hpp"
#include "peneira/sort/cpu/ranks.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Copies of records whose room the sort of a leaf needs: for one of a record, and two of a rank and a number.
constexpr unsigned record_leaf_copies(std::size_t record_bytes, std::size_t rank_bytes) {
  const std::size_t pair_bytes = 2 * (rank_bytes + sizeof(std::uint32_t)) + sizeof(std::uint64_t);  // to align them
  return 1 + static_cast<unsigned>((pair_bytes + record_bytes - 1) / record_bytes);
}

/// Takes the place of sort_leaf for records. `scratch` begins room for record_leaf_copies of them.
template <class Record, class F, class KeyRank>
void sort_leaf(view<const Record, const no_value> from, view<Record, no_value> scratch, view<Record, no_value> to,
               const record_rank<F, KeyRank>& rank) {
  using number = typename KeyRank::number;
  const std::size_t n = from.size;
  if (all_follow<follows::never_falls>(from.keys, n, rank)) return copy_items<Record, no_value>(from, to);
  constexpr std::uintptr_t aligned = alignof(std::uint64_t);
  const auto behind = reinterpret_cast<std::uintptr_t>(scratch.keys + n) + aligned - 1;
  auto* const numbers = reinterpret_cast<std::uint32_t*>(behind / aligned * aligned);
  auto* const ranks = reinterpret_cast<number*>(numbers + 2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    ranks[i] = rank(from.keys[i]);
    numbers[i] = static_cast<std::uint32_t>(i);
  }
  const view<number, std::uint32_t> pairs{ranks, numbers, n};
  sort_leaf<number, std::uint32_t>(pairs, {ranks + n, numbers + n, n}, pairs, flipped_rank<number>{});
  const Record* source = from.keys;
  if (from.keys == to.keys) {
    std::memcpy(static_cast<void*>(scratch.keys), from.keys, n * sizeof(Record));
    source = scratch.keys;
  }
  for (std::size_t i = 0; i < n; ++i) to.keys[i] = source[numbers[i]];
}

}  // namespace peneira::detail
