// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of items or groups, in memory that a strategy of group_by has laid out for it.
#pragma once

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "peneira/cpu/runs.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/group_by/problem.hpp"
#include "peneira/group_keys.hpp"
#include "peneira/sort/cpu/partitioned.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/cpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// A sort of items as group_by needs it: in memory that was laid out for it.
struct group_sort {
  /// The bytes that it takes.
  static std::size_t bytes(std::size_t items, std::size_t key_bytes, std::size_t value_bytes, const host& machine) {
    using by = sort_strategies::partitioned;
    return temporary_bytes<by>(by::decide(sort_problem::by_whole_keys(items, key_bytes, value_bytes), machine));
  }
  /// The bytes that no sort of up to so many items takes more of: one of short keys may take less for more items, which
  /// it only counts, than for what one thread sorts in its cache.
  static std::size_t most_bytes(std::size_t items, std::size_t key_bytes, std::size_t value_bytes,
                                const host& machine) {
    const std::size_t cached = machine.l2 / 2 / (key_bytes + value_bytes);
    const std::size_t alone = machine.threads == 1 ? cached : std::min(cached, tuning::cpu_sort_team_items - 1);
    return std::max(bytes(items, key_bytes, value_bytes, machine),
                    bytes(std::min(items, alone), key_bytes, value_bytes, machine));
  }
  /// Sorts items, in place or not, ascending.
  template <class K, class V>
  static void run(std::type_identity_t<view<const K, const V>> in, view<K, V> out, const host& machine,
                  std::byte* memory, std::size_t room) {
    using by = sort_strategies::partitioned;
    arena mine(memory, room);
    const std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
    by::run<K, V>(cpu{.memory = &mine},
                  by::decide(sort_problem::by_whole_keys(in.size, sizeof(K), value_bytes), machine), in, out,
                  order_of<K>(false), bit_range<bits_of<K>>{});
  }
};

/// What strategies decide on that sort items and then go over the runs of equal keys.
struct sorted_groups {
  group_by_problem problem;
  host machine;
  unsigned threads = 1;
  std::size_t pieces = 0;
  std::size_t sort_bytes = 0;
  step sort;
  step count;
  step last;

  static constexpr std::tuple fields{
      field{&sorted_groups::threads, "threads", "that work together"},
      field{&sorted_groups::pieces, "pieces", "of the sorted items that threads take in turn"},
      members{&sorted_groups::sort, &sorted_groups::count, &sorted_groups::last},
  };

  static sorted_groups of(const group_by_problem& problem, const host& machine, std::string_view last) {
    sorted_groups p;
    p.problem = problem;
    p.machine = machine;
    p.threads = problem.items < tuning::cpu_sequential_items ? 1 : machine.threads;
    p.machine.threads = p.threads;
    p.pieces = run_pieces::of(problem.items).count();
    p.sort_bytes = group_sort::bytes(problem.items, problem.key_bytes, problem.moved_bytes, p.machine);
    p.sort = {"sort", p.threads};
    p.count = {"count", p.threads};
    p.last = {last, p.threads};
    return p;
  }
};

/// Whether keys of one group may differ, so that a sort of them as they are would not keep their items' order.
template <class K>
inline constexpr bool groups_have_one_key = !is_float_key<K>;

/// Copies keys, as those that stand for their groups, and with them their values, or else their positions.
template <class K, class V>
void copy_groups(unsigned threads, const K* keys, [[maybe_unused]] const V* values, view<K, V> to) {
  on_each(threads, [&](unsigned m) {
    const auto [begin, end] = slice(to.size, m, threads);
    for (std::size_t i = begin; i < end; ++i) to.keys[i] = group_key(keys[i]);
    if constexpr (view<K, V>::has_values) {
      if (values != nullptr) {
        std::copy(values + begin, values + end, to.values + begin);
      } else if constexpr (std::is_unsigned_v<V>) {
        std::iota(to.values + begin, to.values + end, static_cast<V>(begin));
      }
    }
  });
}

}  // namespace peneira::detail
