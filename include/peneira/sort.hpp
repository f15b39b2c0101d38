// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// sort: keys, or pairs by their keys, by partition. argsort: where the sorted keys come from.
#pragma once

#include <limits>
#include <string>
#include <type_traits>

#include "peneira/error.hpp"
#include "peneira/place.hpp"
#include "peneira/sort/key_order.hpp"
#include "peneira/sort/strategies.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// Throws std::invalid_argument for what can be seen wrong without touching the data.
template <class K, class V>
void check_sort(view<const K, const V> in, view<K, V> out, const sort_options& options) {
  const auto refuse = [](std::string_view argument, const std::string& why) { reject("sort", argument, why); };
  constexpr unsigned width = 8 * sizeof(K);
  const unsigned last = options.last_bit == 0 ? width : options.last_bit;
  if (last > width) refuse("last_bit", "is " + std::to_string(last) + ", but keys have " + std::to_string(width));
  if (options.first_bit >= last) {
    refuse("first_bit", "is " + std::to_string(options.first_bit) + ", not below last_bit, " + std::to_string(last));
  }
  if (out.size < in.size) {
    refuse("out", "has room for " + std::to_string(out.size) + " items, but there are " + std::to_string(in.size));
  }
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

/// sort by the strategies of a list.
template <class List, class Place, class In, class Out>
void sort_by(Place& on, In& in, Out& out, const sort_options& options, const mpp_sort_limits& mpp = {}) {
  const auto from = as_view(in);
  const auto to = as_view(out);
  using key = typename decltype(from)::key_type;
  using value = typename decltype(from)::value_type;
  static_assert(std::is_convertible_v<decltype(to), view<key, value>>,
                "sort: out must be writable and of the same key and value types as in");
  static_assert(sort_key<key>, "sort: keys are integers of 8 to 64 bits, float or double");
  static_assert(std::is_trivially_copyable_v<value> && sizeof(value) <= 16,
                "sort: values are trivially copyable and of 1 to 16 bytes");

  const view<const key, const value> source = from;
  check_sort<key, value>(source, to, options);
  constexpr unsigned width = 8 * sizeof(key);
  constexpr bool with_values = decltype(from)::has_values;
  const unsigned last = options.last_bit == 0 ? width : options.last_bit;
  const bool whole = options.first_bit == 0 && last == width;
  const sort_problem problem{source.size,
                             sizeof(key),
                             with_values ? sizeof(value) : 0,
                             options.first_bit,
                             last,
                             !with_values && whole ? order::any : options.equal_keys,
                             source.keys == to.keys && source.keys != nullptr,
                             mpp};
  const auto planned = [&](const auto& machine) {
    return plan_by<List>("sort", problem, machine,
                         asked_or(options.strategy, [&] { return choose_sort(problem, machine); }));
  };
  const auto run = [&](auto& there, const plan& made) {
    const auto by = order_of<key>(options.descending);
    const bit_range<bits_of<key>> part{options.first_bit, last - options.first_bit};
    List::with("sort", made.strategy,
               [&](auto strategy) { strategy.template run<key, value>(there, made, source, to, by, part); });
  };
  using where = std::remove_cvref_t<Place>;
  if constexpr (std::is_same_v<where, cpu>) {
    run(on, planned(host::here().with_threads(on.threads)));
  } else if constexpr (std::is_same_v<where, gpu>) {
#if defined(__CUDACC__)
    run(on, planned(current_device()));
#else
    static_assert(!std::is_same_v<where, gpu>, "sort on a GPU: compile this file with nvcc");
#endif
  } else {
    on.made = planned(on.machine);
    ++on.calls;
  }
}

template <class Place>
using sort_strategies_at =
    std::conditional_t<is_cpu<std::remove_cvref_t<Place>>, sort_cpu_strategies, sort_gpu_strategies>;

}  // namespace detail

/// Writes the items of `in` to `out` in ascending order of their keys, or descending where the options say so.
///
/// `in` and `out` are contiguous ranges, items(pointer, n), or pairs(keys, values); they are the same arrays, or apart.
/// Keys are integers of 8 to 64 bits, float or double: -0 comes before +0, NaN after all numbers, whatever its sign.
/// Values are trivially copyable and of 1 to 16 bytes. Pairs of equal keys keep their order, unless the options allow
/// any. Throws std::invalid_argument for arguments that cannot be right, std::bad_alloc where the temporary memory
/// cannot be had.
template <class Place, class In, class Out>
requires place<std::remove_cvref_t<Place>> &&(!std::is_same_v<std::remove_cvref_t<Out>, sort_options>)  //
    void sort(Place&& on, In&& in, Out&& out, const sort_options& options = {}) {
  detail::sort_by<detail::sort_strategies_at<Place>>(on, in, out, options);
}

/// The same in place.
template <class Place, class Items>
requires place<std::remove_cvref_t<Place>>
void sort(Place&& on, Items&& items, const sort_options& options = {}) {
  detail::sort_by<detail::sort_strategies_at<Place>>(on, items, items, options);
}

}  // namespace peneira
