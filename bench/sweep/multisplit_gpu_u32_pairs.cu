// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/multisplit_gpu.cuh"

namespace peneira::bench::sweep {

template outcome race_split_by(const problem&, gpu_place&, const made_items<std::uint32_t, std::uint32_t>&,
                               const ranges<std::uint32_t>&);
template outcome race_split_by(const problem&, gpu_place&, const made_items<std::uint32_t, std::uint32_t>&,
                               const hashed&);

}  // namespace peneira::bench::sweep
