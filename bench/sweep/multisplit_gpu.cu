// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/gpu_place.cuh"

namespace peneira::bench::sweep {

outcome race_multisplit_gpu(const problem& p, gpu_place& at) {
  return with_split_type(p.type, [&]<class K, class V>(K /*key*/, V /*value*/) {
    const made_items<K, V> input(p, 1, at.on.threads);
    return with_bin_function<K, V>(p, input, at.on.threads,
                                   [&](const auto& f) { return race_split_by<K, V>(p, at, input, f); });
  });
}

}  // namespace peneira::bench::sweep
