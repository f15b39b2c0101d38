// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/multisplit_gpu.cuh"

namespace peneira::bench::sweep {

outcome race_multisplit_gpu_u64(const problem& p, gpu_place& at) {
  return race_split_of<std::uint64_t, no_value>(p, at);
}

}  // namespace peneira::bench::sweep
