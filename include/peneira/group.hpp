// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group: the items of each key side by side, with offsets, as segmented_reduce takes them.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/error.hpp"
#include "peneira/group_by/strategies.hpp"
#include "peneira/key_order.hpp"
#include "peneira/place.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// What the compiler can see of a group.
template <class Place, class In, class UniqueKeys, class Offsets, class Out>
struct group_arguments {
  using key = typename array_of<In>::key;
  using out = typename array_of<Out>::key;
  static constexpr bool with_values = array_of<In>::has_values;
  static constexpr bool arrays = at_place<Place>::good && readable<In>::good && writable_column<UniqueKeys>::good &&
                                 writable_column<Offsets>::good && writable_column<Out>::good;
  static_assert(!arrays || sort_key<key>,
                "group: keys are integers or enums of 8 to 64 bits, or floating-point numbers of 16 to 64");
  static constexpr bool alike = std::is_same_v<key, typename array_of<UniqueKeys>::key>;
  static_assert(!arrays || !sort_key<key> || alike, "group: unique_keys must have the type of keys");
  static constexpr bool counts = is_offset<typename array_of<Offsets>::key>;
  static_assert(!arrays || counts, "group: offsets are integers of 32 or 64 bits");
  static constexpr bool moves = with_values ? std::is_same_v<out, typename array_of<In>::value> && sizeof(out) <= 16 &&
                                                  std::is_trivially_copyable_v<out>
                                            : is_position<out>;
  static_assert(!arrays || moves,
                "group: out has the type of the values, which are trivially copyable and of 1 to 16 bytes; of keys "
                "alone it gets positions, unsigned integers of 32 or 64 bits");
  static constexpr bool good = arrays && sort_key<key> && alike && counts && moves;
};

/// Throws std::invalid_argument for what can be seen wrong without touching the data; returns the room for groups.
template <class Place, class K, class V, class Offset, class Count>
group_room check_group(view<const K, const V> in, view<K> unique_keys, view<Offset> offsets, view<V> out,
                       const Count* count, bool by_position) {
  const auto refuse = [](std::string_view argument, const std::string& why) { reject("group", argument, why); };
  const std::size_t n = in.size;
  if (out.size < n) refuse("out", "has room for " + std::to_string(out.size) + ", but there are " + std::to_string(n));
  if (offsets.size == 0) refuse("offsets", "has no entries; n groups have n + 1 offsets");
  if (n > static_cast<std::uint64_t>(std::numeric_limits<Offset>::max())) {
    refuse("offsets", "has 32 bits an entry, too few for " + std::to_string(n) + " items");
  }
  if constexpr (is_position<V>) {
    if (by_position && n != 0 && n - 1 > std::numeric_limits<V>::max()) {
      refuse("out", "has 32 bits an entry, too few to number " + std::to_string(n) + " keys");
    }
  }
  group_room room{unique_keys.size, {"unique_keys"}};
  room.limit(offsets.size - 1, {"offsets"});
  const std::size_t most = std::min(room.size, n);
  check_address<Place>("group", "in", in.keys, n);
  if (!by_position) check_address<Place>("group", "in", in.values, n, "'s values");
  check_address<Place>("group", "unique_keys", unique_keys.keys, most);
  check_address<Place>("group", "offsets", offsets.keys, most + 1);
  check_address<Place>("group", "out", out.keys, n);
  check_count<Place>("group", count, n);
  check_apart("group", std::array<named_array, 6>{{{{"in"}, in.keys, n * sizeof(K), false},
                                                   {{"in's values"}, in.values, n * sizeof(V), false},
                                                   {{"unique_keys"}, unique_keys.keys, most * sizeof(K), true},
                                                   {{"offsets"}, offsets.keys, (most + 1) * sizeof(Offset), true},
                                                   {{"out"}, out.keys, n * sizeof(V), true},
                                                   {{"count"}, count, sizeof(Count), true}}});
  return room;
}

