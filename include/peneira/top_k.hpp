// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// top_k: the k greatest items of an array, or the least. segmented_top_k: of each of its segments, on the CPU.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/error.hpp"
#include "peneira/key_order.hpp"
#include "peneira/place.hpp"
#include "peneira/segments.hpp"
#include "peneira/top_k/strategies.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// What the compiler can see of a top_k.
template <class Place, class In, class Out>
struct top_k_arguments {
  using key = typename array_of<In>::key;
  using value = typename array_of<In>::value;
  static constexpr bool arrays = at_place<Place>::good && readable<In>::good && writable<Out>::good;

  static constexpr bool alike =
      std::is_same_v<key, typename array_of<Out>::key> && std::is_same_v<value, typename array_of<Out>::value>;
  static_assert(!arrays || alike, "top_k: out must have the key and value types of in");
  static_assert(!arrays || sort_key<key>,
                "top_k: keys are integers or enums of 8 to 64 bits, or floating-point numbers of 16 to 64");
  static constexpr bool values = std::is_trivially_copyable_v<value> && sizeof(value) <= 16;
  static_assert(!arrays || values, "top_k: values are trivially copyable and of 1 to 16 bytes");
  static constexpr bool good = arrays && alike && sort_key<key> && values;
};

/// Says how many items there is room for. Apart from where it is looked at, so that a call is short.
[[noreturn, gnu::noinline, gnu::cold]] inline void reject_top_k_room(std::string_view call, std::size_t room,
                                                                     std::size_t kept) {
  reject(call, "out", "has room for " + std::to_string(room) + " items, but " + std::to_string(kept) + " are wanted");
}
/// The same of k.
[[noreturn, gnu::noinline, gnu::cold]] inline void reject_k(std::size_t k, std::size_t items) {
  reject("top_k", "k", "is " + std::to_string(k) + ", but there are " + std::to_string(items) + " items");
}

/// Throws std::invalid_argument for arrays that cannot be right; `kept` items will be written.
template <class Place, class K, class V>
[[gnu::always_inline]] inline void check_top_k(std::string_view call, view<const K, const V> in, view<K, V> out,
                                               std::size_t kept) {
  if (out.size < kept) [[unlikely]]
    reject_top_k_room(call, out.size, kept);
  check_addresses<Place>(call, "in", in, in.size);
  check_addresses<Place>(call, "out", out, kept);
  const auto check = [&](const void* column, std::size_t bytes, std::string_view what) {
    bool shared = overlap(in.keys, in.size * sizeof(K), column, bytes);
    if constexpr (view<K, V>::has_values) shared = shared || overlap(in.values, in.size * sizeof(V), column, bytes);
    if (shared) reject(call, "out", std::string(what).append("overlaps the input"));
  };
  check(out.keys, kept * sizeof(K), "");
  if constexpr (view<K, V>::has_values) {
    check(out.values, kept * sizeof(V), "has values, which ");
    if (overlap(out.keys, kept * sizeof(K), out.values, kept * sizeof(V))) {
      reject(call, "out", "has values that overlap its keys");
    }
  }
}

template <class Place>
using top_k_strategies_at =
    std::conditional_t<is_cpu<std::remove_cvref_t<Place>>, top_k_cpu_strategies, top_k_gpu_strategies>;

/// top_k of arguments that were checked: the first in an order of the keys' bits. On a GPU there is one segment. Apart
/// from the call, so that one of few items is short.
template <class Place, class K, class V, class Segments>
[[gnu::noinline]] void top_k_in_order(std::string_view call, Place& on, view<const K, const V> in,
                                      counted_segments<Segments> given, std::size_t k, view<K, V> out,
                                      key_order<bits_of<K>> by, top_k_options options) {
  constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
  const top_k_problem problem{in.size,        k,           sizeof(K),          value_bytes,
                              options.sorted, given.count, given.offset_bytes, given.size};
  const auto choose = [&](const auto& machine) { return choose_top_k(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    if constexpr (is_cpu<std::remove_cvref_t<Place>>) {
      chosen.template run<K, V>(there, decided, in, given.segments, out, by);
    } else {
      chosen.template run<K, V>(there, decided, in, out, by);
    }
  };
  plan_or_run<top_k_strategies_at<Place>>(call, on, problem, options.strategy, choose, run);
}

/// top_k of all items, of arguments that were checked.
template <class Place, class K, class V>
[[gnu::always_inline]] inline void top_k_of_all(Place& on, view<const K, const V> in, std::size_t k, view<K, V> out,
                                                const top_k_options& options) {
  const auto by = order_of<K>(!options.least);
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
    if (options.strategy.empty() && are_few(in.size, sizeof(K) + (view<K, V>::has_values ? sizeof(V) : 0))) {
      return with_rank<K>(
          by, bit_range<bits_of<K>>{}, [&](const auto& rank) __attribute__((always_inline)) {
            top_of_few(in, out.part(0, k), options.sorted, rank);
          });
    }
  }
  const even_segments all{std::max<std::size_t>(in.size, 1), in.size};
  const counted_segments<even_segments> given{all, all.count(), 0, nullptr, all.size};
  top_k_in_order<std::remove_reference_t<Place>, K, V>("top_k", on, in, given, k, out, by, options);
}

}  // namespace detail

