// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sorted: the items are sorted by their keys, and each run of equal keys is a group.
//
//   items --sort--> runs --count heads--> numbers of groups --fold, piece by piece--> groups
//
// What pieces of one run have gathered is merged from the first to the last. Wins where most keys differ; takes any.
// Few items are looked at for few groups first (few.hpp), which need no sort.
#pragma once

#include <string_view>

#include "peneira/arguments.hpp"
#include "peneira/cpu/runs.hpp"
#include "peneira/group_by/cpu/few.hpp"
#include "peneira/group_by/cpu/group_sort.hpp"
#include "peneira/group_by/folding.hpp"
#include "peneira/group_by/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// What group_by is given and where its groups go.
template <class K, class Moved>
struct group_arrays {
  const K* keys;
  const Moved* values;  ///< of items that move as their positions: nullptr
  std::size_t items;
  K* unique_keys;
  std::size_t room;
  std::string_view call;
  argument_name short_of;  ///< the argument that has no more room than that

  /// Throws where there are more groups than room.
  void check_room(std::size_t groups) const {
    if (groups > room) [[unlikely]]
      reject_groups(call, short_of, room, groups);
  }
};

/// What is gathered at both ends of a piece of sorted items: of the run that it begins with, where that began before
/// it, and of the last that begins in it.
template <class State>
struct piece_ends_of_runs {
  State leading;
  State last;
};

/// Folds a piece of sorted items. Groups that begin and end in it are written.
template <class K, class Moved, class Folding>
void fold_piece(view<const K, const Moved> items, std::size_t begin, std::size_t end, std::uint64_t run,
                const Folding& by, K* unique_keys, piece_ends_of_runs<typename Folding::state>& ends) {
  const auto item = [&](std::size_t i) -> Moved {
    if constexpr (view<K, Moved>::has_values) return items.values[i];
    return {};
  };
  std::size_t i = begin;
  if (!is_head(items.keys, i)) {
    auto gathered = by.first(item(i));
    for (++i; i < end && !is_head(items.keys, i); ++i) by.add(gathered, item(i));
    ends.leading = gathered;
  }
  while (i < end) {
    unique_keys[run] = items.keys[i];
    auto gathered = by.first(item(i));
    for (++i; i < end && !is_head(items.keys, i); ++i) by.add(gathered, item(i));
    if (i < end) {
      by.write(static_cast<std::size_t>(run), gathered);
    } else {
      ends.last = gathered;
    }
    ++run;
  }
}

/// Writes the last group of each piece, with what the pieces behind it have of it.
template <class K, class Folding>
void join_pieces(const K* keys, const run_pieces& pieces, const std::uint64_t* firsts, const Folding& by,
                 const piece_ends_of_runs<typename Folding::state>* ends) {
  const unsigned count = pieces.count();
  for (unsigned p = 0; p < count;) {  // the piece has heads: those that have none are passed over
    auto gathered = ends[p].last;
    unsigned next = p + 1;
    for (; next < count && !is_head(keys, pieces.begin(next)); ++next) {
      by.merge(gathered, ends[next].leading);
      if (firsts[next] != firsts[next + 1]) break;
    }
    by.write(static_cast<std::size_t>(firsts[p + 1] - 1), gathered);
    p = next;
  }
}

}  // namespace detail

namespace group_by_strategies {

struct sorted : detail::takes_all<group_by_problem> {
  static constexpr std::string_view name = "sorted";
  static constexpr std::string_view about = "all threads, items are sorted and each run of equal keys is a group";

  using parameters = detail::sorted_groups;

  /// Whether items are so few that each looks for its key among those before, without memory or a plan.
  static bool is_small(std::size_t items) { return items <= tuning::cpu_group_few; }

  static parameters decide(const group_by_problem& problem, const host& machine) {
    return parameters::of(problem, machine, "fold");
  }

  struct arrays {
    detail::item_arrays between;  ///< the sorted items
    std::uint64_t* firsts;
    void* ends;
    std::byte* scratch;
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (is_small(p.problem.items)) return a;
    a.between.keys = memory.take_bytes(p.problem.items * p.problem.key_bytes);
    a.between.values = memory.take_bytes(p.problem.items * p.problem.moved_bytes);
    a.firsts = memory.template take<std::uint64_t>(p.pieces + 1);
    a.ends = memory.take_bytes(p.pieces * 2 * p.problem.entry_bytes);
    a.scratch = memory.template take<std::byte>(p.sort_bytes);
    return a;
  }

  template <class K, class Folding>
  static std::size_t run(const cpu& on, const parameters& p,
                         const detail::group_arrays<K, typename Folding::moved>& given, const Folding& by) {
    const detail::temporary<sorted> memory(on, p);
    return run_in(memory, p, given, by);
  }
  /// What run does for few items, without a plan.
  template <class K, class Folding>
  static std::size_t run_small(const detail::group_arrays<K, typename Folding::moved>& given, const Folding& by) {
    return detail::few_groups<K, Folding, detail::group_arrays<K, typename Folding::moved>>(given, by).run();
  }

  /// The same in memory that a caller has laid out.
  template <class K, class Folding>
  static std::size_t run_in(const arrays& a, const parameters& p,
                            const detail::group_arrays<K, typename Folding::moved>& given, const Folding& by) {
    using moved = typename Folding::moved;
    using ends = detail::piece_ends_of_runs<typename Folding::state>;
    if (is_small(given.items)) return run_small<K, Folding>(given, by);
    using table = detail::small_table<K, Folding, detail::group_arrays<K, moved>>;
    if constexpr (table::possible) {
      if (given.items >= tuning::cpu_group_table_least && given.items <= tuning::cpu_group_sorted) {
        if (const auto groups = table(given, by).run()) return *groups;
      }
    }
    const view<K, moved> items = sort_items<K, Folding>(a, p, given);
    const auto pieces = detail::run_pieces::of(given.items);
    const std::size_t groups = detail::count_runs(p.threads, items.keys, pieces, a.firsts);
    given.check_room(groups);
    auto* const at_ends = static_cast<ends*>(a.ends);
    detail::on_each_part(p.threads, pieces.count(), [&](unsigned piece, unsigned /*member*/) {
      detail::fold_piece<K, moved>(items, pieces.begin(piece), pieces.end(piece), a.firsts[piece], by,
                                   given.unique_keys, at_ends[piece]);
    });
    detail::join_pieces(items.keys, pieces, a.firsts, by, at_ends);
    return groups;
  }

 private:
  template <class K, class Folding>
  static auto sort_items(const arrays& a, const parameters& p,
                         const detail::group_arrays<K, typename Folding::moved>& given) {
    using moved = typename Folding::moved;
    const view<K, moved> items = a.between.template as<K, moved>(given.items);
    view<const K, const moved> from{given.keys, given.values, given.items};
    if constexpr (Folding::by_position || !detail::groups_have_one_key<K>) {
      detail::copy_groups(p.threads, given.keys, given.values, items);
      from = items;
    }
    detail::group_sort::run<K, moved>(from, items, p.machine, a.scratch, p.sort_bytes);
    return items;
  }
};

}  // namespace group_by_strategies
}  // namespace peneira
