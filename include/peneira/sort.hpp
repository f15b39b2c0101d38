// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort: keys, or pairs by their keys, by partition. argsort: where the sorted keys come from.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "peneira/arguments.hpp"
#include "peneira/by.hpp"
#include "peneira/call.hpp"
#include "peneira/columns.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/error.hpp"
#include "peneira/gpu/primitives/positions.cuh"
#include "peneira/host.hpp"
#include "peneira/key_order.hpp"
#include "peneira/memory.hpp"
#include "peneira/place.hpp"
#include "peneira/sort/cpu/at_once.hpp"
#include "peneira/sort/strategies.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// What the compiler can see of a sort.
template <class Place, class In, class Out>
struct sort_arguments {
  using key = typename array_of<In>::key;
  using value = typename array_of<In>::value;
  static constexpr bool arrays = at_place<Place>::good && readable<In>::good && writable<Out>::good;

  static constexpr bool alike =
      std::is_same_v<key, typename array_of<Out>::key> && std::is_same_v<value, typename array_of<Out>::value>;
  static_assert(!arrays || alike, "sort: out must have the key and value types of in");
  static_assert(!arrays || sort_key<key>,
                "sort: keys are integers or enums of 8 to 64 bits, or floating-point numbers of 16 to 64");
  static constexpr bool values = std::is_trivially_copyable_v<value> && sizeof(value) <= 16;
  static_assert(!arrays || values, "sort: values are trivially copyable and of 1 to 16 bytes");
  static constexpr bool good = arrays && alike && sort_key<key> && values;
};

/// What the compiler can see of an argsort.
template <class Place, class Keys, class Positions>
struct argsort_arguments {
  using key = typename array_of<Keys>::key;
  using position = typename array_of<Positions>::key;
  static constexpr bool arrays =
      at_place<Place>::good && readable_column<Keys>::good && writable_column<Positions>::good;

  static_assert(!arrays || sort_key<key>,
                "argsort: keys are integers or enums of 8 to 64 bits, or floating-point numbers of 16 to 64");
  static_assert(!arrays || is_position<position>, "argsort: positions are unsigned integers of 32 or 64 bits");
  static constexpr bool good = arrays && sort_key<key> && is_position<position>;
};

/// Says which of a sort's numbers is wrong. Apart from where they are looked at, so that a call of few keys is short.
[[noreturn, gnu::noinline, gnu::cold]] inline void reject_sort_numbers(std::string_view call, unsigned first_bit,
                                                                       unsigned last, unsigned width, std::size_t room,
                                                                       std::size_t items) {
  const auto refuse = [call](std::string_view argument, const std::string& why) { reject(call, argument, why); };
  if (last > width) refuse("last_bit", "is " + std::to_string(last) + ", but keys have " + std::to_string(width));
  if (first_bit >= last) {
    refuse("first_bit", "is " + std::to_string(first_bit) + ", not below last_bit, " + std::to_string(last));
  }
  reject(call, "out", "has room for " + std::to_string(room) + " items, but there are " + std::to_string(items));
}

/// Throws std::invalid_argument for what can be seen wrong without touching the data.
template <class Place, class K, class V>
void check_sort(std::string_view call, view<const K, const V> in, view<K, V> out, const sort_options& options) {
  const auto refuse = [call](std::string_view argument, std::string_view why) { reject(call, argument, why); };
  constexpr unsigned width = 8 * sizeof(K);
  const unsigned last = options.last_bit == 0 ? width : options.last_bit;
  if (last > width || options.first_bit >= last || out.size < in.size) [[unlikely]]
    reject_sort_numbers(call, options.first_bit, last, width, out.size, in.size);
  check_addresses<Place>(call, "in", in, in.size);
  check_addresses<Place>(call, "out", out, in.size);
  const std::size_t keys = in.size * sizeof(K);
  if (in.keys != out.keys && overlap(in.keys, keys, out.keys, keys)) {
    refuse("out", "overlaps the input in part; it must be the input itself, or apart from it");
  }
  if constexpr (view<K, V>::has_values) {
    const std::size_t values = in.size * sizeof(V);
    if (in.size != 0 && in.keys != nullptr && (in.keys == out.keys) != (in.values == out.values)) {
      refuse("out", "shares either its keys or its values with the input; it must share both or none");
    }
    if (in.values != out.values && overlap(in.values, values, out.values, values)) {
      refuse("out", "overlaps the input values in part");
    }
    if (overlap(out.keys, keys, out.values, values)) refuse("out", "has values that overlap its keys");
    if (overlap(in.keys, keys, out.values, values)) refuse("out", "has values that overlap the input keys");
    if (overlap(in.values, values, out.keys, keys)) refuse("out", "has keys that overlap the input values");
  }
}

