// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// segmented_reduce: combine the items of each segment of an array by an operator.
#pragma once

#include <string>
#include <type_traits>

#include "peneira/arguments.hpp"
#include "peneira/call.hpp"
#include "peneira/error.hpp"
#include "peneira/op.hpp"
#include "peneira/ops.hpp"
#include "peneira/place.hpp"
#include "peneira/segmented_reduce/strategies.hpp"
#include "peneira/segments.hpp"
#include "peneira/view.hpp"

namespace peneira {

namespace detail {

[[noreturn, gnu::noinline, gnu::cold]] inline void reject_room(std::size_t room, std::size_t segments) {
  reject("segmented_reduce", "out",
         "has room for " + std::to_string(room) + " results, but there are " + std::to_string(segments) + " segments");
}

/// segmented_reduce by a plan, of arguments that were checked. Apart from the call, so that one of few items is short.
template <class List, class T, class Place, class Segments, class Result, class Op>
[[gnu::noinline]] void segmented_reduce_by_plan(Place& on, const T* in, const Segments& segments, Result* out,
                                                const Op& op, const segmented_reduce_problem& problem,
                                                std::string_view strategy) {
  const auto choose = [&](const auto& machine) { return choose_segmented_reduce(problem, machine); };
  const auto run = [&](auto chosen, auto& there, const auto& decided) {
    const std::size_t n = problem.items;
    if constexpr (!monoid<Op, Result>) {  // or else the compiler would say much more than the sentence below
    } else if constexpr (is_cpu<std::remove_cvref_t<Place>>) {
      chosen.template run<T, Result>(there, decided, in, n, segments, problem.segments, out, op);
    } else {
      chosen.template run<T, Result>(there, decided, in, n, segments, problem.segments, out, op, problem.checked);
    }
  };
  plan_or_run<List>("segmented_reduce", on, problem, strategy, choose, run);
}

/// segmented_reduce by the strategies of a list.
template <class List, class Place, class In, class Segments, class Out, class Op>
void segmented_reduce_by(Place& on, In& in, Segments& segments, Out& out, const Op& given_op,
                         const segmented_reduce_options& options, const best_reduce_limits& limits = {}) {
  const auto from = as_view(in);
  const auto to = as_view(out);
  using item = typename decltype(from)::key_type;
  using result = typename decltype(to)::key_type;
  const auto& op = operator_of<result>(given_op);
  using by = std::remove_cvref_t<decltype(op)>;
  static_assert(std::is_trivially_copyable_v<item> && sizeof(item) <= 16,
                "segmented_reduce: items are trivially copyable and of 1 to 16 bytes");
  static_assert(std::is_trivially_copyable_v<result> && sizeof(result) <= 32,
                "segmented_reduce: results are trivially copyable and of 1 to 32 bytes");
  static_assert(monoid<by, result>,
                "segmented_reduce: op must combine two results and have identity<Result>(), as pn::plus has; "
                "pn::op{identity, f} makes one of a function, and std::plus<> and its like will do");

  const auto given = segments_of("segmented_reduce", segments, from.size);
  const auto refuse = [](std::string_view why) { reject("segmented_reduce", "out", why); };
  if (to.size < given.count) [[unlikely]]
    reject_room(to.size, given.count);
  check_address<Place>("segmented_reduce", "in", from.keys, from.size);
  check_address<Place>("segmented_reduce", "out", to.keys, given.count);
  given.template check<Place>("segmented_reduce");
  const std::size_t out_bytes = given.count * sizeof(result);
  if (overlap(from.keys, from.size * sizeof(item), to.keys, out_bytes)) refuse("overlaps the items");
  if (overlap(given.table, given.table_bytes(), to.keys, out_bytes)) {
    refuse("overlaps the offsets");
  }
  if constexpr (std::is_same_v<std::remove_cvref_t<Place>, cpu> && monoid<by, result>) {  // what the plan would say
    if (options.strategy.empty() && segmented_reduce_strategies::shares::is_small(from.size, given.count)) {
      return segmented_reduce_few(from.keys, from.size, given.segments, given.count, to.keys, op);
    }
  }
  const segmented_reduce_problem problem{
      from.size,          given.count,      sizeof(item),    sizeof(result), given.offset_bytes,
      is_commutative<by>, options.grouping, options.checked, limits,         given.size};
  segmented_reduce_by_plan<List>(on, from.keys, given.segments, to.keys, op, problem, options.strategy);
}

}  // namespace detail

/// Combines the items of each segment of `in` by `op` and writes one result a segment to `out`. An empty segment gives
/// the operator's identity.
///
/// `segments` is either a range of n + 1 offsets of 32 or 64 bits, as multisplit leaves them, where segment s reaches
/// from offsets[s] to before offsets[s + 1]; or every{size}, for segments of one size (the last may be shorter). Items
/// before the first offset and from the last one on belong to no segment. Items, results and `op` are as for reduce; of
/// arg_min and arg_max the index is the position in the whole of `in`.
///
/// Work is shared out evenly, whatever the shape of the segments. The same call gives the same bits on every run, and
/// on one kind of processor with any number of threads, unless the options allow any grouping. Sums of floats on the
/// CPU are at least as close as pairwise ones.
///
/// Throws std::invalid_argument for arguments that cannot be right, and on the CPU for offsets that descend or run past
/// the items, naming the segment; on the GPU such a segment counts as empty, and with {.checked = true} the call waits
/// and throws. std::bad_alloc where the temporary memory cannot be had.
///
/// ```cpp
/// std::vector<float> items{3, 1, 4, 1, 5};
/// std::vector<std::uint32_t> offsets{0, 3, 3, 5};
/// std::vector<double> sums(3), twos(3);
/// pn::segmented_reduce(pn::cpu{}, items, offsets, sums, pn::plus{});               // 8 0 6
/// pn::segmented_reduce(pn::cpu{}, items, pn::every{2}, twos, pn::plus{});          // 4 5 5
/// ```
template <class Place, class In, class Segments, class Out, class Op>
requires place<std::remove_cvref_t<Place>>
void segmented_reduce(Place&& on, In&& in, Segments&& segments, Out&& out, const Op& op,
                      const segmented_reduce_options& options = {}) {
  using list = std::conditional_t<detail::is_cpu<std::remove_cvref_t<Place>>, segmented_reduce_cpu_strategies,
                                  segmented_reduce_gpu_strategies>;
  if constexpr (detail::at_place<Place>::good && detail::readable_column<In>::good &&
                detail::readable_segments<Segments>::good && detail::writable_column<Out>::good) {
    detail::segmented_reduce_by<list>(on, in, segments, out, op, options);
  }
}

using detail::without_place::segmented_reduce;

}  // namespace peneira
