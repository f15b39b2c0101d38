// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/sort_cpu.hpp"

namespace peneira::bench::sweep {

outcome race_sort_cpu(const problem& p, const bench_place& on) {
  if constexpr (!few_types) {
    if (p.has_floats()) return race_sort_cpu_floats(p, on);
    if (p.has_pairs()) return race_sort_cpu_pairs(p, on);
    if (p.type == item_type::i32) return sort_race_cpu<std::int32_t, no_value>(p, on).run();
    if (p.type == item_type::i64) return sort_race_cpu<std::int64_t, no_value>(p, on).run();
    if (p.type == item_type::u64) return sort_race_cpu<std::uint64_t, no_value>(p, on).run();
  }
  return sort_race_cpu<std::uint32_t, no_value>(p, on).run();
}

}  // namespace peneira::bench::sweep