/// sort by a plan, of arguments that were checked.
template <class List, class K, class V, class Place>
[[gnu::noinline]] void sort_by_plan(Place& on, const sort_problem& problem, std::string_view strategy,
                                    view<const K, const V> in, view<K, V> out, const key_order<bits_of<K>>& by,
                                    const bit_range<bits_of<K>>& part) {
  const auto choose = [&](const auto& machine) { return choose_sort(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    chosen.template run<K, V>(there, decided, in, out, by, part);
  };
  plan_or_run<List>("sort", on, problem, strategy, choose, run);
}

/// sort by the strategies of a list, in an order of the keys' bits; that of integers flips some of them and does no
/// more. options.descending is part of the order, and not looked at.
template <class List, class Place, class K, class V>
void sort_in_order(Place& on, view<const K, const V> source, view<K, V> to, const key_order<bits_of<K>>& by,
                   const sort_options& options, const mpp_sort_limits& mpp = {}) {
  check_sort<Place, K, V>("sort", source, to, options);
  constexpr unsigned width = 8 * sizeof(K);
  constexpr bool with_values = view<K, V>::has_values;
  const unsigned last = options.last_bit == 0 ? width : options.last_bit;
  const bool whole = options.first_bit == 0 && last == width;
  constexpr std::size_t item_bytes = sizeof(K) + (with_values ? sizeof(V) : 0);
  const bit_range<bits_of<K>> part{options.first_bit, last - options.first_bit};
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
    using chosen = sort_strategies::partitioned;
    if (options.strategy.empty() && chosen::is_small(source.size * item_bytes, host::here())) {
      return chosen::run_small<K, V>(source, to, by, part);
    }
  }
  const sort_problem problem{source.size,
                             sizeof(K),
                             item_bytes - sizeof(K),
                             options.first_bit,
                             last,
                             !with_values && whole ? order::any : options.equal_keys,
                             source.keys == to.keys && source.keys != nullptr,
                             mpp};
  sort_by_plan<List, K, V>(on, problem, options.strategy, source, to, by, part);
}

/// sort by the strategies of a list, in the order of numbers. Views come by their parts, or a call of few items would
/// write them to memory before it knows that it does not get here.
template <class List, class Place, class K, class V>
[[gnu::noinline]] void sort_by_order(Place& on, const K* in_keys, const V* in_values, std::size_t in_size, K* out_keys,
                                     V* out_values, std::size_t out_size, const sort_options& options,
                                     const mpp_sort_limits* mpp) {
  const view<const K, const V> in{in_keys, in_values, in_size};
  const view<K, V> out{out_keys, out_values, out_size};
  sort_in_order<List>(on, in, out, order_of<K>(options.descending), options, mpp == nullptr ? mpp_sort_limits{} : *mpp);
}

/// The same, few items on a CPU at once: all that a caller inlines is the look whether they are that.
template <class List, class Place, class In, class Out>
[[gnu::always_inline]] inline void sort_by(Place& on, In& in, Out& out, const sort_options& options,
                                           const mpp_sort_limits* mpp = nullptr) {
  const auto from = as_view(in);
  using key = typename decltype(from)::key_type;
  using value = typename decltype(from)::value_type;
  const view<const key, const value> source = from;
  const view<key, value> to = as_view(out);
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {
    if (may_sort_at_once(source, to, options)) {
      if (source.size < 2 || sort_at_once(to.keys, to.values, source.size, options.descending)) return;
    }
  }
  sort_by_order<List>(on, source.keys, source.values, source.size, to.keys, to.values, to.size, options, mpp);
}

template <class Place>
using sort_strategies_at =
    std::conditional_t<is_cpu<std::remove_cvref_t<Place>>, sort_cpu_strategies, sort_gpu_strategies>;

