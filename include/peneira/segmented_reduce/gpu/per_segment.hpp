// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// per_segment: few items; some lanes a segment, or a block; one launch, in which hardly anything is waited for.
//
//   segments |  0  |  1  |  2  |...  --a few lanes each, or a block each-->  results
//                  a long one        --all lanes of the block, or of the blocks of its cluster-->  results
//
// Reads each item once. Lanes are as many as a segment needs on average, so that equal segments suit it best, and
// others cost more; where items are few it is a matter of some microseconds.
#pragma once

#include <algorithm>
#include <bit>

#include "peneira/segmented_reduce/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/segmented_reduce/gpu/per_segment.cuh"
#endif

namespace peneira::segmented_reduce_strategies {

struct per_segment {
  static constexpr std::string_view name = "per_segment";
  static constexpr std::string_view about = "few items; some lanes a segment, or a block";

  static std::string refuses(const segmented_reduce_problem& problem, const device& /*machine*/) {
    constexpr std::size_t most = std::size_t{1} << 31U;  // a launch has fewer blocks
    if (problem.segments >= most) return "takes fewer than " + std::to_string(most) + " segments";
    return {};
  }
  /// Whether items are so few that one launch without any exchange is all that counts. More of them, and some of them
  /// long, want a cluster.
  static bool suits(const segmented_reduce_problem& problem, const device& machine) {
    if (problem.items + problem.segments <= tuning::each_items) return true;
    return has_clusters(machine) && problem.items + problem.segments <= tuning::each_items_by_clusters &&
           problem.items <= problem.segments * tuning::each_segment_items;
  }

  /// None of them where there are no segments.
  struct parameters {
    bool checked = false;
    std::optional<std::uint32_t> lanes;
    std::optional<step> reduce;

    static constexpr std::tuple fields{
        detail::field{&parameters::lanes, "lanes", "that take a segment"},
        detail::members{&parameters::reduce},
    };
  };

  static parameters decide(const segmented_reduce_problem& problem, const device& machine) {
    parameters p;
    p.checked = problem.checked;
    if (problem.segments == 0) return p;
    p.lanes = lanes_of(problem);
    const std::size_t a_block = tuning::each_threads / *p.lanes;
    // A cluster is of use only where a segment may be long enough to be shared.
    const bool shared = has_clusters(machine) && problem.items >= tuning::each_shared_items;
    const std::uint32_t cluster = shared ? tuning::each_cluster : 1;
    const std::size_t blocks = (problem.segments + a_block - 1) / a_block;
    p.reduce = step{"reduce_each", (blocks + cluster - 1) / cluster * cluster, tuning::each_threads, 0, cluster};
    return p;
  }

  struct arrays {
    std::uint64_t* first_invalid;  ///< nullptr: nobody asks
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    if (p.checked && p.reduce.has_value()) a.first_invalid = memory.template take<std::uint64_t>(1);
    return a;
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Segments, class Op>
  static void run(const gpu& on, const parameters& p, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool checked) {
    if (count == 0) return;
    const detail::temporary<per_segment> memory(on, p);
    std::uint64_t* const first_invalid = memory.first_invalid;
    if (checked) {
      detail::check(cudaMemsetAsync(first_invalid, 0xFF, sizeof *first_invalid, on.stream), "cudaMemsetAsync");
    }
    const std::size_t slice = (n + p.reduce->grid - 1) / p.reduce->grid;
    const auto lane_bits = static_cast<unsigned>(std::countr_zero(*p.lanes));
    const detail::each_work<T, Result, Segments, Op> work{items,   n,  segments,      count, op,
                                                          results, first_invalid, slice, lane_bits};
    if (p.reduce->cluster > 1) {
      detail::launch(on, *p.reduce, detail::reduce_each<true, T, Result, Segments, Op>, work);
    } else {
      detail::launch(on, *p.reduce, detail::reduce_each<false, T, Result, Segments, Op>, work);
    }
    if (checked) detail::report_invalid(on, first_invalid, segments, count, n);
  }
#endif

 private:
  static bool has_clusters(const device& machine) { return machine.arch >= 90; }

  /// As many lanes as have so many items each on average; of more than a warp has, all of a block.
  static std::uint32_t lanes_of(const segmented_reduce_problem& problem) {
    const std::size_t average = problem.items / problem.segments;
    if (average > 32 * tuning::each_warp_items) return tuning::each_threads;
    return static_cast<std::uint32_t>(std::min<std::size_t>(std::bit_ceil(average / tuning::each_loads + 1), 32));
  }
};

}  // namespace peneira::segmented_reduce_strategies
