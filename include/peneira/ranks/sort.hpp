// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort and argsort over ranks.
//
//   keys --are they in order as they are (in_order.hpp)? are some frequent (frequent_keys.hpp)? or else:
//   keys --sample, all ranks--> splitters --multisplit into the room--> bins --cuts.hpp--> exact cuts
//   room --exchange--> out: what is this rank's share, unsorted --sort, here--> out
//
// Moves each item once between ranks, and once within each before and after. Partition first and sort what arrives:
// to merge sorted runs of p ranks costs log p passes, to split costs one.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "peneira/multisplit.hpp"
#include "peneira/ranks/calls.hpp"
#include "peneira/ranks/cluster.hpp"
#include "peneira/ranks/frequent_keys.hpp"
#include "peneira/ranks/gpu/sort.hpp"
#include "peneira/ranks/in_order.hpp"
#include "peneira/ranks/sort_numbers.hpp"
#include "peneira/sort.hpp"

namespace peneira {
namespace detail {

/// The memory that the sort of a rank's share takes, here.
template <class K, class V>
std::size_t sort_bytes(const cpu& here, std::size_t n, const sort_options& options) {
  const view<K, V> nothing{nullptr, nullptr, n};
  const auto call = [&](auto& on) { sort(on, nothing, options); };
  return explain(call, host::here().with_threads(here.threads)).temporary_bytes + memory_alignment;
}

/// Where a rank's items are cut, and the numbers between which all lie that it gets.
template <class K>
struct made_cuts {
  std::vector<std::uint64_t> at;
  bits_of<K> low;
  bits_of<K> high;
};

/// Splits this rank's items into its room, the first of it, and cuts them exactly where `to` is cut.
template <transport Transport, class K, class V>
made_cuts<K> split_and_cut(Transport& between, const cpu& here, view<const K, const V> in, view<K, V> room,
                           const bin_borders<bits_of<K>>& borders, const rank_sizes& to, const sort_options& options,
                           const counted_keys& counted = {}) {
  const key_number<K> of = number_for<K>(options);
  std::vector<std::uint64_t> offsets(borders.bins() + 1);
  together(between,
           [&] { multisplit(here, in, room, cut_bins<K>(of, borders), offsets, {.within_bin = options.equal_keys}); });
  cut_finder<Transport, K> finder(between, room.keys, offsets, borders, of, counted);
  std::vector<std::uint64_t> cuts = finder.cut_at_bins(to);
  together(between, [&] {
    for (const std::size_t bin : finder.bins_to_sort()) {
      sort(here, room.part(offsets[bin], offsets[bin + 1] - offsets[bin]), options);
    }
  });
  finder.refine(cuts);
  const unsigned me = std::min<unsigned>(between.rank(), static_cast<unsigned>(cuts.size()) - 2);
  return {std::move(cuts), finder.keys_at()[me], finder.keys_at()[me + 1]};
}

/// Bytes of the room of a rank that has so many items, and gets so many.
template <class K, class V>
std::size_t sort_room_bytes(const cpu& here, std::size_t has, std::size_t gets, const sort_options& options) {
  return std::max(room_columns<K, V>{std::max(has, gets)}.bytes(), sort_bytes<K, V>(here, gets, options));
}

/// Sorts a rank's share where it is: the room is free again, and its pages are there. That all lie between two numbers
/// saves the sort a look at every key.
template <transport Transport, class K, class V>
void sort_share(Transport& between, const cpu& here, view<K, V> share, const sort_options& options,
                std::size_t room_bytes, const made_cuts<K>& lies) {
  using chosen = sort_strategies::partitioned;
  arena memory(between.room(), room_bytes);
  const cpu on{here.threads, &memory};
  const key_number<K> of = number_for<K>(options);
  if (!options.strategy.empty() || !of.whole()) return sort(on, share, options);
  const auto decided = chosen::decide(own_sort<K, V>(share.size, options), host::here().with_threads(here.threads));
  const temporary<chosen> arrays(on, decided);
  with_rank<K>(of.by, of.part, [&](const auto& rank) {
    chosen::run_between<K, V>(decided, arrays, share, share, rank, lies.low, lies.high);
  });
}

/// Sorts keys alone of which the sample has some often, which are counted instead of moved. False, on all ranks, where
/// the sample has few of them, or a rank has more others than it has room for.
template <transport Transport, class K>
bool sort_counted(Transport& between, const cpu& here, view<const K, const no_value> in, view<K> out,
                  const sort_options& options, const std::vector<bits_of<K>>& sample, const rank_sizes& to,
                  view<K> room, std::size_t room_bytes) {
  frequent_keys<K> frequent(number_for<K>(options));
  std::uint64_t refusals = 0;
  bool chosen = false;
  together(between, [&] {
    chosen = frequent.choose(sample);
    refusals = chosen && frequent.sift(here, in, room) ? 0 : 1;
  });
  if (!chosen) return false;
  between.sum_all({&refusals, 1});
  if (refusals != 0) return false;

  const auto borders = choose_borders(sample, to);
  const made_cuts<K> cuts = split_and_cut<Transport, K, no_value>(
      between, here, frequent.rest(), room.part(0, frequent.rest().size), borders, to, options, frequent.counted());
  std::vector<std::uint64_t> counts(between.ranks());
  for (std::size_t r = 0; r < counts.size(); ++r) counts[r] = cuts.at[r + 1] - cuts.at[r];
  between.sum_all(counts);
  frequent.add_up(between);
  exchange_items(between, room_columns<K, no_value>{room.size}, cuts.at, out);
  together(between, [&] {
    const unsigned me = between.rank();
    const view<K> others = out.part(0, counts[me]);
    const std::uint64_t before = std::accumulate(counts.begin(), counts.begin() + me, std::uint64_t{0});
    sort_share<Transport, K, no_value>(between, here, others, options, room_bytes, cuts);
    const view<K> held{static_cast<K*>(between.room()), nullptr, others.size};
    copy_here<K, no_value>(here, others, held);
    frequent.write(here, held, to.begins[me] - before, to.begins[me + 1] - before - others.size, out);
  });
  return true;
}

/// Every rank sends each other what is its share, which is sorted there.
template <transport Transport, class K, class V>
void sort_at_once(Transport& between, const cpu& here, view<const K, const V> in, view<K, V> out,
                  const sort_options& options, const rank_sizes& from, const rank_sizes& to) {
  const key_number<K> of = number_for<K>(options);
  const std::vector<bits_of<K>> sample = sample_all(between, in.keys, from, of, to.begins.size() - 2);
  const std::size_t room_bytes = sort_room_bytes<K, V>(here, in.size, out.size, options);
  const room_columns<K, V> columns{in.size};
  const view<K, V> room = columns.in(between.make_room(room_bytes));
  if constexpr (!view<K, V>::has_values) {
    const rank_sort_problem problem{from.all(), sizeof(K), 0, of.part.count};
    if (problem.may_count(from.all() / between.ranks()) &&
        sort_counted(between, here, in, out, options, sample, to, room, room_bytes))
      return;
  }
  const made_cuts<K> cuts = split_and_cut(between, here, in, room, choose_borders(sample, to), to, options);
  exchange_items(between, columns, cuts.at, out);
  together(between, [&] { sort_share(between, here, out, options, room_bytes, cuts); });
}

/// Where the items that come to a group of ranks are cut, evenly: the first that its rank j gets.
inline std::uint64_t even_share(std::uint64_t items, std::uint64_t ranks, std::uint64_t j) {
  return items / ranks * j + std::min(j, items % ranks);
}

/// Ranks in rows: who belongs to which group.
struct rank_grid {
  unsigned ranks;
  unsigned size;  ///< of a group; the last may be smaller