/// Writes the k greatest items of `in` to `out`, the greatest first, or the least where the options say so.
///
/// `in` and `out` are contiguous ranges, items(pointer, n), or pairs(keys, values), which do not overlap; k is from 0
/// to the number of items. The order of keys is that of sort: NaN is greater than all numbers, -0 less than +0. Where
/// more items equal the last one that is wanted than are wanted, the first of them in the input are taken; equal keys
/// keep their order. With {.sorted = false} the items come in the order of the input, which takes less time.
///
/// Keys and values are those of sort. Throws std::invalid_argument for arguments that cannot be right, std::bad_alloc
/// where the temporary memory cannot be had. On a GPU it waits for nothing, and may be captured in a graph.
///
/// ```cpp
/// std::vector<float> scores{2.5F, -1, 7, 4}, best(2);
/// pn::top_k(pn::cpu{}, scores, 2, best);                                           // 7 4
/// pn::top_k(pn::cpu{}, scores, 2, best, {.least = true});                          // -1 2.5
/// ```
template <class Place, class In, class Out>
requires place<std::remove_cvref_t<Place>>
void top_k(Place&& on, In&& in, std::size_t k, Out&& out, const top_k_options& options = {}) {
  if constexpr (detail::top_k_arguments<Place, In, Out>::good) {
    const auto from = detail::as_view(in);
    using key = typename decltype(from)::key_type;
    using value = typename decltype(from)::value_type;
    const view<const key, const value> source = from;
    if (k > source.size) [[unlikely]]
      detail::reject_k(k, source.size);
    const view<key, value> to = detail::as_view(out);
    detail::check_top_k<Place, key, value>("top_k", source, to, k);
    detail::top_k_of_all<std::remove_reference_t<Place>, key, value>(on, source, k, to, options);
  }
}

/// It takes no function: this one says so.
template <class Place, class In, class Out, class F>
requires place<std::remove_cvref_t<Place>> && detail::is_function_of<F, In>  //
void top_k(Place&& /*on*/, In&& /*in*/, std::size_t /*k*/, Out&& /*out*/, F&& /*f*/) {
  static_cast<void>(detail::no_function<F, In>::good);
}

using detail::without_place::top_k;

/// Writes the k greatest items of each segment of `in` to `out`: those of segment s begin at out[s * k]. Of a segment
/// that has fewer than k items there are fewer, and what is behind them is left as it is. Segments are those of
/// segmented_sort; items, ties, options and errors those of top_k. It runs on the CPU alone.
///
/// ```cpp
/// std::vector<std::int32_t> items{3, 1, 4, 1, 5, 9}, best(4);
/// std::vector<std::uint32_t> offsets{0, 4, 6};
/// pn::segmented_top_k(pn::cpu{}, items, offsets, 2, best);                         // 4 3 | 9 5
/// ```
template <class Place, class In, class Segments, class Out>
requires place<std::remove_cvref_t<Place>>
void segmented_top_k(Place&& on, In&& in, Segments&& segments, std::size_t k, Out&& out,
                     const top_k_options& options = {}) {
  if constexpr (!detail::at_cpu<Place>::good) {
  } else if constexpr (detail::top_k_arguments<Place, In, Out>::good && detail::readable_segments<Segments>::good) {
    const auto from = detail::as_view(in);
    using key = typename decltype(from)::key_type;
    using value = typename decltype(from)::value_type;
    const view<const key, const value> source = from;
    const view<key, value> to = detail::as_view(out);
    const auto given = detail::segments_of("segmented_top_k", segments, source.size);
    given.template check<Place>("segmented_top_k");
    if (k != 0 && given.count > std::numeric_limits<std::size_t>::max() / 16 / k) {
      detail::reject("segmented_top_k", "k", "is " + std::to_string(k) + ", which no array of results has room for");
    }
    detail::check_top_k<Place, key, value>("segmented_top_k", source, to, given.count * k);
    const auto check = [&](const void* column, std::size_t bytes) {
      if (detail::overlap(given.table, given.table_bytes(), column, bytes)) {
        detail::reject("segmented_top_k", "out", "overlaps the offsets");
      }
    };
    check(to.keys, given.count * k * sizeof(key));
    check(to.values, given.count * k * sizeof(value));
    const auto by = detail::order_of<key>(!options.least);
    detail::top_k_in_order<std::remove_reference_t<Place>, key, value>("segmented_top_k", on, source, given, k, to, by,
                                                                       options);
  }
}

using detail::without_place::segmented_top_k;

}  // namespace peneira
