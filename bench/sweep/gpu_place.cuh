// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What the races on a GPU share: a stream with its timer, and calls of ours with their memory taken beforehand.
#pragma once

#include <utility>
#include <vector>

#include "bench/gpu_harness.cuh"
#include "bench/sweep/races.hpp"
#include "peneira/plan.hpp"

namespace peneira::bench::sweep {

struct gpu_place {
  explicit gpu_place(const bench_place& with) : on(with), machine(peneira::detail::current_device()) {}

  bench_place on;
  gpu_timer timer;
  device machine;

  [[nodiscard]] cudaStream_t stream() const { return timer.stream(); }
};

/// A call of ours, as planned, with memory for it.
class planned_call {
 public:
  /// call(place) makes the call, or tells what it would do.
  template <class Call>
  planned_call(const gpu_place& at, Call&& call, outcome& found)
      : made_(explain([&](auto& on) { call(on); }, at.machine)),
        memory_(made_.temporary_bytes),
        arena_(memory_.data(), made_.temporary_bytes),
        place_{.stream = at.stream(), .memory = &arena_} {
    found.chosen = made_.strategy;
    found.temporary_bytes = made_.temporary_bytes;
  }
  [[nodiscard]] const gpu& place() const { return place_; }

 private:
  plan made_;
  device_array<char> memory_;
  arena arena_;
  gpu place_;
};

/// Lets the contestants run; none of them changes its input.
inline void race_on(gpu_place& at, std::vector<contestant> peers, contestant ours, outcome& found) {
  const auto once = [&at](auto&& prepare, auto&& work) { return at.timer.once(prepare, work); };
  race(once, at.on.limits, false).run(std::move(peers), std::move(ours), found);
}

outcome race_sort_gpu(const problem& p, gpu_place& at);
outcome race_sort_gpu_pairs(const problem& p, gpu_place& at);
outcome race_sort_gpu_signed(const problem& p, gpu_place& at);
outcome race_sort_gpu_floats(const problem& p, gpu_place& at);
outcome race_multisplit_gpu(const problem& p, gpu_place& at);
/// By one function: each takes minutes to compile.
template <class K, class V, class F>
outcome race_split_by(const problem& p, gpu_place& at, const made_items<K, V>& input, const F& f);
outcome race_segmented_reduce_gpu(const problem& p, gpu_place& at);
outcome race_reduce_gpu(const problem& p, gpu_place& at);
outcome race_group_by_gpu(const problem& p, gpu_place& at);
outcome race_histogram_gpu(const problem& p, gpu_place& at);
/// unique and run_lengths.
outcome race_runs_gpu(const problem& p, gpu_place& at);
outcome race_top_k_gpu(const problem& p, gpu_place& at);
outcome race_segmented_sort_gpu(const problem& p, gpu_place& at);
outcome race_scan_gpu(const problem& p, gpu_place& at);
outcome race_partition_gpu(const problem& p, gpu_place& at);
outcome race_gather_gpu(const problem& p, gpu_place& at);

}  // namespace peneira::bench::sweep
