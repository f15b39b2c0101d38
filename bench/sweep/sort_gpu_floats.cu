// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/sort_gpu.cuh"

namespace peneira::bench::sweep {

outcome race_sort_gpu_floats(const problem& p, gpu_place& at) {
  if (p.type == item_type::f32) return race_sort_of<float, no_value>(p, at);
  return race_sort_of<double, no_value>(p, at);
}

}  // namespace peneira::bench::sweep
