// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/sort_gpu.cuh"

namespace peneira::bench::sweep {

outcome race_sort_gpu_signed(const problem& p, gpu_place& at) {
  if (p.type == item_type::i32) return race_sort_of<std::int32_t, no_value>(p, at);
  return race_sort_of<std::int64_t, no_value>(p, at);
}

}  // namespace peneira::bench::sweep
