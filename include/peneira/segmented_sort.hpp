// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// segmented_sort: the items of each segment of an array in the order of their keys. segmented_argsort: where they come
// from.
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/error.hpp"
#include "peneira/gpu/primitives/positions.cuh"
#include "peneira/key_order.hpp"
#include "peneira/memory.hpp"
#include "peneira/place.hpp"
#include "peneira/segmented_sort/strategies.hpp"
#include "peneira/segments.hpp"
#include "peneira/sort.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

template <class Place>
using segmented_sort_strategies_at = std::conditional_t<is_cpu<std::remove_cvref_t<Place>>,
                                                        segmented_sort_cpu_strategies, segmented_sort_gpu_strategies>;

/// segmented_sort of arguments that were checked.
template <class Place, class K, class V, class Segments>
void segmented_sort_in_order(Place& on, view<const K, const V> in, const counted_segments<Segments>& given,
                             view<K, V> out, const key_order<bits_of<K>>& by, const sort_options& options) {
  constexpr std::size_t value_bytes = view<K, V>::has_values ? sizeof(V) : 0;
  const unsigned last = options.last_bit == 0 ? 8 * sizeof(K) : options.last_bit;
  const bit_range<bits_of<K>> part{options.first_bit, last - options.first_bit};
  const Segments segments = given.segments;
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
    using chosen = segmented_sort_strategies::shares;
    const std::size_t bytes = in.size * (sizeof(K) + value_bytes);
    if (options.strategy.empty() && chosen::is_small(bytes, given.count, host::here())) {
      return chosen::run_small<K, V>(in, segments, given.count, out, by, part);
    }
  }
  const segmented_sort_problem problem{in.size,
                                       given.count,
                                       sizeof(K),
                                       value_bytes,
                                       options.first_bit,
                                       last,
                                       in.keys == out.keys && in.keys != nullptr,
                                       given.offset_bytes,
                                       given.size};
  const auto choose = [&](const auto& machine) { return choose_segmented_sort(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    chosen.template run<K, V>(there, decided, in, segments, out, by, part);
  };
  plan_or_run<segmented_sort_strategies_at<Place>>("segmented_sort", on, problem, options.strategy, choose, run);
}

/// segmented_sort of what the compiler has seen.
template <class Place, class In, class Segments, class Out>
void segmented_sort_of(Place& on, In& in, Segments& segments, Out& out, const sort_options& options) {
  const auto from = as_view(in);
  using key = typename decltype(from)::key_type;
  using value = typename decltype(from)::value_type;
  const view<const key, const value> source = from;
  const view<key, value> to = as_view(out);
  check_sort<Place, key, value>("segmented_sort", source, to, options);
  const auto given = segments_of("segmented_sort", segments, source.size);
  given.template check<Place>("segmented_sort");
  const auto refuse = [](const char* why) { reject("segmented_sort", "out", why); };
  if (overlap(given.table, given.table_bytes(), to.keys, source.size * sizeof(key))) refuse("overlaps the offsets");
  if constexpr (view<key, value>::has_values) {
    if (overlap(given.table, given.table_bytes(), to.values, source.size * sizeof(value))) {
      refuse("has values that overlap the offsets");
    }
  }
  segmented_sort_in_order<Place, key, value>(on, source, given, to, order_of<key>(options.descending), options);
}