  [[nodiscard]] unsigned groups() const { return (ranks + size - 1) / size; }
  [[nodiscard]] unsigned first(unsigned group) const { return std::min(group * size, ranks); }
  [[nodiscard]] unsigned size_of(unsigned group) const { return first(group + 1) - first(group); }
};

/// What this rank sends so that each group gets its share of the order, dealt out evenly to its ranks. A group's items
/// stay in rank order, so that equal keys do.
inline std::vector<placed_part> parts_for_groups(const rank_grid& grid, const rank_sizes& to,
                                                 const std::vector<std::uint64_t>& cuts,
                                                 const std::vector<std::uint64_t>& before) {
  std::vector<placed_part> parts;
  for (unsigned g = 0; g < grid.groups(); ++g) {
    const std::uint64_t all = to.begins[g + 1] - to.begins[g];
    const std::uint64_t end = before[g] + cuts[g + 1] - cuts[g];
    const std::uint64_t ranks = grid.size_of(g);
    std::uint64_t at = before[g];
    for (std::uint64_t j = 0; j < ranks && at < end; ++j) {
      const std::uint64_t border = even_share(all, ranks, j + 1);
      if (border <= at) continue;
      const std::uint64_t upto = std::min(border, end);
      parts.push_back({grid.first(g) + j, cuts[g] + at - before[g], upto - at, at - even_share(all, ranks, j)});
      at = upto;
    }
  }
  return parts;
}

/// Sends items of this rank's room where the parts say, counted in items.
template <transport Transport, class K, class V>
void send_items(Transport& between, const room_columns<K, V>& columns, const std::vector<placed_part>& parts,
                view<K, V> out) {
  const auto send = [&](std::size_t begin, std::size_t item_bytes, void* to) {
    std::vector<placed_part> placed = parts;
    for (placed_part& one : placed) {
      one = {one.rank, begin + one.begin * item_bytes, one.bytes * item_bytes, one.at * item_bytes};
    }
    between.send(placed, to, out.size * item_bytes);
  };
  send(0, sizeof(K), out.keys);
  if constexpr (view<K, V>::has_values) send(columns.values_at(), sizeof(V), out.values);
}

/// The same in two levels, for many ranks with small pieces for one another: each group of about sqrt(p) ranks first
/// gets its share of the order, then its ranks theirs. A rank sends about 3 sqrt(p) messages instead of p.
template <transport Transport, class K, class V>
void sort_by_groups(Transport& between, const cpu& here, view<const K, const V> in, view<K, V> out,
                    const sort_options& options, const rank_sizes& from, const rank_sizes& to) {
  const rank_grid grid{between.ranks(), rank_group(between.ranks())};
  const unsigned mine = between.rank() / grid.size;
  rank_sizes groups{std::vector<std::size_t>(grid.groups() + 1)};
  for (unsigned g = 0; g <= grid.groups(); ++g) groups.begins[g] = to.begins[grid.first(g)];
  const std::size_t all = groups.begins[mine + 1] - groups.begins[mine];
  if (to.all() < from.all()) groups.begins.push_back(from.all());  // the share of nobody
  rank_sizes dealt{std::vector<std::size_t>(grid.size_of(mine) + 1)};
  rank_sizes wanted = dealt;
  for (unsigned j = 0; j <= grid.size_of(mine); ++j) {
    dealt.begins[j] = even_share(all, grid.size_of(mine), j);
    wanted.begins[j] = to.begins[grid.first(mine) + j] - groups.begins[mine];
  }

  const unsigned me = between.rank() - grid.first(mine);
  const room_columns<K, V> columns{dealt.begins[me + 1] - dealt.begins[me]};
  std::optional<workspace> memory;
  together(between, [&] { memory.emplace(memory_of(here), workspace::round_up(columns.bytes()), nullptr); });
  const view<K, V> middle = columns.in(memory->take_bytes(columns.bytes()));
  const std::size_t room_bytes =
      std::max(room_columns<K, V>{in.size}.bytes(), sort_room_bytes<K, V>(here, middle.size, out.size, options));
  const room_columns<K, V> held{in.size};
  const key_number<K> of = number_for<K>(options);
  const auto borders = choose_borders(sample_all(between, in.keys, from, of, groups.begins.size() - 2), groups);
  const view<K, V> room = held.in(between.make_room(room_bytes));
  const std::vector<std::uint64_t> cuts = split_and_cut(between, here, in, room, borders, groups, options).at;
  std::vector<std::uint64_t> before(grid.groups());
  for (unsigned g = 0; g < grid.groups(); ++g) before[g] = cuts[g + 1] - cuts[g];
  between.sum_before(before);
  send_items(between, held, parts_for_groups(grid, groups, cuts, before), middle);
  together(between, [&] {
    auto&& group = between.group(grid.size);
    sort_at_once<std::remove_cvref_t<decltype(group)>, K, V>(group, here, middle, out, options, dealt, wanted);
  });
}

/// Puts the first of all items in order into `out`, as many as its parts have room for together; the rest is dropped.
template <transport Transport, class K, class V>
void sort_shares(Transport& between, const cpu& here, view<const K, const V> in, view<K, V> out,
                 const sort_options& options, const rank_sizes& from, rank_sizes to) {
  const std::size_t item_bytes = sizeof(K) + (view<K, V>::has_values ? sizeof(V) : 0);
  const bool two_levels = rank_levels(between.ranks(), from.all() * item_bytes, between.two_levels_from()) == 2;
  const bool in_order = are_in_order(between, here, in.keys, in.size, number_for<K>(options));
  if (two_levels && !in_order) return sort_by_groups(between, here, in, out, options, from, to);
  if (to.all() < from.all()) to.begins.push_back(from.all());  // the share of nobody
  if (in_order) return move_in_order(between, here, in, out, from, to);
  sort_at_once(between, here, in, out, options, from, to);
}

/// sort over ranks.
template <transport Transport, class K, class V>
void sort_over_ranks(Transport& between, const cpu& here, view<const K, const V> in, view<K, V> out,
                     const sort_options& options) {
  const call_sizes sizes = meet(between, "sort", in.size, out.size, sort_signature<K, V>(options));
  together(between, [&] {
    check_rank_arrays<K, V>("sort", in, out);
    check_sort<cpu, K, V>("sort", in.part(0, 0), out.part(0, 0), options);  // the options
  });
  check_rank_sizes("sort", "out", sizes.in, sizes.out);
  sort_shares(between, here, in, out, options, sizes.in, sizes.out);
}

/// argsort over ranks: the numbers of the items in the whole are values of the keys.
template <transport Transport, class K, class P>
void argsort_over_ranks(Transport& between, const cpu& here, view<const K> keys, view<P> positions,
                        const sort_options& options) {
  const rank_sizes from = meet(between, "argsort", keys.size, positions.size, sort_signature<K, P>(options)).in;
  std::vector<K> sorted;
  std::vector<P> numbers;
  together(between, [&] {
    check_address<cpu>("argsort", "keys", keys.keys, keys.size);
    check_address<cpu>("argsort", "positions", positions.keys, positions.size);
    if (from.all() != 0 && from.all() - 1 > std::numeric_limits<P>::max()) {
      reject("argsort", "positions", "has 32 bits an entry, too few to number " + std::to_string(from.all()) + " keys");
    }
    if (overlap(keys.keys, keys.size * sizeof(K), positions.keys, positions.size * sizeof(P))) {
      reject("argsort", "positions", "overlaps the keys");
    }
    sorted.resize(positions.size);
    numbers.resize(keys.size);
    std::iota(numbers.begin(), numbers.end(), static_cast<P>(from.begins[between.rank()]));
  });
  const view<const K, const P> in{keys.keys, numbers.data(), keys.size};
  sort_over_ranks<Transport, K, P>(between, here, in, {sorted.data(), positions.keys, positions.size}, options);
}

}  // namespace detail

/// sort over ranks: the arrays `in` of all ranks, in rank order, are one array, which is sorted; the sizes of `out` say
/// how much of it each rank gets, and need not be those of `in`. Every rank makes the call. Keys, values, order and
/// options are those of sort on one machine, and so is the answer, whatever the number of ranks. Beside the arrays, a
/// rank takes memory for its items twice, one of them in its room (mpi.hpp).
///
/// Throws on all ranks the same: std::invalid_argument for arguments that cannot be right on some rank, which the error
/// names, or sizes of `out` that do not add up to the items; std::bad_alloc where one has too little memory.
template <class On, class In, class Out>
requires detail::rank_place<std::remove_cvref_t<On>> &&(!std::is_same_v<std::remove_cvref_t<Out>, sort_options>)  //
    void sort(On&& on, In&& in, Out&& out, const sort_options& options = {}) {
  if constexpr (detail::ranks_run<On>::good && detail::sort_arguments<detail::rank_here<On>, In, Out>::good) {
    using key = typename detail::array_of<In>::key;
    using value = typename detail::array_of<In>::value;
    using transport = std::remove_cvref_t<decltype(on.between())>;
    const auto from = detail::as_view(in);
    const auto to = detail::as_view(out);
    if constexpr (detail::ranks_on_gpus<On>) {
#if defined(__CUDACC__)
      detail::sort_over_gpus<transport, key, value>(on.between(), on.rooms(), on.here(), from, to, options);
#endif
    } else {
      detail::sort_over_ranks<transport, key, value>(on.between(), on.here(), from, to, options);
    }
  }
}

/// The same in place: every rank has as many items afterwards as before.
template <class On, class Items>
requires detail::rank_place<std::remove_cvref_t<On>>
void sort(On&& on, Items&& items, const sort_options& options = {}) {
  sort(on, items, items, options);
}

/// argsort over ranks: positions are numbers of the whole array. The sizes of `positions` say who gets how many.
template <class On, class Keys, class Positions>
requires detail::rank_place<std::remove_cvref_t<On>>
void argsort(On&& on, Keys&& keys, Positions&& positions, const sort_options& options = {}) {
  if constexpr (detail::ranks_run_on_cpus<On>::good && detail::argsort_arguments<cpu, Keys, Positions>::good) {
    using key = typename detail::array_of<Keys>::key;
    using position = typename detail::array_of<Positions>::key;
    const auto given = detail::as_view(keys);
    detail::argsort_over_ranks<std::remove_cvref_t<decltype(on.between())>, key, position>(
        on.between(), on.here(), view<const key>{given.keys, nullptr, given.size}, detail::as_view(positions), options);
  }
}

}  // namespace peneira
