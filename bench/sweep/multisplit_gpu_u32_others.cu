// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/multisplit_gpu.cuh"

namespace peneira::bench::sweep {

template outcome race_split_by(const problem&, gpu_place&, const made_items<std::uint32_t, no_value>&, const hashed&);
template outcome race_split_by(const problem&, gpu_place&, const made_items<std::uint32_t, no_value>&,
                               const binned<remainder>&);

}  // namespace peneira::bench::sweep
