// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// reduce and segmented_reduce over ranks: each reduces what it has, and results meet in rank order.
#pragma once

#include <vector>

#include "peneira/ranks/calls.hpp"
#include "peneira/ranks/gpu/split.hpp"
#include "peneira/reduce.hpp"
#include "peneira/segmented_reduce.hpp"

namespace peneira {
namespace detail {

/// A result that knows positions in the array of its rank, with positions in the whole.
template <class Result>
void number_in_whole(Result& /*result*/, std::size_t /*begin*/) {}
template <class T>
void number_in_whole(indexed<T>& result, std::size_t begin) {
  if (result.index != indexed<T>::none) result.index += begin;
}

/// The same on all ranks that have the same segments.
template <class Segments>
std::uint64_t hash_segments(const Segments& segments, std::size_t count) {
  std::uint64_t hash = 0;
  for (std::size_t s = 0; s < count; ++s) hash = mix64(hash + segments.begin(s)) + segments.end(s);
  return hash;
}

/// Segments that have items on this rank, and which of all they are.
struct clipped_segments {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Segment s of all: where it begins and ends in the whole, as far as this rank has its items.
template <class Segments>
struct rank_segments {
  Segments segments;
  std::size_t count;
  std::size_t begin;  ///< of this rank's items in the whole
  std::size_t end;

  [[nodiscard]] std::size_t clip(std::size_t at) const { return std::clamp(at, begin, end) - begin; }

