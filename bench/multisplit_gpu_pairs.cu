// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/multisplit_gpu.cuh"

namespace peneira::bench {

bool bench_multisplit_gpu_pairs(const gpu_multisplit_run& run, const std::string& type) {
  bool all_right = true;
  with_type(type, [&]<class K, class V>(K /*key*/, V /*value*/) {
    if constexpr (view<K, V>::has_values) all_right = bench_multisplit_gpu_items<K, V>(run, type);
  });
  return all_right;
}

}  // namespace peneira::bench