/// argsort on a CPU: the positions as values of a copy of the keys.
template <class Place, class K, class P>
void argsort_on_cpu(Place& on, view<const K> keys, view<P> positions, const key_order<bits_of<K>>& by,
                    const sort_options& options) {
  using where = std::remove_cvref_t<Place>;
  const std::size_t copy_bytes = workspace::footprint<K>(keys.size);
  if constexpr (std::is_same_v<where, cpu>) {
    workspace memory(memory_of(on), copy_bytes, nullptr);
    K* const copy = memory.template take<K>(keys.size);
    const unsigned threads =
        keys.size < tuning::cpu_sequential_items ? 1 : host::here().with_threads(on.threads).threads;
    on_each(threads, [&](unsigned m) {
      const auto [begin, end] = slice(keys.size, m, threads);
      std::copy(keys.keys + begin, keys.keys + end, copy + begin);
      std::iota(positions.keys + begin, positions.keys + end, static_cast<P>(begin));
    });
    const view<K, P> items{copy, positions.keys, keys.size};
    sort_in_order<sort_cpu_strategies, Place, K, P>(on, items, items, by, options);
  } else {
    const view<K, P> items{nullptr, nullptr, keys.size};
    sort_in_order<sort_cpu_strategies, Place, K, P>(on, items, items, by, options);
    on.made.temporary_bytes += copy_bytes;
  }
}

/// argsort on a GPU: the positions as values beside the keys; the keys that come out are dropped.
template <class Place, class K, class P>
void argsort_on_gpu(Place& on, view<const K> keys, [[maybe_unused]] view<P> positions, const key_order<bits_of<K>>& by,
                    const sort_options& options) {
  const std::size_t n = keys.size;
  const std::size_t bytes = workspace::footprint<K>(n) + workspace::footprint<P>(n);
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, gpu>) {
#if defined(__CUDACC__)
    workspace memory(memory_of(on), bytes, on.stream);
    P* const numbers = memory.template take<P>(n);
    K* const sorted = memory.template take<K>(n);
    launch(on, number_items_step(n, current_device()), number_items<P>, numbers, n, nullptr);
    const view<const K, const P> in{keys.keys, numbers, n};
    const view<K, P> out{sorted, positions.keys, n};
    sort_in_order<sort_gpu_strategies>(on, in, out, by, options);
#else
    static_assert(!std::is_same_v<std::remove_cvref_t<Place>, gpu>, "argsort on a GPU: compile this file with nvcc");
#endif
  } else {
    const view<const K, const P> in{nullptr, nullptr, n};
    const view<K, P> out{nullptr, nullptr, n};
    sort_in_order<sort_gpu_strategies>(on, in, out, by, options);
    const auto steps = std::exchange(on.made.steps, {});
    on.made.steps.push_back(number_items_step(n, on.machine));
    for (const step& s : steps) on.made.steps.push_back(s);
    on.made.temporary_bytes += bytes;
  }
}

/// Throws std::invalid_argument for positions, or keys, that cannot be right.
template <class Place, class From, class Position>
void check_positions(std::string_view call, view<From> from, view<Position> to) {
  const auto refuse = [call](const std::string& why) { reject(call, "positions", why); };
  if (to.size < from.size) {
    refuse("has room for " + std::to_string(to.size) + ", but there are " + std::to_string(from.size) + " keys");
  }
  if (from.size != 0 && from.size - 1 > std::numeric_limits<Position>::max()) {
    refuse("has 32 bits an entry, too few to number " + std::to_string(from.size) + " keys");
  }
  if (overlap(from.keys, from.size * sizeof(From), to.keys, from.size * sizeof(Position))) {
    refuse("overlaps the keys");
  }
  check_address<Place>(call, "keys", from.keys, from.size);
  check_address<Place>(call, "positions", to.keys, from.size);
}

