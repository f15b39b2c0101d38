// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What all calls over ranks have in common: the place, checks, and moving items between ranks.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/error.hpp"
#include "peneira/memory.hpp"
#include "peneira/place.hpp"
#include "peneira/ranks/cuts.hpp"
#include "peneira/ranks/transport.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// A place that several ranks make up: what carries data between them, and where each does its own part. pn::mpi is
/// one.
template <class T>
concept rank_place = requires(T& on) {
  requires transport<std::remove_cvref_t<decltype(on.between())>>;
  requires place<std::remove_cvref_t<decltype(on.here())>>;
};

/// Where a rank may do its part.
template <class On>
struct ranks_run {
  using here = std::remove_cvref_t<decltype(std::declval<On&>().here())>;
  static constexpr bool good = std::is_same_v<here, cpu>;
  static_assert(good, "calls over ranks: each rank runs on pn::cpu{} so far");
};

/// Throws std::invalid_argument where the arrays of this rank cannot be right: they are the same, or apart.
template <class K, class V>
void check_rank_arrays(std::string_view call, view<const K, const V> in, view<K, V> out) {
  check_addresses<cpu>(call, "in", in, in.size);
  check_addresses<cpu>(call, "out", out, out.size);
  const bool same = in.keys == out.keys && in.size == out.size;
  const auto refuse = [&](std::string_view why) { reject(call, "out", why); };
  if (!same && overlap(in.keys, in.size * sizeof(K), out.keys, out.size * sizeof(K))) {
    refuse("overlaps the input in part; it must be the input itself, or apart from it");
  }
  if constexpr (view<K, V>::has_values) {
    if (in.size != 0 && same != (in.values == out.values && in.size == out.size)) {
      refuse("shares either its keys or its values with the input; it must share both or none");
    }
    if (!same && overlap(in.values, in.size * sizeof(V), out.values, out.size * sizeof(V))) {
      refuse("overlaps the input values in part");
    }
    if (overlap(out.keys, out.size * sizeof(K), out.values, out.size * sizeof(V))) {
      refuse("has values that overlap its keys");
    }
  }
}

/// Throws on all ranks where the parts of `out` do not have room for exactly what there is.
inline void check_rank_sizes(std::string_view call, std::string_view argument, const rank_sizes& in,
                             const rank_sizes& out) {
  if (in.all() == out.all()) return;
  reject(call, argument,
         "has " + std::to_string(out.all()) + " entries on all ranks together, but there are " +
             std::to_string(in.all()) + " to write");
}

/// The columns of a rank's room: keys, and values behind them.
template <class K, class V>
struct room_columns {
  std::size_t items;

  [[nodiscard]] std::size_t values_at() const { return workspace::round_up(items * sizeof(K)); }
  [[nodiscard]] std::size_t bytes() const {
    return view<K, V>::has_values ? values_at() + items * sizeof(V) : items * sizeof(K);
  }
  [[nodiscard]] view<K, V> in(void* room) const {
    view<K, V> all{static_cast<K*>(room), nullptr, items};
    if constexpr (view<K, V>::has_values) {
      all.values = reinterpret_cast<V*>(static_cast<std::byte*>(room) + values_at());
    }
    return all;
  }
};

/// Sends to rank r the items of this rank's room from cuts[r] to before cuts[r + 1], and writes what comes, in rank
/// order, to `out`.
template <transport Transport, class K, class V>
void exchange_items(Transport& between, const room_columns<K, V>& columns, const std::vector<std::uint64_t>& cuts,
                    view<K, V> out) {
  std::vector<room_part> parts(between.ranks());
  const auto send = [&](std::size_t begin, std::size_t item_bytes, void* to) {
    for (std::size_t r = 0; r < parts.size(); ++r) {
      parts[r] = {begin + cuts[r] * item_bytes, (cuts[r + 1] - cuts[r]) * item_bytes};
    }
    between.exchange(parts, to);
  };
  send(0, sizeof(K), out.keys);
  if constexpr (view<K, V>::has_values) send(columns.values_at(), sizeof(V), out.values);
}

}  // namespace peneira::detail
