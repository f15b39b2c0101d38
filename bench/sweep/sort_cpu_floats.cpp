// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/sweep/sort_cpu.hpp"

namespace peneira::bench::sweep {

outcome race_sort_cpu_floats(const problem& p, const bench_place& on) {
  if (p.type == item_type::f32) return sort_race_cpu<float, no_value>(p, on).run();
  return sort_race_cpu<double, no_value>(p, on).run();
}

}  // namespace peneira::bench::sweep
