// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/multisplit_gpu.hpp"

namespace peneira::bench {

bool bench_multisplit_gpu(const multisplit_axes& axes, const row_sink& sink) {
  gpu_timer timer;
  const gpu_multisplit_run run{axes, timer, gpu_copy_bandwidth(timer), sink};
  bool all_right = true;
  for (const std::string& type : axes.types) {
    with_type(type, [&]<class K, class V>(K /*key*/, V /*value*/) {
      all_right = bench_multisplit_gpu_items<K, V>(run, type) && all_right;
    });
  }
  return all_right;
}

}  // namespace peneira::bench
