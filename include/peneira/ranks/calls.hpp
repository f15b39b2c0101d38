// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What all calls over ranks have in common: the place, checks, and moving items between ranks.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "peneira/arguments.hpp"
#include "peneira/error.hpp"
#include "peneira/hash.hpp"
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

/// Where a rank does its part.
template <class On>
using rank_here = std::remove_cvref_t<decltype(std::declval<On&>().here())>;
template <class On>
inline constexpr bool ranks_on_gpus = std::is_same_v<rank_here<On>, gpu>;

/// Where a rank may do its part.
template <class On>
struct ranks_run {
  static constexpr bool is_place = std::is_same_v<rank_here<On>, cpu> || ranks_on_gpus<On>;
  static_assert(is_place, "calls over ranks: each rank runs on pn::cpu{} or on pn::gpu{}");
#if defined(__CUDACC__)
  static constexpr bool good = is_place;
#else
  static constexpr bool good = std::is_same_v<rank_here<On>, cpu>;
  static_assert(!is_place || good, "calls over ranks on GPUs: compile this file with nvcc");
#endif
};
/// The same for calls of ranks on CPUs alone.
template <class On>
struct ranks_run_on_cpus {
  static constexpr bool good = std::is_same_v<rank_here<On>, cpu>;
  static_assert(good,
                "this call over ranks: each rank runs on pn::cpu{} so far; on pn::gpu{} there are sort, "
                "multisplit and reduce");
};

/// The rooms of the ranks of a place: in device memory, where they run on GPUs.
template <class On>
auto& rooms_of(On& on) {
  if constexpr (ranks_on_gpus<On>) {
    return on.rooms();
  } else {
    return on.between();
  }
}

/// What a rank tells the others at the start of a call.
struct rank_call {
  std::uint64_t in = 0;       ///< items that it has
  std::uint64_t out = 0;      ///< and gets
  std::uint64_t call = 0;     ///< a hash of its name
  std::uint64_t options = 0;  ///< and of what must be the same on all ranks
};
struct call_name {
  char text[24] = {};
};

/// What is of ranks on GPUs has another name, since they cannot make a call together with others.
template <class Here>
constexpr std::string_view rank_call_name(std::string_view on_cpus, std::string_view on_gpus) {
  return std::is_same_v<Here, cpu> ? on_cpus : on_gpus;
}

/// Numbers that must be the same on all ranks, as one.
inline std::uint64_t hash_numbers(std::initializer_list<std::uint64_t> numbers) {
  std::uint64_t hash = 0;
  for (const std::uint64_t x : numbers) hash = mix64(hash + 0x9E3779B97F4A7C15U + x);
  return hash;
}
/// A type, as far as ranks could have mistaken one for another.
template <class T>
constexpr std::uint64_t type_number() {
  return sizeof(T) * 8 + (std::is_floating_point_v<T> ? 4U : 0U) + (std::is_signed_v<T> ? 2U : 0U);
}

/// The sizes of the arrays of all ranks.
struct call_sizes {
  rank_sizes in;
  rank_sizes out;
};

/// The start of a call: all ranks learn what the others have. Throws on all of them, with the same words, where one
/// makes another call, or with other options: they would wait for one another for ever.
template <transport Transport>
call_sizes meet(Transport& between, std::string_view call, std::size_t in, std::size_t out, std::uint64_t options) {
  const std::vector<rank_call> all = gather_values(between, rank_call{in, out, hash_bytes(call), options});
  const auto other_call =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.call != all[0].call; });
  if (other_call != all.end()) {
    call_name mine;
    std::copy_n(call.data(), std::min(call.size(), sizeof(mine.text) - 1), mine.text);
    const std::vector<call_name> names = gather_values(between, mine);
    const std::string rank = std::to_string(other_call - all.begin());
    throw std::invalid_argument("rank 0 calls " + std::string(names[0].text) + ", but rank " + rank + " calls " +
                                names[static_cast<std::size_t>(other_call - all.begin())].text);
  }
  call_sizes found{{std::vector<std::size_t>(1, 0)}, {std::vector<std::size_t>(1, 0)}};
  found.in.begins.reserve(all.size() + 1);
  found.out.begins.reserve(all.size() + 1);
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r].options != all[0].options) {
      reject(call, "options or types", "of ranks 0 and " + std::to_string(r) + " differ");
    }
    found.in.begins.push_back(found.in.all() + all[r].in);
    found.out.begins.push_back(found.out.all() + all[r].out);
  }
  return found;
}

/// Throws on all ranks where a number that `argument` has is not the same on all of them.
template <transport Transport>
void agree(Transport& between, std::string_view call, std::string_view argument, std::string_view what,
           std::uint64_t mine) {
  const std::vector<std::uint64_t> all = gather_values(between, mine);
  const auto other = std::find_if(all.begin(), all.end(), [&](std::uint64_t x) { return x != all[0]; });
  if (other == all.end()) return;
  reject(call, argument,
         std::string(what) + " on all ranks, but is " + std::to_string(all[0]) + " on rank 0 and " +
             std::to_string(*other) + " on rank " + std::to_string(other - all.begin()));
}

/// Throws std::invalid_argument where the arrays of this rank cannot be right: they are the same, or apart.
template <class K, class V, class Place = cpu>
void check_rank_arrays(std::string_view call, view<const K, const V> in, view<K, V> out) {
  check_addresses<Place>(call, "in", in, in.size);
  check_addresses<Place>(call, "out", out, out.size);
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

/// Where a rank's items, which are those from `begin` on of the whole, are cut.
inline std::vector<std::uint64_t> cut_shares(std::size_t begin, std::size_t items, const rank_sizes& to) {
  std::vector<std::uint64_t> cuts(to.begins.size());
  for (std::size_t r = 0; r < cuts.size(); ++r) cuts[r] = std::clamp(to.begins[r], begin, begin + items) - begin;
  return cuts;
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
/// order, to `out`. Rooms are those of a transport, or of devices.
template <class Rooms, class K, class V>
void exchange_items(Rooms& between, const room_columns<K, V>& columns, const std::vector<std::uint64_t>& cuts,
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
