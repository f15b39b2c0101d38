// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/multisplit_gpu.cuh"

namespace peneira::bench::sweep {

outcome race_multisplit_gpu(const problem& p, gpu_place& at) {
  if (p.has_pairs()) return race_multisplit_gpu_pairs(p, at);
  if (p.type == item_type::u64) return race_multisplit_gpu_u64(p, at);
  return race_split_of<std::uint32_t, no_value>(p, at);
}

}  // namespace peneira::bench::sweep
