// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/sort_gpu.cuh"

namespace peneira::bench::sweep {

outcome race_sort_gpu_pairs(const problem& p, gpu_place& at) {
  if (p.type == item_type::u32_u32) return race_sort_of<std::uint32_t, std::uint32_t>(p, at);
  if (p.type != item_type::u64_u64) throw std::logic_error("a sort was drawn that nobody compiled");
  return race_sort_of<std::uint64_t, std::uint64_t>(p, at);
}

}  // namespace peneira::bench::sweep