  /// Those that have items here. Segments that have none may be among them.
  [[nodiscard]] clipped_segments here() const {
    const auto first_where = [&](auto&& holds) {  // of segments in order, the first that it holds for
      std::size_t low = 0;
      for (std::size_t left = count; left != 0;) {
        const std::size_t half = left / 2;
        if (holds(low + half)) {
          left = half;
        } else {
          low += half + 1;
          left -= half + 1;
        }
      }
      return low;
    };
    const std::size_t first = first_where([&](std::size_t s) { return segments.end(s) > begin; });
    const std::size_t last = first_where([&](std::size_t s) { return segments.begin(s) >= end; });
    return {first, last > first ? last - first : 0};
  }
};

/// Combines what came from all ranks, in rank order, into this rank's part of the results.
template <class Result, class Op>
void combine_arrived(const std::vector<Result>& arrived, const std::vector<clipped_segments>& of_ranks,
                     std::size_t begin, view<Result> out, const Op& op) {
  std::vector<bool> written(out.size, false);
  std::fill(out.keys, out.keys + out.size, op.template identity<Result>());
  auto next = arrived.begin();
  for (const clipped_segments& theirs : of_ranks) {
    const std::size_t first = std::max<std::size_t>(theirs.first, begin);
    const std::size_t last = std::min<std::size_t>(theirs.first + theirs.count, begin + out.size);
    for (std::size_t s = first; s < last; ++s, ++next) {
      Result& result = out.keys[s - begin];
      result = written[s - begin] ? op(result, *next) : *next;
      written[s - begin] = true;
    }
  }
}

/// What a rank's own items come to, where its host can see it.
template <class In, class Result, class Op>
void reduce_here(const cpu& here, In& in, Result& result, const Op& op, const reduce_options& options) {
  reduce(here, in, &result, op, options);
}
/// Writes a result where a rank wants it: in its device's memory, where it runs on one.
template <transport Transport, class Result>
void put_result(Transport& /*between*/, const cpu& /*here*/, const Result& whole, Result* result) {
  *result = whole;
}
#if defined(__CUDACC__)
template <class In, class Result, class Op>
void reduce_here(const gpu& here, In& in, Result& result, const Op& op, const reduce_options& options) {
  workspace memory(memory_of(here), workspace::footprint<Result>(1), here.stream);
  auto* const there = memory.template take<Result>(1);
  reduce(here, in, there, op, options);
  copy_to_host(here, there, 1, &result);
}
template <transport Transport, class Result>
void put_result(Transport& between, const gpu& here, const Result& whole, Result* result) {
  together(between, [&] { copy_to_device(here, &whole, 1, result); });
}
#endif

template <transport Transport, class T, class Segments, class Result, class Op>
void segmented_reduce_over_ranks(Transport& between, const cpu& here, view<const T> in, const Segments& segments,
                                 std::size_t count, view<Result> out, const Op& op,
                                 const segmented_reduce_options& options, const rank_sizes& from,
                                 const rank_sizes& to) {
  check_rank_sizes("segmented_reduce", "out", {{0, count}}, to);
  const unsigned me = between.rank();
  const rank_segments<Segments> mine{segments, count, from.begins[me], from.begins[me + 1]};
  clipped_segments own;
  std::vector<Result> arrived;
  const auto clipped = [&](const clipped_segments& theirs, unsigned r) {  // to what rank r gets
    return std::clamp<std::uint64_t>(to.begins[r], theirs.first, theirs.first + theirs.count) - theirs.first;
  };
  together(between, [&] {
    check_address<cpu>("segmented_reduce", "in", in.keys, in.size);
    check_address<cpu>("segmented_reduce", "out", out.keys, out.size);
    for (std::size_t s = 0; s < count; ++s) {
      if (segments.begin(s) <= segments.end(s) && segments.end(s) <= from.all()) continue;
      reject_segment("segmented_reduce", s, segments.begin(s), segments.end(s), from.all());
    }
    own = mine.here();
  });
  auto* const room = static_cast<Result*>(between.make_room(own.count * sizeof(Result)));
  together(between, [&] {
    std::vector<std::uint64_t> offsets(own.count + 1);
    for (std::size_t s = 0; s < own.count; ++s) offsets[s] = mine.clip(segments.begin(own.first + s));
    if (own.count != 0) offsets[own.count] = mine.clip(segments.end(own.first + own.count - 1));
    segmented_reduce(here, in, offsets, items(room, own.count), op, options);
    for (std::size_t s = 0; s < own.count; ++s) number_in_whole(room[s], mine.begin);
  });
  const std::vector<clipped_segments> of_ranks = gather_values(between, own);
  std::vector<room_part> parts(between.ranks());
  for (unsigned r = 0; r < between.ranks(); ++r) {
    const std::uint64_t first = clipped(own, r);
    parts[r] = {first * sizeof(Result), (clipped(own, r + 1) - first) * sizeof(Result)};
  }
  together(between, [&] {
    std::uint64_t coming = 0;
    for (const clipped_segments& theirs : of_ranks) coming += clipped(theirs, me + 1) - clipped(theirs, me);
    arrived.resize(coming);
  });
  between.exchange(parts, arrived.data());
  combine_arrived(arrived, of_ranks, to.begins[me], out, op);
}

}  // namespace detail

/// reduce over ranks: the items of all ranks, in rank order, are one array. Every rank gets the result. Items are
/// grouped by ranks, so that a sum of floats may differ in its last bits where they are shared out otherwise. Of ranks
/// on GPUs `result` is in device memory, and `op` is called on the host, too.
template <class On, class In, class Result, class Op>
requires detail::rank_place<std::remove_cvref_t<On>>
void reduce(On&& on, In&& in, Result* result, const Op& given, const reduce_options& options = {}) {
  if constexpr (detail::ranks_run<On>::good && detail::readable_column<In>::good) {
    const auto& op = detail::operator_of<Result>(given);
    const std::size_t n = detail::as_view(in).size;
    const std::uint64_t types = detail::hash_numbers(
        {detail::type_number<typename detail::array_of<In>::key>(), detail::type_number<Result>()});
    constexpr std::string_view call = detail::rank_call_name<detail::rank_here<On>>("reduce", "reduce on a GPU");
    const detail::rank_sizes from = detail::meet(on.between(), call, n, 1, types).in;
    Result mine{};
    detail::together(on.between(), [&] {
      detail::check_address<cpu>("reduce", "result", result, 1);
      detail::reduce_here(on.here(), in, mine, op, options);
      detail::number_in_whole(mine, from.begins[on.between().rank()]);
    });
    const std::vector<Result> all = detail::gather_values(on.between(), mine);
    Result whole = all.front();
    for (std::size_t r = 1; r < all.size(); ++r) whole = op(whole, all[r]);
    detail::put_result(on.between(), on.here(), whole, result);
  }
}

/// segmented_reduce over ranks: the items of all ranks, in rank order, are one array, and the segments are those of the
/// whole, the same on all ranks: offsets, as multisplit leaves them, or every{size}. The sizes of `out` say which
/// results each rank gets.
template <class On, class In, class Segments, class Out, class Op>
requires detail::rank_place<std::remove_cvref_t<On>>
void segmented_reduce(On&& on, In&& in, Segments&& segments, Out&& out, const Op& given,
                      const segmented_reduce_options& options = {}) {
  if constexpr (detail::ranks_run_on_cpus<On>::good && detail::readable_column<In>::good &&
                detail::readable_segments<Segments>::good && detail::writable_column<Out>::good) {
    using item = typename detail::array_of<In>::key;
    using result = typename detail::array_of<Out>::key;
    const auto& op = detail::operator_of<result>(given);
    const auto given_items = detail::as_view(in);
    const auto given_out = detail::as_view(out);
    const detail::call_sizes sizes =
        detail::meet(on.between(), "segmented_reduce", given_items.size, given_out.size,
                     detail::hash_numbers({detail::type_number<item>(), detail::type_number<result>()}));
    const detail::rank_sizes& from = sizes.in;
    const auto all = [&] {
      decltype(detail::segments_of("segmented_reduce", segments, from.all())) found;
      detail::together(on.between(), [&] { found = detail::segments_of("segmented_reduce", segments, from.all()); });
      return found;
    }();
    detail::agree(on.between(), "segmented_reduce", "segments", "must be as many", all.count);
    detail::agree(on.between(), "segmented_reduce", "segments' hash", "must be the same",
                  detail::hash_segments(all.segments, all.count));
    detail::segmented_reduce_over_ranks<std::remove_cvref_t<decltype(on.between())>, item>(
        on.between(), on.here(), view<const item>{given_items.keys, nullptr, given_items.size}, all.segments, all.count,
        given_out, op, options, from, sizes.out);
  }
}

}  // namespace peneira
