// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The two tables of the report on CUDA-mppSort: the time of each kernel, and the whole beside thrust::sort.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/harness.hpp"
#include "peneira/sort/problem.hpp"

namespace peneira::bench {

/// What is measured: u32 keys, as in the report.
struct mpp_sort_work {
  std::size_t n = 10'000;
  mpp_sort_limits limits{.partitions = 16};
  bool large_by_thrust = false;  ///< measure the report's way with partitions that are too large, too
  std::string input = "uniform";
  std::size_t runs = 100;
  std::uint64_t seed = 1;
};

/// A kernel, all its rounds together.
struct kernel_time {
  std::string kernel;
  mean_time time;
};

struct mpp_sort_tables {
  std::vector<kernel_time> kernels;  ///< in the order of their launches
  mean_time published;               ///< the sum of the five kernels that the report has
  mean_time whole;                   ///< a call without events between its kernels
  mean_time thrust;
  mean_time by_thrust;  ///< a call that hands what is too large to thrust::sort, if that was asked for
  std::uint64_t partitions = 0;
  std::uint64_t rounds = 0;
  bool right = false;
};

/// What rows are called behind their names: the knobs that are not the default.
inline std::string knobs_of(const mpp_sort_limits& limits) {
  std::string text;
  if (limits.run_items != 0) text += " (runs of " + std::to_string(limits.run_items) + " merged)";
  if (limits.blocks != 0) text += " (" + std::to_string(limits.blocks) + (limits.blocks == 1 ? " block)" : " blocks)");
  return text;
}

/// The row of a call that hands partitions that are too large to thrust::sort.
inline constexpr const char* mpp_sort_and_thrust = "mpp_sort and thrust::sort";

/// Measures on the GPU. Rows go to the sink: thrust::sort, the whole call, and each kernel.
mpp_sort_tables bench_mpp_sort_gpu(const mpp_sort_work& work, const row_sink& sink);

}  // namespace peneira::bench
