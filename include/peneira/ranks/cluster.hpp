// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a sort over ranks will do, for any number of them: pn::explain with a pn::cluster. The call itself asks the same
// functions, so that it does what the plan says.
#pragma once

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "peneira/multisplit.hpp"
#include "peneira/place.hpp"
#include "peneira/sort.hpp"
#include "peneira/tuning/ranks.hpp"

namespace peneira {

/// Ranks as a plan sees them, all alike.
struct cluster {
  unsigned ranks = 2;           ///< processes
  unsigned a_node = 1;          ///< of them on each node, which share its link
  double latency = 2e-6;        ///< seconds that a message takes, however small
  double bandwidth = 12.5e9;    ///< bytes a second of a node's link, either way
  host machine = host::here();  ///< what a rank runs on
};

namespace detail {

/// Whether ranks send each other their shares at once (1), or by way of groups (2): where pieces are small.
inline unsigned rank_levels(unsigned ranks, std::size_t bytes, unsigned two_levels_from) {
  const std::size_t piece = bytes / ranks / ranks;
  return ranks >= std::max(two_levels_from, 4U) && piece < tuning::rank_small_piece ? 2 : 1;
}
/// Ranks of a group.
inline unsigned rank_group(unsigned ranks) {
  unsigned size = 1;
  while (size * size < ranks) ++size;
  return size;
}
/// Rounds in which the key at a cut is found, at most.
inline std::uint64_t narrowing_rounds(unsigned bits, std::size_t cuts) {
  const auto pivot_bits = static_cast<unsigned>(std::bit_width(tuning::rank_pivots(cuts)));
  return cuts == 0 ? 0 : (bits + pivot_bits - 1) / pivot_bits;
}

/// Pivots of one round, at most: some of the cuts may lie at the borders of bins, and those left have more each.
inline std::uint64_t most_pivots(std::size_t cuts) {
  std::uint64_t most = 0;
  for (const std::size_t open : {std::min<std::size_t>(cuts, 16), std::min<std::size_t>(cuts, 128), cuts}) {
    most = std::max<std::uint64_t>(most, open * tuning::rank_pivots(open));
  }
  return most;
}

/// A sort over ranks as a plan sees it.
struct rank_sort_problem {
  std::size_t items = 0;  ///< of all ranks, each of which has as many
  std::size_t key_bytes = 4;
  std::size_t value_bytes = 0;
  unsigned key_bits = 32;

  /// Whether ranks that have so many items count frequent keys, if a sample shows some.
  [[nodiscard]] bool may_count(std::size_t items_a_rank) const {
    return value_bytes == 0 && key_bits == 8 * key_bytes && items_a_rank >= tuning::rank_counted_items;
  }
};

/// What it comes to on each rank.
struct rank_sort_plan {
  unsigned ranks = 1;
  unsigned levels = 1;
  unsigned group = 1;
  std::size_t sample = 0;
  std::uint64_t rounds = 0;
  std::uint64_t messages = 0;
  std::uint64_t sent_bytes = 0;
  std::uint64_t number_bytes = 0;
  std::uint64_t room_bytes = 0;
  std::uint64_t microseconds = 0;
  std::size_t splitters = 0;  ///< of a split, at most

