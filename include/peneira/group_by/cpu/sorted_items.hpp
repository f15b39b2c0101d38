// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sorted_items: items are sorted by their keys, which brings those of each group together, and the heads of runs are
// where groups begin.
//
//   items --sort--> values to the caller, keys --count heads--> numbers of groups --> keys and offsets of groups
#pragma once

#include "peneira/cpu/runs.hpp"
#include "peneira/group_by/cpu/group_sort.hpp"
#include "peneira/group_by/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

namespace peneira::group_by_strategies {

struct sorted_items : detail::takes_all<group_by_problem> {
  static constexpr std::string_view name = "sorted";
  static constexpr std::string_view about = "all threads, items are sorted and runs of equal keys are the groups";

  using parameters = detail::sorted_groups;

  static parameters decide(const group_by_problem& problem, const host& machine) {
    return parameters::of(problem, machine, "write");
  }

  struct arrays {
    void* keys;  ///< sorted
    std::uint64_t* firsts;
    std::byte* scratch;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.keys = memory.take_bytes(p.problem.items * p.problem.key_bytes);
    a.firsts = memory.template take<std::uint64_t>(p.pieces + 1);
    a.scratch = memory.template take<std::byte>(p.sort_bytes);
    return a;
  }

  /// `in` has no values where positions are wanted. Calls check(groups) when their number is known. Returns it.
  template <class K, class V, class Offset, class Check>
  static std::size_t run(const cpu& on, const parameters& p, view<const K, const V> in, K* unique_keys, Offset* offsets,
                         V* out, const Check& check) {
    const detail::temporary<sorted_items> a(on, p);
    const view<K, V> items{static_cast<K*>(a.keys), out, in.size};
    if (p.problem.by_position || !detail::groups_have_one_key<K>) {
      detail::copy_groups(p.threads, in.keys, in.values, items);
      in = items;
    }
    detail::group_sort::run<K, V>(in, items, p.machine, a.scratch, p.sort_bytes);
    const auto cut = detail::run_pieces::of(in.size);
    const std::size_t groups = detail::count_runs(p.threads, items.keys, cut, a.firsts);
    check(groups);
    detail::on_each_part(p.threads, cut.count(), [&](unsigned piece, unsigned /*member*/) {
      detail::for_heads(items.keys, cut.begin(piece), cut.end(piece), a.firsts[piece],
                        [&](std::uint64_t group, std::size_t i) {
                          unique_keys[group] = items.keys[i];
                          offsets[group] = static_cast<Offset>(i);
                        });
    });
    offsets[groups] = static_cast<Offset>(in.size);
    return groups;
  }
};

}  // namespace peneira::group_by_strategies