/// argsort of what the compiler has seen, in an order of the keys' bits, as sort_in_order has it.
template <class Place, class From, class Position, class K = std::remove_const_t<From>>
void argsort_in_order(Place& on, view<From> from, view<Position> to, const key_order<bits_of<K>>& by,
                      const sort_options& options) {
  check_positions<Place>("argsort", from, to);
  const view<const K> in{from.keys, nullptr, from.size};
  const view<Position> out{to.keys, nullptr, from.size};
  if constexpr (is_cpu<std::remove_cvref_t<Place>>) {
    argsort_on_cpu(on, in, out, by, options);
  } else {
    argsort_on_gpu(on, in, out, by, options);
  }
}

}  // namespace detail

/// Writes the items of `in` to `out` in ascending order of their keys, or descending where the options say so.
///
/// `in` and `out` are contiguous ranges, items(pointer, n), or pairs(keys, values); they are the same arrays, or apart.
/// Keys are integers or enums of 8 to 64 bits, or floating-point numbers of 16 to 64: -0 comes before +0, NaN after all
/// numbers, whatever its sign; descending, NaN comes first and -0 behind +0. Values are trivially copyable and of 1 to
/// 16 bytes. Pairs of equal keys keep their order, unless the options allow any. Throws std::invalid_argument for
/// arguments that cannot be right (a null pointer to items, an address that is not aligned as its type is, arrays that
/// are too small or overlap in part), std::bad_alloc where the temporary memory cannot be had.
///
/// ```cpp
/// std::vector<float> keys{2.5F, -1, 7}, out(3);
/// pn::sort(pn::cpu{}, keys, out);                                                  // -1 2.5 7
/// pn::sort(pn::cpu{}, keys, {.descending = true});                                 // in place: 7 2.5 -1
/// ```
template <class Place, class In, class Out>
requires place<std::remove_cvref_t<Place>> &&
    (!std::is_same_v<std::remove_cvref_t<Out>, sort_options>)&&(!detail::is_by<std::remove_cvref_t<Out>>)  //
    [[gnu::always_inline]] inline void sort(Place&& on, In&& in, Out&& out, const sort_options& options = {}) {
  if constexpr (!detail::no_function<Out, In>::good) {
  } else if constexpr (detail::sort_arguments<Place, In, Out>::good) {
    detail::sort_by<detail::sort_strategies_at<Place>>(on, in, out, options);
  }
}

/// The same in place: `items` is read and written.
template <class Place, class Items>
requires place<std::remove_cvref_t<Place>> &&(!detail::is_column_set<std::remove_cvref_t<Items>>)  //
    [[gnu::always_inline]] inline void sort(Place&& on, Items&& items, const sort_options& options = {}) {
  if constexpr (detail::sort_arguments<Place, Items, Items>::good) {
    detail::sort_by<detail::sort_strategies_at<Place>>(on, items, items, options);
  }
}

/// Neither sort takes a function as such: this one says so.
template <class Place, class In, class Out, class F>
requires place<std::remove_cvref_t<Place>> && detail::is_function_of<F, In>  //
void sort(Place&& /*on*/, In&& /*in*/, Out&& /*out*/, F&& /*f*/) {
  static_cast<void>(detail::no_function<F, In>::good);
}

using detail::without_place::sort;

/// Writes to `positions` where each key of the sorted order comes from: keys[positions[0]] is the first, and equal keys
/// keep their order unless the options allow any. `positions` is a contiguous range, or items(pointer, n), of unsigned
/// 32- or 64-bit integers. It takes the memory of a sort of pairs, and a copy of the keys; on a GPU also one of the
/// positions. Keys, options and errors are those of sort.
///
/// ```cpp
/// std::vector<std::int32_t> keys{30, 10, 20};
/// std::vector<std::uint32_t> positions(3);
/// pn::argsort(pn::cpu{}, keys, positions);                                         // 1 2 0
/// ```
template <class Place, class Keys, class Positions>
requires place<std::remove_cvref_t<Place>> &&(!detail::is_column_set<std::remove_cvref_t<Keys>>)  //
    void argsort(Place&& on, Keys&& keys, Positions&& positions, const sort_options& options = {}) {
  if constexpr (detail::argsort_arguments<Place, Keys, Positions>::good) {
    using key = typename detail::array_of<Keys>::key;
    const auto by = detail::order_of<key>(options.descending);
    detail::argsort_in_order(on, detail::as_view(keys), detail::as_view(positions), by, options);
  }
}

using detail::without_place::argsort;

}  // namespace peneira