  static constexpr std::tuple fields{
      field{&rank_sort_plan::ranks, "ranks", "each with as many items"},
      field{&rank_sort_plan::levels, "levels", "2: shares go to groups of ranks first, then within them"},
      field{&rank_sort_plan::group, "group", "ranks that exchange with one another in the last level"},
      field{&rank_sort_plan::sample, "sample", "keys from all ranks, of the first level"},
      field{&rank_sort_plan::rounds, "rounds", "in which all ranks exchange small numbers or items, at most"},
      field{&rank_sort_plan::messages, "messages", "of items that a rank sends, at most"},
      field{&rank_sort_plan::sent_bytes, "sent bytes", "of items that a rank sends, at most"},
      field{&rank_sort_plan::number_bytes, "number bytes", "of small numbers from all ranks in one round, at most"},
      field{&rank_sort_plan::room_bytes, "room bytes", "that a rank keeps for the next call, of its temporary bytes"},
      field{&rank_sort_plan::microseconds, "microseconds", "by the model: latency, bandwidth, and work a key"},
  };
};

/// One level: what all ranks, or those of a group, do together for so many cuts.
struct rank_level {
  std::size_t splitters;
  std::size_t sample;
  std::uint64_t rounds;
  std::uint64_t number_bytes;
};
inline rank_level level_of(std::size_t ranks, std::size_t parts, const rank_sort_problem& problem, std::size_t items) {
  const std::size_t cuts = parts - 1;
  const std::size_t sample = std::min(items, tuning::rank_sample(cuts, items / ranks));
  // The sample, the room, the split, its counts, the sort of bins with cuts, and two rounds for where cuts come to lie;
  // with frequent keys, whether all have counted, their counts, and who gets how many others.
  const bool may_count = problem.may_count(items / ranks);
  const std::uint64_t rounds = 7 + narrowing_rounds(problem.key_bits, cuts) + (may_count ? 4 : 0);
  const std::size_t splitters = std::min(sample, 2 * tuning::rank_bins_a_cut * parts);
  const std::uint64_t counts =
      std::max<std::uint64_t>({2 * splitters + 1, most_pivots(cuts), may_count ? frequent_slots : 0});
  return {splitters, sample, rounds, std::max<std::uint64_t>(counts * sizeof(counts), sample * problem.key_bytes)};
}

/// What messages and work take: every round as many steps as a tree of ranks is deep.
inline double modelled_seconds(const rank_sort_plan& p, std::size_t bytes, const cluster& on) {
  const double steps = std::bit_width(on.ranks - 1);
  const double link = on.bandwidth / std::max(1U, on.a_node);
  const double rounds = static_cast<double>(p.rounds) * on.latency * steps;
  const double numbers = static_cast<double>(p.number_bytes) / link * static_cast<double>(p.levels);
  const double moved = static_cast<double>(p.messages) * on.latency + static_cast<double>(p.sent_bytes) / link;
  const double words = static_cast<double>(bytes) / 8 / std::max(1U, on.machine.threads);
  return rounds + numbers + moved + words * (p.levels * tuning::rank_split_seconds + tuning::rank_sort_seconds);
}

inline rank_sort_plan decide_rank_sort(const rank_sort_problem& problem, const cluster& on) {
  rank_sort_plan p;
  const std::size_t item = problem.key_bytes + problem.value_bytes;
  const std::size_t columns = problem.value_bytes == 0 ? 1 : 2;
  const std::size_t mine = (problem.items + on.ranks - 1) / on.ranks;
  p.ranks = on.ranks;
  p.levels = rank_levels(on.ranks, problem.items * item, tuning::rank_two_levels);
  p.group = p.levels == 1 ? on.ranks : rank_group(on.ranks);
  const std::size_t groups = (on.ranks + p.group - 1) / p.group;
  const rank_level last = level_of(p.group, p.group, problem, mine * p.group);
  p.sample = last.sample;
  p.splitters = last.splitters;
  p.rounds = 3 + last.rounds + columns + 1;  // who has what, the checks, and whether all is in order; exchange, sort
  p.messages = columns * (p.group - 1);
  p.sent_bytes = mine * item;
  p.number_bytes = std::max<std::uint64_t>(last.number_bytes, on.ranks * 4 * sizeof(std::uint64_t));
  if (p.levels == 2) {
    const rank_level first = level_of(on.ranks, groups, problem, problem.items);
    p.sample = first.sample;
    p.splitters = std::max(p.splitters, first.splitters);
    p.rounds += first.rounds + columns + 3;  // memory; what comes before in each group; the group's end
    p.messages += columns * (2 * groups + 1);
    p.sent_bytes *= 2;
    p.number_bytes = std::max(p.number_bytes, first.number_bytes);
  }
  p.microseconds = static_cast<std::uint64_t>(modelled_seconds(p, mine * item, on) * 1e6);
  return p;
}

/// What one rank's sort, and its split, of its own items takes.
inline std::size_t alone_sort_bytes(const sort_problem& own, const host& machine) {
  return plan_by<sort_cpu_strategies>("sort", own, machine, choose_sort(own, machine)).temporary_bytes;
}
inline std::size_t alone_split_bytes(const sort_problem& own, std::size_t bins, const host& machine) {
  multisplit_problem split{
      own.items,     static_cast<std::uint32_t>(bins), own.key_bytes, own.value_bytes, sizeof(std::uint64_t),
      own.equal_keys};
  split.key_alignment = own.key_bytes;
  return most_split_bytes(split, machine);
}

/// The sort of a rank's own items.
template <class K, class V>
sort_problem own_sort(std::size_t items, const sort_options& options) {
  sort_problem own;
  own.items = items;
  own.key_bytes = sizeof(K);
  own.value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
  own.first_bit = options.first_bit;
  own.last_bit = options.last_bit == 0 ? 8 * sizeof(K) : options.last_bit;
  own.equal_keys = own.value_bytes == 0 && own.whole_key() ? order::any : options.equal_keys;
  own.in_place = true;
  return own;
}

/// The plan of a sort in which every rank has such items.
inline plan plan_rank_sort(const sort_problem& own, const cluster& on) {
  if (on.ranks == 0) throw std::invalid_argument("explain: a cluster has 0 ranks");
  if (own.items != 0 && on.ranks > std::numeric_limits<std::size_t>::max() / own.items) {
    throw std::invalid_argument("explain: more items on all ranks than can be counted");
  }
  rank_sort_plan decided = decide_rank_sort({own.items * on.ranks, own.key_bytes, own.value_bytes, own.bits()}, on);
  const std::size_t columns = workspace::round_up(own.items * own.key_bytes) + own.items * own.value_bytes;
  const std::size_t sorting = alone_sort_bytes(own, on.machine) + memory_alignment;
  decided.room_bytes = std::max(columns, sorting);
  plan made;
  made.primitive = "sort";
  made.place = "ranks";
  made.strategy = decided.levels == 1 ? "at once" : "by groups";
  made.why = decided.levels == 1 ? "few ranks, or large pieces for each: they send each other their shares"
                                 : "many ranks with small pieces: a message costs more than what is in it";
  show(decided, made);
  // Its room, which the last sort uses again; what comes to it by way of its group; what a split, or a sort of a bin
  // that holds a cut, takes at most.
  made.temporary_bytes = decided.room_bytes + (decided.levels == 2 ? workspace::round_up(columns) : 0) +
                         std::max(alone_split_bytes(own, 2 * decided.splitters + 1, on.machine), sorting);
  return made;
}

}  // namespace detail

/// The plan of a sort over ranks: the call is that of one rank, and all others have arrays of the same sizes.
///
/// ```cpp
/// std::uint64_t* const none = nullptr;
/// const auto call = [&](auto& on) { pn::sort(on, pn::items(none, 1000)); };        // what each rank has
/// const pn::plan p = pn::explain(call, pn::cluster{.ranks = 10'000});
/// ```
template <class Items>
void sort(planner<cluster>& on, Items&& items, const sort_options& options = {}) {
  using key = typename detail::array_of<Items>::key;
  using value = typename detail::array_of<Items>::value;
  const sort_problem own = detail::own_sort<key, value>(detail::as_view(items).size, options);
  on.made = detail::plan_rank_sort(own, on.machine);
  ++on.calls;
}

}  // namespace peneira
