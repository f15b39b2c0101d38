// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort and argsort over ranks.
//
//   keys --sample, all ranks--> splitters --multisplit into the room--> bins --cuts.hpp--> exact cuts
//   room --exchange--> out: what is this rank's share, unsorted --sort, here--> out
//
// Moves each item once between ranks, and once within each before and after. Partition first and sort what arrives:
// to merge sorted runs of p ranks costs log p passes, to split costs one.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "peneira/multisplit.hpp"
#include "peneira/ranks/calls.hpp"
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

/// Puts the first of all items in order into `out`, as many as its parts have room for together; the rest is dropped.
template <transport Transport, class K, class V>
void sort_shares(Transport& between, const cpu& here, view<const K, const V> in, view<K, V> out,
                 const sort_options& options, const rank_sizes& from, rank_sizes to) {
  const unsigned last = options.last_bit == 0 ? 8 * sizeof(K) : options.last_bit;
  const key_number<K> of{order_of<K>(options.descending), {options.first_bit, last - options.first_bit}};
  if (to.all() < from.all()) to.begins.push_back(from.all());  // the share of nobody
  const splitter_tree<bits_of<K>> splitters(choose_splitters(sample_all(between, in.keys, from, of), to));
  const room_columns<K, V> columns{in.size};
  const std::size_t room_bytes = std::max(columns.bytes(), sort_bytes<K, V>(here, out.size, options));
  const view<K, V> room = columns.in(between.make_room(room_bytes));
  std::vector<std::uint64_t> offsets(2 * splitters.size() + 2);
  together(between, [&] {
    multisplit(here, in, room, cut_bins<K>(of, splitters), offsets, {.within_bin = options.equal_keys});
  });
  cut_finder<Transport, K> finder(between, room.keys, offsets, splitters, of);
  std::vector<std::uint64_t> cuts = finder.cut_at_bins(to);
  together(between, [&] {
    for (const std::size_t bin : finder.bins_to_sort()) {
      sort(here, room.part(offsets[bin], offsets[bin + 1] - offsets[bin]), options);
    }
  });
  finder.refine(cuts);
  exchange_items(between, columns, cuts, out);
  together(between, [&] {  // the room is free again, and its pages are there
    arena memory(room.keys, room_bytes);
    sort(cpu{here.threads, &memory}, out, options);
  });
}

/// What must be the same on all ranks.
template <class K, class V>
std::uint64_t sort_signature(const sort_options& options) {
  const auto any_order = static_cast<std::uint64_t>(options.equal_keys == order::any);
  return hash_numbers({type_number<K>(), type_number<V>(), std::uint64_t{options.descending}, any_order,
                       options.first_bit, options.last_bit});
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
  if constexpr (detail::ranks_run<On>::good && detail::sort_arguments<cpu, In, Out>::good) {
    using key = typename detail::array_of<In>::key;
    using value = typename detail::array_of<In>::value;
    detail::sort_over_ranks<std::remove_cvref_t<decltype(on.between())>, key, value>(
        on.between(), on.here(), detail::as_view(in), detail::as_view(out), options);
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
  if constexpr (detail::ranks_run<On>::good && detail::argsort_arguments<cpu, Keys, Positions>::good) {
    using key = typename detail::array_of<Keys>::key;
    using position = typename detail::array_of<Positions>::key;
    const auto given = detail::as_view(keys);
    detail::argsort_over_ranks<std::remove_cvref_t<decltype(on.between())>, key, position>(
        on.between(), on.here(), view<const key>{given.keys, nullptr, given.size}, detail::as_view(positions), options);
  }
}

}  // namespace peneira
