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
  static constexpr bool arrays = at_place<Place>::good && readable_column<In>::good && writable_column<Values>::good;
  static constexpr bool alike = std::is_same_v<key, typename array_of<Values>::key>;
  static_assert(!arrays || sort_key<key>,
                "unique: items are integers or enums of 8 to 64 bits, or floating-point numbers of 16 to 64");
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

/// What a call writes, of which lengths may be nullptr.
template <class K, class Length, class Count>
struct run_outputs {
  K* values;
  Length* lengths;
  Count* count;
  group_room room;
  std::size_t length_bytes;
};

/// How many runs there is room for, and what happens where there are more.
class run_room {
 public:
  run_room(std::string_view call, const group_room& of) : call_(call), of_(of) {}
  [[nodiscard]] std::size_t room() const { return of_.size; }
  void operator()(std::size_t runs) const {
    if (runs > of_.size) reject_groups(call_, of_.argument, of_.size, runs);
  }

 private:
  std::string_view call_;
  group_room of_;
};

/// Runs of arguments that were checked, by a plan. Apart from the call, so that one of few items is short.
template <class Place, class K, class Length, class Count>
[[gnu::noinline]] void runs_by_plan(std::string_view call, Place& on, view<const K> in,
                                    run_outputs<K, Length, Count> out, std::string_view strategy) {
  constexpr bool on_cpu = is_cpu<std::remove_cvref_t<Place>>;
  using list = std::conditional_t<on_cpu, runs_cpu_strategies, runs_gpu_strategies>;
  const runs_problem problem{in.size, sizeof(K), out.length_bytes};
  const auto choose = [&](const auto& machine) { return choose_runs(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    if constexpr (on_cpu) {
      std::size_t found = 0;
      if (in.size != 0) {
        const run_room check(call, out.room);
        found = chosen.template run<K, Length>(there, decided, in.keys, in.size, out.values, out.lengths, check);
      }
      *out.count = static_cast<Count>(found);
    } else {
      chosen.template run<K, Length>(there, decided, in.keys, out.values, out.lengths, out.count, out.room.size);
    }
  };
  plan_or_run<list>(call, on, problem, strategy, choose, run);
}

/// Runs of arguments that were checked.
template <class Place, class K, class Length, class Count>
[[gnu::always_inline]] inline void runs_of(std::string_view call, Place& on, view<const K> in,
                                           const run_outputs<K, Length, Count>& out, const run_options& options) {
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
    if (options.strategy.empty() && is_small(runs_problem{in.size, sizeof(K), out.length_bytes})) {
      const run_room check(call, out.room);
      *out.count = static_cast<Count>(
          runs_strategies::sequential::run<K, Length>(on, {}, in.keys, in.size, out.values, out.lengths, check));
      return;
    }
  }
  runs_by_plan(call, on, in, out, options.strategy);
}

/// unique of what the compiler has seen.
template <class Place, class In, class Out, class Count>
[[gnu::always_inline]] inline void unique_by(Place& on, In& in, Out& out, Count* count, const run_options& options) {
  const auto from = as_view(in);
  const auto to = as_view(out);
  using key = typename decltype(from)::key_type;
  const std::size_t most = std::min(to.size, from.size);
  check_address<Place>("unique", "in", from.keys, from.size);
  check_address<Place>("unique", "out", to.keys, most);
  check_count<Place>("unique", count, from.size);
  check_apart("unique", std::array<named_array, 3>{{{{"in"}, from.keys, from.size * sizeof(key), false},
                                                    {{"out"}, to.keys, most * sizeof(key), true},
                                                    {{"count"}, count, sizeof(Count), true}}});
  const view<const key> items{from.keys, nullptr, from.size};
  const run_outputs<key, std::uint32_t, Count> outputs{to.keys, nullptr, count, {to.size, {"out"}}, 0};
  runs_of("unique", on, items, outputs, options);
}

/// run_lengths of what the compiler has seen.
template <class Place, class In, class Values, class Lengths, class Count>
[[gnu::always_inline]] inline void run_lengths_by(Place& on, In& in, Values& values, Lengths& lengths, Count* count,
                                                  const run_options& options) {
  const auto from = as_view(in);
  const auto to = as_view(values);
  const auto sizes = as_view(lengths);
  using key = typename decltype(from)::key_type;
  using length = typename decltype(sizes)::key_type;
  if (from.size > static_cast<std::uint64_t>(std::numeric_limits<length>::max())) {
    reject("run_lengths", "lengths", "has 32 bits an entry, too few for a run of " + std::to_string(from.size));
  }
  group_room room{to.size, {"values"}};
  room.limit(sizes.size, {"lengths"});
  const std::size_t most = std::min(room.size, from.size);
  check_address<Place>("run_lengths", "in", from.keys, from.size);
  check_address<Place>("run_lengths", "values", to.keys, most);
  check_address<Place>("run_lengths", "lengths", sizes.keys, most);
  check_count<Place>("run_lengths", count, from.size);
  check_apart("run_lengths", std::array<named_array, 4>{{{{"in"}, from.keys, from.size * sizeof(key), false},
                                                         {{"values"}, to.keys, most * sizeof(key), true},
                                                         {{"lengths"}, sizes.keys, most * sizeof(length), true},
                                                         {{"count"}, count, sizeof(Count), true}}});
  const view<const key> items{from.keys, nullptr, from.size};
  const run_outputs<key, length, Count> outputs{to.keys, sizes.keys, count, room, sizeof(length)};
  runs_of("run_lengths", on, items, outputs, options);
}

}  // namespace detail

