// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/sort_gpu.cuh"

namespace peneira::bench::sweep {

outcome race_sort_gpu(const problem& p, gpu_place& at) {
  if (p.has_pairs()) return race_sort_gpu_pairs(p, at);
  if (p.has_floats()) return race_sort_gpu_floats(p, at);
  if (p.type == item_type::u64) return race_sort_of<std::uint64_t, no_value>(p, at);
  if (p.type != item_type::u32) return race_sort_gpu_signed(p, at);
  if (p.type != item_type::u32) throw std::logic_error("a sort was drawn that nobody compiled");
  return race_sort_of<std::uint32_t, no_value>(p, at);
}

}  // namespace peneira::bench::sweep
