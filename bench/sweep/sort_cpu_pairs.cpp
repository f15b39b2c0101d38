// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/sort_cpu.hpp"

namespace peneira::bench::sweep {

outcome race_sort_cpu_pairs(const problem& p, const bench_place& on) {
  if (p.type == item_type::u32_u32) return sort_race_cpu<std::uint32_t, std::uint32_t>(p, on).run();
  return sort_race_cpu<std::uint64_t, std::uint64_t>(p, on).run();
}

}  // namespace peneira::bench::sweep
