// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Items of all ranks that are in order as they are: a look ends at the first that is not, and where there is none,
// items at most go to the ranks whose places they have. Constant keys are in order, too.
#pragma once

#include <vector>

#include "peneira/ranks/calls.hpp"
#include "peneira/sort.hpp"

namespace peneira::detail {

/// Threads of a rank that take so many items together.
inline unsigned members_for(const cpu& here, std::size_t items) {
  return items < tuning::cpu_sort_team_items ? 1 : host::here().with_threads(here.threads).threads;
}

/// What a rank tells the others of its items.
struct order_report {
  std::uint64_t items = 0;
  std::uint64_t in_order = 1;
  std::uint64_t first = 0;  ///< the number of its first key
  std::uint64_t last = 0;
};

/// Whether the items of all ranks are in order. A call of all ranks.
template <transport Transport, class K>
bool are_in_order(Transport& between, const cpu& here, const K* keys, std::size_t n, const key_number<K>& of) {
  order_report mine{n};
  if (n != 0) {
    with_rank<K>(of.by, of.part, [&](const auto& rank) {
      mine.in_order = all_follow_by<follows::never_falls>(members_for(here, n), keys, n, rank) ? 1 : 0;
    });
    mine.first = of(keys[0]);
    mine.last = of(keys[n - 1]);
  }
  std::uint64_t before = 0;
  for (const order_report& one : gather_values(between, mine)) {
    if (one.items == 0) continue;
    if (one.in_order == 0 || one.first < before) return false;
    before = one.last;
  }
  return true;
}

/// Copies items, with the threads of a rank.
template <class K, class V>
void copy_here(const cpu& here, view<const K, const V> from, view<K, V> to) {
  const unsigned members = members_for(here, from.size);
  on_each(members, [&](unsigned m) {
    const auto [begin, end] = slice(from.size, m, members);
    copy_items(from.part(begin, end - begin), to.part(begin, end - begin));
  });
}

/// Gives every rank its share of items that are in order.
template <transport Transport, class K, class V>
void move_in_order(Transport& between, const cpu& here, view<const K, const V> in, view<K, V> out,
                   const rank_sizes& from, const rank_sizes& to) {
  if (from.begins == to.begins) {
    together(between, [&] {
      if (in.keys != out.keys) copy_here(here, in, out);
    });
    return;
  }
  const room_columns<K, V> columns{in.size};
  const view<K, V> room = columns.in(between.make_room(columns.bytes()));
  together(between, [&] { copy_here(here, in, room); });
  exchange_items(between, columns, cut_shares(from.begins[between.rank()], in.size, to), out);
}

}  // namespace peneira::detail