/// segmented_argsort on a CPU: the positions as values of a copy of the keys.
template <class Place, class K, class P, class Segments>
void segmented_argsort_on_cpu(Place& on, view<const K> keys, const counted_segments<Segments>& given, view<P> positions,
                              const sort_options& options) {
  const auto by = order_of<K>(options.descending);
  const std::size_t n = keys.size;
  const std::size_t copy_bytes = workspace::footprint<K>(n);
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {
    if (given.count == 0) return;
    const std::size_t first = given.segments.begin(0);
    const std::size_t last = given.segments.end(given.count - 1);
    check_segment_ends("segmented_argsort", given.segments, given.count, n);
    workspace memory(memory_of(on), copy_bytes, nullptr);
    K* const copy = memory.template take<K>(n);
    const unsigned threads = n < tuning::cpu_sequential_items ? 1 : host::here().with_threads(on.threads).threads;
    on_each(threads, [&](unsigned m) {
      const auto [begin, end] = slice(last - first, m, threads);
      std::copy(keys.keys + first + begin, keys.keys + first + end, copy + first + begin);
      std::iota(positions.keys + first + begin, positions.keys + first + end, static_cast<P>(first + begin));
    });
    const view<K, P> items{copy, positions.keys, n};
    segmented_sort_in_order<Place, K, P>(on, items, given, items, by, options);
  } else {
    const view<K, P> items{nullptr, nullptr, n};
    segmented_sort_in_order<Place, K, P>(on, items, given, items, by, options);
    on.made.temporary_bytes += copy_bytes;
  }
}

/// segmented_argsort on a GPU: the positions as values beside the keys; the keys that come out are dropped.
template <class Place, class K, class P, class Segments>
void segmented_argsort_on_gpu(Place& on, view<const K> keys, const counted_segments<Segments>& given,
                              [[maybe_unused]] view<P> positions, const sort_options& options) {
  const auto by = order_of<K>(options.descending);
  const std::size_t n = keys.size;
  const std::size_t bytes = workspace::footprint<K>(n) + workspace::footprint<P>(n);
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, gpu>) {
#if defined(__CUDACC__)
    if (n == 0 || given.count == 0) return;
    workspace memory(memory_of(on), bytes, on.stream);
    P* const numbers = memory.template take<P>(n);
    K* const sorted = memory.template take<K>(n);
    launch(on, number_items_step(n, current_device()), number_items<P>, numbers, n, nullptr);
    const view<const K, const P> in{keys.keys, numbers, n};
    const view<K, P> out{sorted, positions.keys, n};
    segmented_sort_in_order<Place, K, P>(on, in, given, out, by, options);
#endif
  } else {
    const view<const K, const P> in{nullptr, nullptr, n};
    segmented_sort_in_order<Place, K, P>(on, in, given, {nullptr, nullptr, n}, by, options);
    if (n == 0 || given.count == 0) return;
    const auto steps = std::exchange(on.made.steps, {});
    on.made.steps.push_back(number_items_step(n, on.machine));
    for (const step& s : steps) on.made.steps.push_back(s);
    on.made.temporary_bytes += bytes;
  }
}

/// segmented_argsort of what the compiler has seen.
template <class Place, class Keys, class Segments, class Positions>
void segmented_argsort_of(Place& on, Keys& keys, Segments& segments, Positions& positions,
                          const sort_options& options) {
  const auto from = as_view(keys);
  const auto to = as_view(positions);
  using key = typename decltype(from)::key_type;
  using position = typename decltype(to)::key_type;
  check_positions<Place>("segmented_argsort", from, to);
  const view<const key> in{from.keys, nullptr, from.size};
  const view<position> out{to.keys, nullptr, from.size};
  const auto given = segments_of("segmented_argsort", segments, from.size);
  given.template check<Place>("segmented_argsort");
  if (overlap(given.table, given.table_bytes(), to.keys, from.size * sizeof(position))) {
    reject("segmented_argsort", "positions", "overlaps the offsets");
  }
  check_sort<planner<host>, key, no_value>("segmented_argsort", in, {nullptr, nullptr, in.size}, options);
  if constexpr (is_cpu<std::remove_cvref_t<Place>>) {
    segmented_argsort_on_cpu<Place, key, position>(on, in, given, out, options);
  } else {
    segmented_argsort_on_gpu<Place, key, position>(on, in, given, out, options);
  }
}

}  // namespace detail

