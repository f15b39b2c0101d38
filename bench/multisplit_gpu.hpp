// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The GPU's rows of multisplit, type by type. Each type is a file of its own, since it takes minutes to compile.
#pragma once

#include <string>

#include "bench/gpu_harness.cuh"
#include "bench/multisplit.hpp"

namespace peneira::bench {

/// What all rows have in common.
struct gpu_multisplit_run {
  const multisplit_axes& axes;
  gpu_timer& timer;
  double bandwidth;
  const row_sink& sink;
};

/// Measures all rows of items of one type, which has this name; returns whether every output was right.
template <class K, class V>
bool bench_multisplit_gpu_items(const gpu_multisplit_run& run, const std::string& type);

}  // namespace peneira::bench
