// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group_by and distinct over ranks.
//
//   items --group_by, here--> this rank's groups, ascending: a key, and what was gathered of it
//         --cuts between keys, one exchange--> all that there is of a key is on one rank
//         --group_by, here: what was gathered apart is merged in rank order-->  groups, ascending over the ranks
//         --exchange--> as many to each rank as its part of the room
//
// A key is on a rank at most once when ranks exchange, so that no key weighs more than the number of ranks, however
// often it repeats. What was gathered travels, not results: means merge, and sums of floats keep their twofold
// precision.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "peneira/bits.hpp"
#include "peneira/group_by.hpp"
#include "peneira/ranks/calls.hpp"
#include "peneira/ranks/group_states.hpp"

namespace peneira {
namespace detail {

/// Groups in memory of their own: keys, and what was gathered.
template <class K, class State>
class groups_of_rank {
 public:
  groups_of_rank(const cpu& here, std::size_t most)
      : columns_{most},
        memory_(memory_of(here), workspace::round_up(columns_.bytes()), nullptr),
        all_(columns_.in(memory_.take_bytes(columns_.bytes()))) {}
  [[nodiscard]] const view<K, State>& all() const { return all_; }
  void resize(std::size_t groups) { all_.size = groups; }

 private:
  room_columns<K, State> columns_;
  workspace memory_;
  view<K, State> all_;
};

/// Copies groups into the room of this rank.
template <transport Transport, class K, class State>
room_columns<K, State> put_in_room(Transport& between, const view<K, State>& groups) {
  const room_columns<K, State> columns{groups.size};
  const view<K, State> room = columns.in(between.make_room(columns.bytes()));
  std::copy_n(groups.keys, groups.size, room.keys);
  if constexpr (view<K, State>::has_values) std::copy_n(groups.values, groups.size, room.values);
  return columns;
}

/// Where the groups of this rank, ascending, are cut, so that ranks get about as many each, and a key goes to one rank.
template <transport Transport, class K>
std::vector<std::uint64_t> cut_groups(Transport& between, const K* keys, std::size_t groups) {
  const rank_sizes from = sizes_of(between, groups);
  rank_sizes even{std::vector<std::size_t>(from.begins.size())};
  const std::size_t ranks = between.ranks();
  for (std::size_t r = 0; r <= ranks; ++r) {
    even.begins[r] = from.all() / ranks * r + std::min(r, from.all() % ranks);
  }
  const key_number<K> of{order_of<K>(false), {0, 8 * sizeof(K)}};
  const bin_borders<bits_of<K>> borders = choose_borders(sample_all(between, keys, from, of, ranks - 1), even);
  const std::vector<std::uint64_t> offsets = bins_of_sorted(keys, groups, borders, of);
  cut_finder<Transport, K> finder(between, keys, offsets, borders, of);
  std::vector<std::uint64_t> cuts = finder.cut_at_bins(even);
  finder.refine_between_keys(cuts);
  return cuts;
}

/// How many items come to this rank where each cuts its own so.
template <transport Transport>
std::size_t items_coming(Transport& between, const std::vector<std::uint64_t>& cuts) {
  std::vector<std::uint64_t> counts(cuts.size() - 1);
  for (std::size_t r = 0; r < counts.size(); ++r) counts[r] = cuts[r + 1] - cuts[r];
  between.sum_all(counts);
  return counts[between.rank()];
}

/// The groups that each rank gets: as its room is of the room of all. `room` is enough for them.
inline rank_sizes share_groups(std::size_t groups, const rank_sizes& room) {
  rank_sizes to{std::vector<std::size_t>(room.begins.size(), 0)};
  for (std::size_t r = 1; r < to.begins.size() && room.all() != 0; ++r) {
    to.begins[r] = static_cast<std::size_t>(static_cast<uint128>(groups) * room.begins[r] / room.all());
  }
  return to;
}

/// A group_by of a rank that was checked.
template <class K, class Folding>
struct rank_group_by {
  group_request<K> call;
  const typename Folding::moved* values;
  Folding by;
};

/// What this rank's items come to.
template <class K, class Folding>
void group_here(cpu here, const rank_group_by<K, Folding>& mine, const group_by_options& options,
                std::optional<groups_of_rank<K, gathered_by<Folding>>>& groups) {
  const std::size_t n = mine.call.keys.size;
  groups.emplace(here, n);
  group_request<K> call = mine.call;
  call.unique_keys = {groups->all().keys, nullptr, n};
  call.room.size = n;
  const kept_folding<Folding> by{mine.by, groups->all().values};
  groups->resize(group_by_plan(here, call, mine.values, by, {.strategy = options.strategy}));
}

/// Merges groups that came from all ranks.
template <class K, class Folding>
void merge_groups(cpu here, const rank_group_by<K, Folding>& mine,
                  const groups_of_rank<K, gathered_by<Folding>>& arrived,
                  groups_of_rank<K, gathered_by<Folding>>& groups) {
  const std::size_t n = arrived.all().size;
  group_request<K> call = mine.call;
  call.keys = {arrived.all().keys, nullptr, n};
  call.unique_keys = {groups.all().keys, nullptr, n};
  call.room.size = n;
  groups.resize(with_positions(n, [&]<class Position>(Position /*type*/) {
    const merged_folding<Folding, Position> by{mine.by, arrived.all().values, groups.all().values};
    return group_by_plan(here, call, nullptr, by, {});
  }));
}

/// group_by over ranks. check() returns what was asked for, and throws where that cannot be right.
template <transport Transport, class K, class Folding, class Check>
std::size_t group_over_ranks(Transport& between, const cpu& here, const rank_sizes& room, const Check& check,
                             const group_by_options& options) {
  using list = groups_of_rank<K, gathered_by<Folding>>;
  std::optional<rank_group_by<K, Folding>> mine;
  std::optional<list> groups;
  std::optional<list> arrived;
  together(between, [&] {
    mine.emplace(check());
    group_here(here, *mine, options, groups);
  });
  const auto move = [&](const std::vector<std::uint64_t>& cuts, std::size_t coming) {
    together(between, [&] { arrived.emplace(here, coming); });
    exchange_items(between, put_in_room(between, groups->all()), cuts, arrived->all());
  };
  const std::vector<std::uint64_t> cuts = cut_groups(between, groups->all().keys, groups->all().size);
  move(cuts, items_coming(between, cuts));
  together(between, [&] {
    groups.reset();
    groups.emplace(here, arrived->all().size);
    merge_groups(here, *mine, *arrived, *groups);
    arrived.reset();
  });

  const rank_sizes found = sizes_of(between, groups->all().size);
  if (found.all() > room.all()) {
    reject(mine->call.name, "output",
           "has room for " + std::to_string(room.all()) + " groups on all ranks together, but there are " +
               std::to_string(found.all()));
  }
  const rank_sizes to = share_groups(found.all(), room);
  const unsigned me = between.rank();
  move(cut_shares(found.begins[me], groups->all().size, to), to.begins[me + 1] - to.begins[me]);
  const view<K, gathered_by<Folding>>& got = arrived->all();
  std::copy_n(got.keys, got.size, mine->call.unique_keys.keys);
  if constexpr (view<K, gathered_by<Folding>>::has_values) {
    for (std::size_t g = 0; g < got.size; ++g) mine->by.write(g, got.values[g]);
  }
  return got.size;
}

/// The same parts, with positions in the whole.
template <class Values, class Op, class Results>
auto numbered_part(const operator_aggregate<Values, Op, Results>& part, std::uint64_t begin) {
  using of = operator_aggregate<Values, Op, Results>;
  const auto op = numbered<typename of::value>(operator_of<typename of::result>(part.op), begin);
  return operator_aggregate<Values, std::remove_const_t<decltype(op)>, Results>{part.values, op, part.results};
}
template <class Part>
Part numbered_part(const Part& part, std::uint64_t /*begin*/) {
  return part;
}

/// Groups that all outputs of a rank have room for.
template <class... Parts>
std::size_t room_of(std::size_t keys, const std::tuple<Parts...>& parts) {
  return std::apply([&](const auto&... part) { return std::min({keys, part.results.size...}); }, parts);
}

/// group_by of several columns over ranks; one column is one of them.
template <transport Transport, class Keys, class UniqueKeys, class... Parts>
std::size_t group_by_over_ranks(Transport& between, const cpu& here, Keys& keys, UniqueKeys& unique_keys,
                                const std::tuple<Parts...>& parts, std::uint64_t types,
                                const group_by_options& options) {
  using key = typename array_of<Keys>::key;
  const std::size_t n = as_view(keys).size;
  const call_sizes sizes = meet(between, "group_by", n, room_of(as_view(unique_keys).size, parts), types);
  const std::uint64_t begin = sizes.in.begins[between.rank()];
  const auto numbered_parts =
      std::apply([&](const auto&... part) { return std::tuple{numbered_part(part, begin)...}; }, parts);
  const auto check_by = [&]<class Position>(Position /*type*/) {
    auto call = group_call_of<cpu, 2 * sizeof...(Parts)>("group_by", keys, unique_keys, "unique_keys");
    unsigned number = 0;
    const auto next = [&] { return ++number; };
    const auto columns =
        std::apply([&](const auto&... part) { return std::tuple{column_of(part, call, next())...}; }, numbered_parts);
    call.check();
    const auto folding = std::apply([](const auto&... all) { return folding_of<Position>(all...); }, columns);
    return rank_group_by<key, std::remove_const_t<decltype(folding)>>{call, nullptr, folding};
  };
  // Positions of 64 bits everywhere: ranks must be of one type, whatever each of them has.
  const auto check = [&] { return check_by(std::uint64_t{}); };
  using folding = decltype(check().by);
  return group_over_ranks<Transport, key, folding>(between, here, sizes.out, check, options);
}

/// group_by of one column, whose values move with their keys.
template <transport Transport, class Keys, class Values, class UniqueKeys, class Results, class Op>
std::size_t group_values_over_ranks(Transport& between, const cpu& here, Keys& keys, Values& values,
                                    UniqueKeys& unique_keys, Results& results, const Op& op,
                                    const group_by_options& options) {
  using key = typename array_of<Keys>::key;
  using item = typename array_of<Values>::key;
  using result = typename array_of<Results>::key;
  using folding = value_folding<item, result, Op>;
  const std::size_t room = std::min(as_view(unique_keys).size, as_view(results).size);
  const call_sizes sizes = meet(between, "group_by", as_view(keys).size, room,
                                hash_numbers({type_number<key>(), type_number<item>(), type_number<result>()}));
  const auto check = [&] {
    auto call = group_call_of<cpu, 2>("group_by", keys, unique_keys, "unique_keys");
    call.read({"values"}, as_view(values));
    call.write({"results"}, as_view(results));
    call.check();
    return rank_group_by<key, folding>{call, as_view(values).keys, {op, as_view(results).keys}};
  };
  return group_over_ranks<Transport, key, folding>(between, here, sizes.out, check, options);
}

}  // namespace detail

/// group_by over ranks: the items of all ranks, in rank order, are one array. Groups come in ascending order of their
/// keys over the ranks, whatever options.groups says, and the rooms of all ranks, in `unique_keys` and `results`, say
/// who gets how many: each as much of the groups as its room is of all room, so all of them where it alone has room.
/// Returns how many groups this rank got. Keys, values, operators and precision are those of group_by on one machine;
/// of arg_min and arg_max the index is the position in the whole.
///
/// Throws on all ranks the same: std::invalid_argument for arguments that cannot be right on some rank, and where there
/// are more groups than room on all ranks together; std::bad_alloc where one has too little memory.
template <class On, class Keys, class Values, class UniqueKeys, class Results, class Op>
requires detail::rank_place<std::remove_cvref_t<On>>  //
    std::size_t group_by(On&& on, Keys&& keys, Values&& values, UniqueKeys&& unique_keys, Results&& results,
                         const Op& op, const group_by_options& options = {}) {
  if constexpr (!detail::ranks_run_on_cpus<On>::good || !detail::group_keys_arguments<cpu, Keys, UniqueKeys>::good) {
  } else if constexpr (detail::readable_column<Values>::good && detail::writable_column<Results>::good) {
    using item = typename detail::array_of<Values>::key;
    using result = typename detail::array_of<Results>::key;
    using by = std::remove_cvref_t<decltype(detail::operator_of<result>(op))>;
    if constexpr (!detail::group_column_arguments<item, result, Op>::good) {
    } else if constexpr (detail::has_lift<by, item>) {
      return group_by(on, keys, unique_keys, aggregates{aggregate(values, op, results)}, options);
    } else {
      return detail::group_values_over_ranks(on.between(), on.here(), keys, values, unique_keys, results,
                                             by(detail::operator_of<result>(op)), options);
    }
  }
  return 0;
}

/// The same with several results of several columns.
template <class On, class Keys, class UniqueKeys, class... Parts>
requires detail::rank_place<std::remove_cvref_t<On>>  //
    std::size_t group_by(On&& on, Keys&& keys, UniqueKeys&& unique_keys, const aggregates<Parts...>& parts,
                         const group_by_options& options = {}) {
  if constexpr (detail::ranks_run_on_cpus<On>::good && detail::group_keys_arguments<cpu, Keys, UniqueKeys>::good) {
    using key = typename detail::array_of<Keys>::key;
    const std::uint64_t types =
        detail::hash_numbers({detail::type_number<key>(), detail::type_number<typename Parts::result>()...});
    return detail::group_by_over_ranks(on.between(), on.here(), keys, unique_keys, parts.parts, types, options);
  }
  return 0;
}

/// distinct over ranks: every key of all ranks once, shared out as the groups of group_by are. Returns how many this
/// rank got.
template <class On, class In, class Out>
requires detail::rank_place<std::remove_cvref_t<On>>  //
    std::size_t distinct(On&& on, In&& in, Out&& out, const group_by_options& options = {}) {
  if constexpr (detail::ranks_run_on_cpus<On>::good && detail::group_keys_arguments<cpu, In, Out>::good) {
    using key = typename detail::array_of<In>::key;
    const detail::call_sizes sizes = detail::meet(on.between(), "distinct", detail::as_view(in).size,
                                                  detail::as_view(out).size, detail::type_number<key>());
    const auto check = [&] {
      auto call = detail::group_call_of<cpu, 0>("distinct", in, out, "out");
      call.check();
      return detail::rank_group_by<key, detail::key_folding>{call, nullptr, {}};
    };
    return detail::group_over_ranks<std::remove_cvref_t<decltype(on.between())>, key, detail::key_folding>(
        on.between(), on.here(), sizes.out, check, options);
  }
  return 0;
}

}  // namespace peneira
