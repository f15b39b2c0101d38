// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/multisplit_gpu.cuh"

namespace peneira::bench {

template bool bench_multisplit_gpu_items<std::uint32_t, no_value>(const gpu_multisplit_run& run,
                                                                  const std::string& type);

}  // namespace peneira::bench
