// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// scan: combine each item of an array with all before it, of the whole or of each segment by itself.
#pragma once

#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/error.hpp"
#include "peneira/op.hpp"
#include "peneira/ops.hpp"
#include "peneira/place.hpp"
#include "peneira/scan/strategies.hpp"
#include "peneira/segments.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

/// What the compiler can see of a scan, of all items or of segments.
template <class Place, class In, class Out>
struct scan_arguments {
  static constexpr bool arrays = at_place<Place>::good && readable_column<In>::good && writable_column<Out>::good;
  static constexpr bool made = !std::is_same_v<std::remove_cvref_t<Place>, gpu> ||
                               (std::is_default_constructible_v<typename array_of<In>::key> &&
                                std::is_default_constructible_v<typename array_of<Out>::key>);
  static_assert(!arrays || made, "scan on a GPU: items and results must be default constructible");
  static constexpr bool good = arrays && made;
};

/// Throws std::invalid_argument for what can be seen wrong without touching the data.
template <class Place, class T, class Result>
void check_scan(std::string_view call, view<const T, const no_value> in, view<Result> out) {
  if (out.size < in.size) {
    reject(
        call, "out",
        "has room for " + std::to_string(out.size) + " results, but there are " + std::to_string(in.size) + " items");
  }
  check_address<Place>(call, "in", in.keys, in.size);
  check_address<Place>(call, "out", out.keys, in.size);
  const bool in_place = std::is_same_v<T, Result> && static_cast<const void*>(in.keys) == out.keys;
  if (!in_place && overlap(in.keys, in.size * sizeof(T), out.keys, in.size * sizeof(Result))) {
    reject(call, "out", "overlaps the items; in place, it begins where they do and is of their type");
  }
}

/// The strategies of a place.
template <class Place>
using scan_strategies_at =
    std::conditional_t<is_cpu<std::remove_cvref_t<Place>>, scan_cpu_strategies, scan_gpu_strategies>;

/// A scan by the strategies of a list, of segments whose place is known.
template <class List, class Place, class In, class Segments, class Out, class Op>
void scan_by(std::string_view call, Place& on, In& in, const counted_segments<Segments>& given, Out& out,
             const Op& given_op, const scan_options& options) {
  const auto to = as_view(out);
  using item = typename decltype(as_view(in))::key_type;
  using result = typename decltype(to)::key_type;
  const view<const item, const no_value> from = as_view(in);
  const auto& op = operator_of<result>(given_op);
  using by = std::remove_cvref_t<decltype(op)>;
  static_assert(std::is_trivially_copyable_v<item> && sizeof(item) <= 16,
                "scan: items are trivially copyable and of 1 to 16 bytes");
  static_assert(std::is_trivially_copyable_v<result> && sizeof(result) <= 32,
                "scan: results are trivially copyable and of 1 to 32 bytes");
  static_assert(monoid<by, result>,
                "scan: op must combine two results and have identity<Result>(), as pn::plus has; pn::op{identity, f} "
                "makes one of a function, and std::plus<> and its like will do");

  check_scan<Place>(call, from, to);
  if constexpr (!Segments::regular) {
    check_address<Place>(call, "offsets", given.segments.offsets, given.count + 1);
    if (overlap(given.table, (given.count + 1) * given.offset_bytes, to.keys, from.size * sizeof(result))) {
      reject(call, "out", "overlaps the offsets");
    }
  }
  if constexpr (monoid<by, result>) {  // or else the compiler would say much more than the sentence above
    const scan_problem problem{from.size, given.count, sizeof(item), sizeof(result), given.offset_bytes};
    const auto choose = [&](const auto& machine) { return choose_scan(problem, machine); };
    const auto run = [&](auto chosen, auto& there, const auto& decided) {
      chosen.run(there, decided, from.keys, from.size, given.segments, given.count, to.keys, op, options.inclusive);
    };
    if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu>) {  // what the plan would say, for a call of few ns
      if (options.strategy.empty() && is_small(problem)) {
        return run(scan_strategies::sequential{}, on, scan_strategies::sequential::parameters{});
      }
      if (options.strategy.empty() && scan_strategies::chunks::slices_of(problem) < 2) {
        return run(scan_strategies::chunks{}, on, scan_strategies::chunks::decide(problem, host{}));
      }
    }
    plan_or_run<List>(call, on, problem, options.strategy, choose, run);
  }
}

}  // namespace detail

/// Writes to out[i] what the items before item i combine to by `op`: an exclusive scan, or prefix sum. With {.inclusive
/// = true}, item i is in it, too. The first result of an exclusive scan is the operator's identity.
///
/// `in` and `out` are contiguous ranges or items(pointer, n); `out` may be `in` itself. Items, results and `op` are as
/// for reduce: the result's type is what items are converted to before they are combined. Items are combined in their
/// order, whether or not the operator is commutative; sums of floats have the same bits on every run, on a CPU with any
/// number of threads.
///
/// Throws std::invalid_argument for arguments that cannot be right (an output that is too small, or overlaps the items
/// without being them), and std::bad_alloc where the temporary memory cannot be had.
///
/// ```cpp
/// std::vector<std::uint32_t> counts{3, 1, 4, 1}, offsets(4);
/// pn::scan(pn::cpu{}, counts, offsets, pn::plus{});                                // 0 3 4 8
/// pn::scan(pn::cpu{}, counts, counts, pn::max{}, {.inclusive = true});             // 3 3 4 4, in place
/// ```
template <class Place, class In, class Out, class Op>
requires place<std::remove_cvref_t<Place>>
void scan(Place&& on, In&& in, Out&& out, const Op& op, const scan_options& options = {}) {
  if constexpr (detail::scan_arguments<Place, In, Out>::good) {
    const std::size_t n = detail::as_view(in).size;
    const detail::counted_segments<detail::even_segments> all{{n, n}, n == 0 ? 0U : 1U, 0, nullptr, n};
    detail::scan_by<detail::scan_strategies_at<Place>>("scan", on, in, all, out, op, options);
  }
}

/// The same for each segment by itself. `segments` is as for segmented_reduce: n + 1 offsets of 32 or 64 bits, or
/// every{size}. The results of items that are in no segment are not written.
///
/// Throws std::invalid_argument also for offsets that descend or run past the items, naming the segment.
///
/// ```cpp
/// std::vector<float> items{3, 1, 4, 1, 5}, sums(5);
/// std::vector<std::uint32_t> offsets{0, 3, 3, 5};
/// pn::segmented_scan(pn::cpu{}, items, offsets, sums, pn::plus{});                 // 0 3 4 | | 0 1
/// pn::segmented_scan(pn::cpu{}, items, pn::every{2}, sums, pn::plus{}, {.inclusive = true});  // 3 4 | 4 5 | 5
/// ```
template <class Place, class In, class Segments, class Out, class Op>
requires place<std::remove_cvref_t<Place>>
void segmented_scan(Place&& on, In&& in, Segments&& segments, Out&& out, const Op& op,
                    const scan_options& options = {}) {
  if constexpr (detail::scan_arguments<Place, In, Out>::good && detail::readable_segments<Segments>::good) {
    const auto given = detail::segments_of("segmented_scan", segments, detail::as_view(in).size);
    detail::scan_by<detail::scan_strategies_at<Place>>("segmented_scan", on, in, given, out, op, options);
  }
}

using detail::without_place::scan;
using detail::without_place::segmented_scan;

}  // namespace peneira
