// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// merged: items and segment ends make one stream, of which every block gets an equal share; one launch.
//
//   items |-----share 0-----|-----share 1-----|...  --lanes, warps or the whole block a segment, by its length-->
//   results ends  |  '    '  '''''''|''''             |...  what crosses borders  --mailbox-->  the gathering block
//
// Reads each item and each offset once and writes each result once. Neither long nor short nor empty segments can give
// one block more to do than another. Lanes take items in turn: the operator must be commutative.
#pragma once

#include <string>
#include <string_view>

#include "peneira/ops.hpp"
#include "peneira/segmented_reduce/share_plan.hpp"

#if defined(__CUDACC__)
#include "peneira/device/segment_share.cuh"
#endif

namespace peneira::segmented_reduce_strategies {

struct merged {
  static constexpr std::string_view name = "merged";
  static constexpr std::string_view about = "items and segment ends shared out evenly together, whatever their shape";

  static std::string refuses(const segmented_reduce_problem& problem, const device& machine) {
    if (!problem.commutative) return "needs an operator that says that it is commutative";
    return kernel(problem).refuses(problem, machine);
  }
  static plan make_plan(const segmented_reduce_problem& problem, const device& machine) {
    return kernel(problem).make_plan(problem, machine);
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Segments, class Op>
  static void run(const gpu& on, const plan& made, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool checked) {
    if constexpr (detail::is_commutative<Op>) {
      if (count == 0) return;
      detail::launch_shares(on, made, detail::reduce_segments<T, Result, Segments, Op>, items, n, segments, count,
                            results, op, checked);
    }
  }
#endif

 private:
  static detail::share_kernel kernel(const segmented_reduce_problem& problem) {
    return {"reduce_segments", tuning::segment_threads, detail::share_bytes(problem.result_bytes, problem.offset_bytes),
            tuning::segment_blocks_a_processor, tuning::segment_least_share};
  }
};

}  // namespace peneira::segmented_reduce_strategies
