// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// unique: the first of each run of equal neighbours. run_lengths: these, and how long each run is.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/error.hpp"
#include "peneira/key_order.hpp"
#include "peneira/place.hpp"
#include "peneira/runs/strategies.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// What the compiler can see of a call that looks for runs.
template <class Place, class In, class Values>
struct runs_arguments {
  using key = typename array_of<In>::key;
  static constexpr bool arrays = at_cpu<Place>::good && readable_column<In>::good && writable_column<Values>::good;
  static constexpr bool alike = std::is_same_v<key, typename array_of<Values>::key>;
  static_assert(!arrays || sort_key<key>, "unique: items are integers or enums of 8 to 64 bits, float or double");
  static_assert(!arrays || !sort_key<key> || alike, "unique: the output must have the type of the items");
  static constexpr bool good = arrays && sort_key<key> && alike;
};

/// The same of lengths.
template <class Lengths>
struct lengths_arguments {
  static constexpr bool column = writable_column<Lengths>::good;
  static constexpr bool good = column && is_offset<typename array_of<Lengths>::key>;
  static_assert(!column || good, "run_lengths: lengths are integers of 32 or 64 bits");
};

/// Runs of arguments that were checked; length may be nullptr.
template <class Place, class K, class Length>
std::size_t runs_by_plan(std::string_view call, Place& on, view<const K> in, K* values, Length* lengths,
                         const group_room& room, std::size_t length_bytes, const run_options& options) {
  const runs_problem problem{in.size, sizeof(K), length_bytes};
  std::size_t found = 0;
  const auto check = [&](std::size_t runs) {
    if (runs > room.size) reject_groups(call, room.argument, room.size, runs);
  };
  const auto choose = [&](const auto& machine) { return choose_runs(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    if (in.size != 0) found = chosen.template run<K, Length>(there, decided, in.keys, values, lengths, check);
  };
  plan_or_run<runs_cpu_strategies>(call, on, problem, options.strategy, choose, run);
  return found;
}

/// unique of what the compiler has seen.
template <class Place, class In, class Out>
std::size_t unique_by(Place& on, In& in, Out& out, const run_options& options) {
  const auto from = as_view(in);
  const auto to = as_view(out);
  using key = typename decltype(from)::key_type;
  const std::size_t most = std::min(to.size, from.size);
  check_address<Place>("unique", "in", from.keys, from.size);
  check_address<Place>("unique", "out", to.keys, most);
  check_apart("unique", std::array<named_array, 2>{{{"in", from.keys, from.size * sizeof(key), false},
                                                    {"out", to.keys, most * sizeof(key), true}}});
  const view<const key> items{from.keys, nullptr, from.size};
  return runs_by_plan<Place, key, std::uint32_t>("unique", on, items, to.keys, nullptr, {to.size, "out"}, 0, options);
}

/// run_lengths of what the compiler has seen.
template <class Place, class In, class Values, class Lengths>
std::size_t run_lengths_by(Place& on, In& in, Values& values, Lengths& lengths, const run_options& options) {
  const auto from = as_view(in);
  const auto to = as_view(values);
  const auto sizes = as_view(lengths);
  using key = typename decltype(from)::key_type;
  using length = typename decltype(sizes)::key_type;
  if (from.size > static_cast<std::uint64_t>(std::numeric_limits<length>::max())) {
    reject("run_lengths", "lengths", "has 32 bits an entry, too few for a run of " + std::to_string(from.size));
  }
  group_room room{to.size, "values"};
  room.limit(sizes.size, "lengths");
  const std::size_t most = std::min(room.size, from.size);
  check_address<Place>("run_lengths", "in", from.keys, from.size);
  check_address<Place>("run_lengths", "values", to.keys, most);
  check_address<Place>("run_lengths", "lengths", sizes.keys, most);
  check_apart("run_lengths", std::array<named_array, 3>{{{"in", from.keys, from.size * sizeof(key), false},
                                                         {"values", to.keys, most * sizeof(key), true},
                                                         {"lengths", sizes.keys, most * sizeof(length), true}}});
  const view<const key> items{from.keys, nullptr, from.size};
  return runs_by_plan<Place, key, length>("run_lengths", on, items, to.keys, sizes.keys, room, sizeof(length), options);
}

}  // namespace detail

/// Writes the first item of each run of equal neighbours to `out`, in their order, and returns how many there are. Of
/// sorted items, or of items that were grouped, these are the distinct ones; distinct takes them in any order.
///
/// `in` and `out` are contiguous ranges, or items(pointer, n), which lie apart; `out` has room for all runs. Items are
/// the keys that sort takes; both zeros are equal, and so are all NaNs. Throws std::invalid_argument for arguments that
/// cannot be right, and where there are more runs than room, with their number; std::bad_alloc where the temporary
/// memory, some KiB, cannot be had. Runs on the CPU.
///
/// ```cpp
/// std::vector<std::uint32_t> in{3, 3, 5, 5, 5, 3}, out(6);
/// const std::size_t n = pn::unique(pn::cpu{}, in, out);                            // 3: 3 5 3
/// ```
template <class Place, class In, class Out>
requires place<std::remove_cvref_t<Place>>  //
    std::size_t unique(Place&& on, In&& in, Out&& out, const run_options& options = {}) {
  if constexpr (detail::runs_arguments<Place, In, Out>::good) return detail::unique_by(on, in, out, options);
  return 0;
}

/// The same, with the length of each run in `lengths`, integers of 32 or 64 bits.
///
/// ```cpp
/// std::vector<std::uint32_t> in{3, 3, 5, 5, 5, 3}, values(6), lengths(6);
/// const std::size_t n = pn::run_lengths(pn::cpu{}, in, values, lengths);           // 3: 3 5 3 and 2 3 1
/// ```
template <class Place, class In, class Values, class Lengths>
requires place<std::remove_cvref_t<Place>>  //
    std::size_t run_lengths(Place&& on, In&& in, Values&& values, Lengths&& lengths, const run_options& options = {}) {
  if constexpr (!detail::runs_arguments<Place, In, Values>::good) {
  } else if constexpr (detail::lengths_arguments<Lengths>::good) {
    return detail::run_lengths_by(on, in, values, lengths, options);
  }
  return 0;
}

using detail::without_place::run_lengths;
using detail::without_place::unique;

}  // namespace peneira
