// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// ordered: equal shares of items and segment ends as in `merged`, combined strictly in the order of the items; one
// launch.
//
//   share --chunks of items and of ends, in shared memory--> each thread some neighbouring items --carries--> results
//
// Reads each item and each offset once and writes each result once. For operators that are associative and no more.
#pragma once

#include <string>
#include <string_view>

#include "peneira/segmented_reduce/chunk_shape.hpp"
#include "peneira/segmented_reduce/share_plan.hpp"

#if defined(__CUDACC__)
#include "peneira/device/ordered.cuh"
#endif

namespace peneira::segmented_reduce_strategies {

struct ordered {
  static constexpr std::string_view name = "ordered";
  static constexpr std::string_view about =
      "as merged, but strictly in the order of the items, for operators that need it";

  static std::string refuses(const segmented_reduce_problem& problem, const device& machine) {
    if (problem.commutative) return "is for operators that do not say that they are commutative";
    return kernel(problem).refuses(problem, machine);
  }
  static plan make_plan(const segmented_reduce_problem& problem, const device& machine) {
    return kernel(problem).make_plan(problem, machine);
  }

#if defined(__CUDACC__)
  template <class T, class Result, class Segments, class Op>
  static void run(const gpu& on, const plan& made, const T* items, std::size_t n, const Segments& segments,
                  std::size_t count, Result* results, const Op& op, bool checked) {
    if constexpr (!detail::is_commutative<Op>) {  // the others need not be compiled for both kernels
      if (count == 0) return;
      detail::launch_shares(on, made, detail::reduce_in_order<T, Result, Segments, Op>, items, n, segments, count,
                            results, op, checked);
    }
  }
#endif

 private:
  static detail::share_kernel kernel(const segmented_reduce_problem& problem) {
    const std::size_t end_bytes = problem.offset_bytes == 0 ? sizeof(std::uint32_t) : problem.offset_bytes;
    return {"reduce_in_order", tuning::ordered_threads,
            detail::chunk_shared_bytes(problem.item_bytes, end_bytes, problem.result_bytes),
            tuning::ordered_blocks_a_processor,
            std::size_t{tuning::ordered_threads} * detail::chunk_items(problem.item_bytes)};
  }
};

}  // namespace peneira::segmented_reduce_strategies