/// Writes the first item of each run of equal neighbours to `out`, in their order, and to *count how many there are,
/// which lives at the place: in device memory for a GPU, where nothing blocks. Of sorted items, or of items that were
/// grouped, these are the distinct ones; distinct takes them in any order.
///
/// `in` and `out` are contiguous ranges, or items(pointer, n), which lie apart; `out` has room for all runs. Items are
/// the keys that sort takes; both zeros are equal, and so are all NaNs. Throws std::invalid_argument for arguments that
/// cannot be right, and on the CPU where there are more runs than room, with their number; on a GPU those beyond it are
/// not written, and *count tells. std::bad_alloc where the temporary memory, some KiB or on a GPU a 256th of the items,
/// cannot be had.
///
/// ```cpp
/// std::vector<std::uint32_t> in{3, 3, 5, 5, 5, 3}, out(6);
/// std::uint64_t n = 0;
/// pn::unique(pn::cpu{}, in, out, &n);                                              // 3: 3 5 3
/// ```
template <class Place, class In, class Out, class Count>
requires place<std::remove_cvref_t<Place>>
void unique(Place&& on, In&& in, Out&& out, Count* count, const run_options& options = {}) {
  if constexpr (detail::runs_arguments<Place, In, Out>::good) detail::unique_by(on, in, out, count, options);
}

/// The same, and returns how many there are: on the CPU alone, since a call on a GPU does not wait.
///
/// ```cpp
/// std::vector<std::uint32_t> in{3, 3, 5, 5, 5, 3}, out(6);
/// const std::size_t n = pn::unique(pn::cpu{}, in, out);                            // 3: 3 5 3
/// ```
template <class Place, class In, class Out>
requires place<std::remove_cvref_t<Place>>  //
    std::size_t unique(Place&& on, In&& in, Out&& out, const run_options& options = {}) {
  std::size_t count = 0;
  if constexpr (detail::returns_count<Place>::good) unique(on, in, out, &count, options);
  return count;
}

/// The number of runs is written, and so is a pointer given: this one says so.
template <class Place, class In, class Out, class Count>
requires place<std::remove_cvref_t<Place>> && std::is_arithmetic_v<Count>  //
void unique(Place&& /*on*/, In&& /*in*/, Out&& /*out*/, Count /*count*/) {
  static_assert(!std::is_arithmetic_v<Count>, "unique: count is a pointer to where the number of runs is written");
}

/// The same, with the length of each run in `lengths`, integers of 32 or 64 bits.
///
/// ```cpp
/// std::vector<std::uint32_t> in{3, 3, 5, 5, 5, 3}, values(6), lengths(6);
/// std::uint64_t n = 0;
/// pn::run_lengths(pn::cpu{}, in, values, lengths, &n);                             // 3: 3 5 3 and 2 3 1
/// ```
template <class Place, class In, class Values, class Lengths, class Count>
requires place<std::remove_cvref_t<Place>>
void run_lengths(Place&& on, In&& in, Values&& values, Lengths&& lengths, Count* count,
                 const run_options& options = {}) {
  if constexpr (!detail::runs_arguments<Place, In, Values>::good) {
  } else if constexpr (detail::lengths_arguments<Lengths>::good) {
    detail::run_lengths_by(on, in, values, lengths, count, options);
  }
}

/// The same, and returns how many there are: on the CPU alone.
///
/// ```cpp
/// std::vector<std::uint32_t> in{3, 3, 5, 5, 5, 3}, values(6), lengths(6);
/// const std::size_t n = pn::run_lengths(pn::cpu{}, in, values, lengths);           // 3: 3 5 3 and 2 3 1
/// ```
template <class Place, class In, class Values, class Lengths>
requires place<std::remove_cvref_t<Place>>  //
    std::size_t run_lengths(Place&& on, In&& in, Values&& values, Lengths&& lengths, const run_options& options = {}) {
  std::size_t count = 0;
  if constexpr (detail::returns_count<Place>::good) run_lengths(on, in, values, lengths, &count, options);
  return count;
}

using detail::without_place::run_lengths;
using detail::without_place::unique;

}  // namespace peneira