/// Writes the items of each segment of `in` to the same segment of `out` in ascending order of their keys, or
/// descending where the options say so.
///
/// `segments` is either a range of n + 1 offsets of 32 or 64 bits, as multisplit leaves them, where segment s reaches
/// from offsets[s] to before offsets[s + 1]; or every{size}, for segments of one size (the last may be shorter). Items
/// before the first offset and from the last one on belong to no segment: what is there in `out` is left as it is.
/// Items, options and errors are those of sort: pairs of equal keys keep their order. Segments of any shape are dealt
/// out evenly to all threads, or blocks. Where offsets descend or run past the items nothing is written; on the CPU
/// std::invalid_argument names the segment, on a GPU, where a call does not wait, nothing is said.
///
/// ```cpp
/// std::vector<float> items{3, 1, 4, 1, 5};
/// std::vector<std::uint32_t> offsets{0, 3, 3, 5};
/// pn::segmented_sort(pn::cpu{}, items, offsets);                                   // 1 3 4 | | 1 5
/// pn::segmented_sort(pn::cpu{}, items, pn::every{2}, {.descending = true});        // 3 1 | 4 1 | 5
/// ```
template <class Place, class In, class Segments, class Out>
requires place<std::remove_cvref_t<Place>> &&(!std::is_same_v<std::remove_cvref_t<Out>, sort_options>)  //
    void segmented_sort(Place&& on, In&& in, Segments&& segments, Out&& out, const sort_options& options = {}) {
  if constexpr (!detail::no_function<Out, In>::good) {
  } else if constexpr (detail::sort_arguments<Place, In, Out>::good && detail::readable_segments<Segments>::good) {
    detail::segmented_sort_of(on, in, segments, out, options);
  }
}

/// The same in place: `items` is read and written.
template <class Place, class Items, class Segments>
requires place<std::remove_cvref_t<Place>>
void segmented_sort(Place&& on, Items&& items, Segments&& segments, const sort_options& options = {}) {
  if constexpr (detail::sort_arguments<Place, Items, Items>::good && detail::readable_segments<Segments>::good) {
    detail::segmented_sort_of(on, items, segments, items, options);
  }
}

/// Neither takes a function: this one says so.
template <class Place, class In, class Segments, class Out, class F>
requires place<std::remove_cvref_t<Place>> && detail::is_function_of<F, In>  //
void segmented_sort(Place&& /*on*/, In&& /*in*/, Segments&& /*segments*/, Out&& /*out*/, F&& /*f*/) {
  static_cast<void>(detail::no_function<F, In>::good);
}

using detail::without_place::segmented_sort;

/// Writes to `positions` where each key of a segment's sorted order comes from, as positions in the whole of `keys`:
/// keys[positions[offsets[s]]] is the first of segment s. Equal keys keep their order. `positions` is a contiguous
/// range of unsigned 32- or 64-bit integers, as many as there are keys; what belongs to no segment is left as it is. It
/// takes the memory of a segmented sort of pairs, and a copy of the keys; on a GPU also one of the positions. Keys,
/// options and errors are those of argsort, segments those of segmented_sort.
///
/// ```cpp
/// std::vector<std::int32_t> keys{30, 10, 20, 5, 4};
/// std::vector<std::uint32_t> positions(5);
/// pn::segmented_argsort(pn::cpu{}, keys, pn::every{3}, positions);                 // 1 2 0 | 4 3
/// ```
template <class Place, class Keys, class Segments, class Positions>
requires place<std::remove_cvref_t<Place>>
void segmented_argsort(Place&& on, Keys&& keys, Segments&& segments, Positions&& positions,
                       const sort_options& options = {}) {
  if constexpr (detail::argsort_arguments<Place, Keys, Positions>::good && detail::readable_segments<Segments>::good) {
    detail::segmented_argsort_of(on, keys, segments, positions, options);
  }
}

using detail::without_place::segmented_argsort;

}  // namespace peneira
