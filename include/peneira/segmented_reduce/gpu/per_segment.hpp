// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// per_segment: not very many items; some lanes a segment, or a block; one launch, in which hardly anything is waited
// for.
//
//   segments |  0  |  1  |  2  |...  --a few lanes each, or a block each-->  results
//                  a long one        --a warp, or the block-->  results
//                  a very long one   --slices, by blocks that look for such ones-->  results
//
// Reads each item once, and most offsets once.
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu_reduce.hpp"

#if defined(__CUDACC__)
#include "peneira/segmented_reduce/gpu/long_segments.cuh"
#endif

namespace peneira::segmented_reduce_strategies {

struct per_segment {
  static constexpr std::string_view name = "per_segment";
  static constexpr std::string_view about = "few items; some lanes a segment, or a block";

  static std::string refuses(const segmented_reduce_problem& problem, const device& /*machine*/) {
    constexpr std::size_t most = std::size_t{1} << 30U;  // a launch has fewer than twice as many blocks
    if (problem.segments >= most) return "takes fewer than " + std::to_string(most) + " segments";
    return {};
  }
  /// Whether items and segments are so few, and segments so short on average, that it is best.
  static bool suits(const segmented_reduce_problem& problem) {
    if (problem.segments == 0 || problem.items <= tuning::each_few_items) return true;
    const std::size_t average = problem.items / problem.segments;
    const std::size_t most = average < tuning::each_short_items ? tuning::each_items : tuning::each_longer_items;
    return problem.items <= most && problem.segments <= tuning::each_segments && average <= tuning::each_segment_items;
  }

  /// None of the optional ones where there are no segments.
  struct parameters {
    segmented_reduce_problem problem;
    std::optional<std::uint32_t> lanes;
    std::optional<std::uint32_t> helpers;
    std::size_t long_items = 0;
    std::size_t slice_items = 0;  ///< a power of two
    std::optional<step> reduce;

    static constexpr std::tuple fields{
        detail::field{&parameters::lanes, "lanes", "that take a segment"},
        detail::field{&parameters::helpers, "helpers", "blocks that take very long segments"},
        detail::members{&parameters::reduce},
    };
  };

  static parameters decide(const segmented_reduce_problem& problem, const device& machine) {
    parameters p;
    p.problem = problem;
    if (problem.segments == 0) return p;
    p.lanes = lanes_of(problem, machine);
    p.long_items = std::max(tuning::each_long_items, problem.items / tuning::each_slices + 1);
    p.slice_items = std::bit_floor(std::clamp(tuning::each_slice_bytes / problem.item_bytes,
                                              problem.items / tuning::each_slices + 1, p.long_items));
    const std::size_t slices = problem.items / p.slice_items;
    // Of segments of one size the call knows that none is longer than the others.
    const bool helped = problem.offset_bytes != 0 && problem.items > tuning::each_alone_items && slices > 1;
    p.helpers = helped ? static_cast<std::uint32_t>(std::min<std::size_t>(slices, helpers_at_most(machine))) : 0;
    const std::uint32_t threads = std::max(*p.lanes, tuning::each_threads);
    const std::size_t a_block = threads / *p.lanes;
    p.reduce = step{"reduce_each", *p.helpers + (problem.segments + a_block - 1) / a_block, threads};
    return p;
  }

  struct arrays {
    detail::stamped_word* slots;   ///< of slices; none where there are no helpers
    std::uint64_t* first_invalid;  ///< nullptr: nobody asks
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (!p.reduce.has_value()) return a;
    const std::size_t words = detail::slot_words(p.problem.result_bytes);
    if (*p.helpers != 0) {
      a.slots = memory.template take<detail::stamped_word>((p.problem.items / p.slice_items + 1) * words);
    }
    if (p.problem.checked) a.first_invalid = memory.template take<std::uint64_t>(1);
    return a;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Segments, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool checked) {
    if (count == 0) return;
    const detail::temporary<per_segment> memory(on, p);
    if (checked) {
      detail::check(cudaMemsetAsync(memory.first_invalid, 0xFF, sizeof(std::uint64_t), on.stream), "cudaMemsetAsync");
    }
    const std::size_t blocks = p.reduce->grid - *p.helpers;
    const detail::each_work<T, Result, Segments, Op> work{
        .segments = segments,
        .count = count,
        .items = items,
        .n = n,
        .results = results,
        .lane_bits = static_cast<unsigned>(std::countr_zero(*p.lanes)),
        .helpers = *p.helpers,
        .slice = (n + blocks - 1) / blocks,
        .first_invalid = memory.first_invalid,
        .op = op,
        .long_items = p.long_items,
        .slice_bits = static_cast<unsigned>(std::countr_zero(p.slice_items)),
        .cell = (count + tuning::each_cells - 1) / tuning::each_cells,
        .slots = {memory.slots, detail::fresh_stamp()},
    };
    launch(on, p, work);
    if (checked) detail::report_invalid(on, memory.first_invalid, segments, count, n);
  }

 private:
  template <class T, class Result, class Segments, class Op>
  static void launch(const gpu& on, const parameters& p, const detail::each_work<T, Result, Segments, Op>& work) {
    if (*p.lanes == tuning::each_most_threads) {
      launch<tuning::each_most_threads>(on, p, work);
    } else {
      launch<tuning::each_threads>(on, p, work);
    }
  }
  template <unsigned Threads, class T, class Result, class Segments, class Op>
  static void launch(const gpu& on, const parameters& p, const detail::each_work<T, Result, Segments, Op>& work) {
    if constexpr (!Segments::regular) {
      if (*p.helpers != 0) {
        return detail::launch(on, *p.reduce, detail::reduce_each<true, Threads, T, Result, Segments, Op>, work);
      }
    }
    detail::launch(on, *p.reduce, detail::reduce_each<false, Threads, T, Result, Segments, Op>, work);
  }
#endif

 private:
  /// Helpers wait for each other: all of them run at the same time, whatever else does.
  static std::size_t helpers_at_most(const device& machine) {
    return std::min<std::size_t>(tuning::each_helpers, static_cast<std::size_t>(machine.sms));
  }
  /// As many lanes as the device has threads for, so that longer segments have enough; but no fewer than have so many
  /// items each on average. Of long segments all of a block, and of few long ones all of a large block.
  static std::uint32_t lanes_of(const segmented_reduce_problem& problem, const device& machine) {
    const std::size_t average = problem.items / problem.segments;
    const auto sms = static_cast<std::size_t>(machine.sms);
    if (average >= tuning::each_large_block_items && problem.segments <= sms) return tuning::each_most_threads;
    if (average >= tuning::each_block_items ||
        (average >= tuning::each_few_block_items && problem.segments <= tuning::each_few_blocks * sms)) {
      return tuning::each_threads;
    }
    const std::size_t affordable = std::bit_floor(tuning::each_spare_threads * sms / problem.segments + 1);
    const std::size_t needed = std::bit_ceil(average / tuning::each_loads + 1);
    return static_cast<std::uint32_t>(std::min<std::size_t>(std::max(affordable, needed), 32));
  }
};

}  // namespace peneira::segmented_reduce_strategies
