// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// multisplit over ranks: split here, count the bins of all ranks, exchange, and split what arrived, which comes in rank
// order, so that a bin keeps the order of the whole.
#pragma once

#include <numeric>
#include <optional>
#include <vector>

#include "peneira/multisplit.hpp"
#include "peneira/ranks/calls.hpp"
#include "peneira/ranks/gpu/split.hpp"

namespace peneira {
namespace detail {

/// Where the items of this rank, which lie in bins, are cut: each rank gets its share of the order by bins and ranks.
/// `begins` becomes where each bin begins in the whole.
template <transport Transport>
std::vector<std::uint64_t> cut_bins_of_ranks(Transport& between, const std::vector<std::uint64_t>& offsets,
                                             const rank_sizes& to, std::vector<std::uint64_t>& begins) {
  std::vector<std::uint64_t> counts(offsets.size() - 1);
  for (std::size_t b = 0; b < counts.size(); ++b) counts[b] = offsets[b + 1] - offsets[b];
  std::vector<std::uint64_t> before = counts;
  std::vector<std::uint64_t> all = counts;
  between.sum_before(before);
  between.sum_all(all);
  begins.assign(offsets.size(), 0);
  std::inclusive_scan(all.begin(), all.end(), begins.begin() + 1);
  std::vector<std::uint64_t> cuts(to.begins.size());
  for (std::size_t c = 0; c < cuts.size(); ++c) {
    const std::uint64_t target = to.begins[c];
    const auto behind = std::upper_bound(begins.begin(), begins.end(), target);
    const auto bin = static_cast<std::size_t>(behind - begins.begin()) - 1;
    cuts[c] = offsets[bin];
    if (bin == counts.size()) continue;  // behind all
    const std::uint64_t mine = begins[bin] + before[bin];
    cuts[c] += target > mine ? std::min(target - mine, counts[bin]) : 0;
  }
  return cuts;
}

/// Writes offsets of the whole to the table of a rank.
template <class Offset>
void put_offsets(const cpu& /*here*/, const std::vector<std::uint64_t>& begins, view<Offset> offsets) {
  std::copy(begins.begin(), begins.end(), offsets.keys);
}
#if defined(__CUDACC__)
template <class Offset>
void put_offsets(const gpu& here, const std::vector<std::uint64_t>& begins, view<Offset> offsets) {
  const std::vector<Offset> table(begins.begin(), begins.end());
  copy_to_device(here, table.data(), table.size(), offsets.keys);
}
#endif

/// split(in, out, offsets) is the multisplit of a rank's own items into so many bins.
template <transport Transport, class K, class V, class Rooms, class Here, class Offset, class Split>
void multisplit_over_ranks(Transport& between, Rooms& rooms, const Here& here, view<const K, const V> in,
                           view<K, V> out, std::uint32_t bins, view<Offset> offsets, order within_bin,
                           const Split& split) {
  const auto any_order = static_cast<std::uint64_t>(within_bin == order::any);
  const call_sizes sizes = meet(between, rank_call_name<Here>("multisplit", "multisplit on a GPU"), in.size, out.size,
                                hash_numbers({type_number<K>(), type_number<V>(), any_order}));
  const rank_sizes& from = sizes.in;
  const rank_sizes& to = sizes.out;
  agree(between, "multisplit", "bin function's bins", "must be as many", bins);
  check_rank_sizes("multisplit", "out", from, to);
  const room_columns<K, V> columns{in.size};
  const view<K, V> room = columns.in(rooms.make_room(columns.bytes()));
  std::vector<std::uint64_t> mine;
  together(between, [&] {
    check_rank_arrays<K, V, Here>("multisplit", in, out);
    check_multisplit<Here, K, V>(in.part(0, 0), out.part(0, 0), bins, offsets);
    if (from.all() > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max())) {
      reject_multisplit_sizes(from.all(), from.all(), bins, offsets.size, sizeof(Offset));
    }
    mine.resize(std::size_t{bins} + 1);
    split(in, room, mine);
  });

  std::vector<std::uint64_t> begins;
  const std::vector<std::uint64_t> cuts = cut_bins_of_ranks(between, mine, to, begins);
  const room_columns<K, V> arrived{out.size};
  std::optional<workspace> staging;
  together(between, [&] { staging.emplace(memory_of(here), workspace::round_up(arrived.bytes()), stream_of(here)); });
  const view<K, V> unsplit = arrived.in(staging->take<std::byte>(arrived.bytes()));
  exchange_items(rooms, columns, cuts, unsplit);
  together(between, [&] {
    split(view<const K, const V>(unsplit), out, mine);
    put_offsets(here, begins, offsets);
  });
}

}  // namespace detail

/// multisplit over ranks: the arrays `in` of all ranks, in rank order, are one array, which is split; the sizes of
/// `out` say how much of the answer each rank gets. `offsets` are those of the whole, and every rank gets all of them.
/// `f` must be the same on all ranks. Errors are thrown by all ranks alike.
template <class On, class In, class Out, class F, class Offsets>
requires detail::rank_place<std::remove_cvref_t<On>>
void multisplit(On&& on, In&& in, Out&& out, const F& f, Offsets&& offsets, const multisplit_options& options = {}) {
  if constexpr (detail::ranks_run<On>::good &&
                detail::multisplit_arguments<detail::rank_here<On>, In, Out, F, Offsets>::good) {
    using key = typename detail::array_of<In>::key;
    using value = typename detail::array_of<In>::value;
    const auto here = on.here();
    const auto split = [&](view<const key, const value> from, view<key, value> to, std::vector<std::uint64_t>& at) {
      if constexpr (detail::ranks_on_gpus<On>) {
#if defined(__CUDACC__)
        multisplit_options watched = options;
        watched.checked = true;  // or ranks would have fewer items than they gave
        detail::split_for_host<key, value>(here, from, to, f, at, watched);
#endif
      } else {
        multisplit(here, from, to, f, at, options);
      }
    };
    detail::multisplit_over_ranks<std::remove_cvref_t<decltype(on.between())>, key, value>(
        on.between(), detail::rooms_of(on), here, detail::as_view(in), detail::as_view(out), f.bins(),
        detail::as_view(offsets), options.within_bin, split);
  }
}

}  // namespace peneira