/// group of what the compiler has seen.
template <class Place, class K, class V, class Offset, class Count>
void group_items(Place& on, view<const K, const V> in, view<K> unique_keys, view<Offset> offsets, view<V> out,
                 Count* count, bool by_position, std::string_view strategy) {
  const group_room room = check_group<Place>(in, unique_keys, offsets, out, count, by_position);
  constexpr bool on_cpu = is_cpu<std::remove_cvref_t<Place>>;
  group_by_problem problem;
  problem.items = in.size;
  problem.room = room.size;
  problem.key_bytes = sizeof(K);
  problem.moved_bytes = sizeof(V);
  problem.by_position = by_position;
  problem.state_bytes = sizeof(key_folding::state);
  problem.keys_vary = is_float_key<K>;
  problem.keeps_items = true;
  const auto check = [&](std::size_t groups) {
    if (groups > room.size) reject_groups("group", room.argument, room.size, groups);
  };
  const auto choose = [&](const auto& machine) { return choose_group(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    if constexpr (!on_cpu) {
      chosen.template run_items<K, V>(there, decided, in, out.keys, unique_keys.keys, offsets.keys, count, room.size);
    } else if (in.size == 0) {
      offsets.keys[0] = 0;
      *count = 0;
    } else {
      *count = static_cast<Count>(
          chosen.template run<K, V>(there, decided, in, unique_keys.keys, offsets.keys, out.keys, check));
    }
  };
  using list = std::conditional_t<on_cpu, group_cpu_strategies, group_gpu_strategies>;
  plan_or_run<list>("group", on, problem, strategy, choose, run);
}

}  // namespace detail

/// Writes the values of `in`, which is pairs(keys, values), to `out` so that those of each key lie side by side; of
/// keys alone, their positions. Every key that there is goes to `unique_keys`, ascending, and where its values begin to
/// `offsets`, with one entry more for the end: group g has those from offsets[g] to before offsets[g + 1], as
/// segmented_reduce takes them; and to *count how many groups there are, which lives at the place: in device memory for
/// a GPU, where nothing blocks.
///
/// The items of a group keep their order. Keys are those of group_by, values of 1 to 16 bytes and trivially copyable,
/// offsets integers of 32 or 64 bits, positions unsigned ones. Of the options only the strategy counts. `unique_keys`
/// has room for all groups, `offsets` for one more, and all arrays lie apart. Throws std::invalid_argument for
/// arguments that cannot be right, and on the CPU where there are more groups than room, with their number; on a GPU
/// keys and offsets beyond it are not written, and *count tells. std::bad_alloc where the temporary memory cannot be
/// had.
///
/// ```cpp
/// std::vector<std::uint32_t> shop{7, 3, 7, 7}, shops(4), offsets(5);
/// std::vector<float> price{5, 20, 7.5, 2.5}, grouped(4);
/// std::uint64_t n = 0;
/// pn::group(pn::cpu{}, pn::pairs(shop, price), shops, offsets, grouped, &n);       // 2: 3 and 7; 20 | 5 7.5 2.5
/// ```
template <class Place, class In, class UniqueKeys, class Offsets, class Out, class Count>
requires place<std::remove_cvref_t<Place>>
void group(Place&& on, In&& in, UniqueKeys&& unique_keys, Offsets&& offsets, Out&& out, Count* count,
           const group_by_options& options = {}) {
  using arguments = detail::group_arguments<Place, In, UniqueKeys, Offsets, Out>;
  if constexpr (arguments::good) {
    using key = typename arguments::key;
    using value = typename arguments::out;
    const auto from = detail::as_view(in);
    view<const key, const value> items{from.keys, nullptr, from.size};
    if constexpr (arguments::with_values) items.values = from.values;
    detail::group_items(on, items, detail::as_view(unique_keys), detail::as_view(offsets), detail::as_view(out), count,
                        !arguments::with_values, options.strategy);
  }
}

/// The same, and returns how many groups there are: on the CPU alone, since a call on a GPU does not wait.
///
/// ```cpp
/// std::vector<std::uint32_t> shop{7, 3, 7, 7}, shops(4), offsets(5);
/// std::vector<float> price{5, 20, 7.5, 2.5}, grouped(4), best(4);
/// const std::size_t n = pn::group(pn::cpu{}, pn::pairs(shop, price), shops, offsets, grouped);   // 2: 3 and 7
/// pn::segmented_reduce(pn::cpu{}, grouped, pn::items(offsets.data(), n + 1), best, pn::max{});   // 20 7.5
/// ```
template <class Place, class In, class UniqueKeys, class Offsets, class Out>
requires place<std::remove_cvref_t<Place>>  //
    std::size_t group(Place&& on, In&& in, UniqueKeys&& unique_keys, Offsets&& offsets, Out&& out,
                      const group_by_options& options = {}) {
  std::size_t groups = 0;
  if constexpr (detail::returns_count<Place>::good) {
    group(on, in, static_cast<UniqueKeys&&>(unique_keys), static_cast<Offsets&&>(offsets), static_cast<Out&&>(out),
          &groups, options);
  }
  return groups;
}

using detail::without_place::group;

}  // namespace peneira
