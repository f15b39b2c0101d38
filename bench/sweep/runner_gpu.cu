// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "bench/peers_reduce_gpu.cuh"
#include "bench/sweep/gpu_place.cuh"
#include "bench/sweep/runner.hpp"

namespace peneira::bench::sweep {
namespace {

class gpu_races : public runner {
 public:
  explicit gpu_races(const bench_place& on) : at_(on) {}

  outcome run(const problem& p) override { return race_of(p)(p, at_); }

  /// Of the calls from group_by on those that a GPU has, for the types and functions that are compiled.
  [[nodiscard]] bool can_run(const problem& p) const override {
    if (is_first_four(p.what)) return true;
    if (race_of(p) == nullptr) return false;
    const bool words = p.type == item_type::u32;
    if (p.what == primitive::histogram) {
      return words && (p.function == bin_function::ranges || p.function == bin_function::callers);
    }
    if (p.what == primitive::group_by) return true;
    if (p.what == primitive::scan) return words || p.type == item_type::f64;
    if (p.what == primitive::partition) return words && p.asked.parts == 2;
    return words;
  }

  [[nodiscard]] std::uint64_t memory() const override {
    std::size_t free = 0;
    std::size_t all = 0;
    peneira::detail::check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
    return free;
  }

  double bandwidth(bool of_reading) override {
    double& found = of_reading ? read_ : copy_;
    if (found == 0) found = of_reading ? gpu_read_bandwidth(at_.timer) : gpu_copy_bandwidth(at_.timer);
    return found;
  }

 private:
  using race_on_gpu = outcome (*)(const problem&, gpu_place&);
  static race_on_gpu race_of(const problem& p) {
    static constexpr std::array<race_on_gpu, primitive_names.size()> races{race_sort_gpu,
                                                                           race_multisplit_gpu,
                                                                           race_segmented_reduce_gpu,
                                                                           race_reduce_gpu,
                                                                           race_group_by_gpu,
                                                                           race_histogram_gpu,
                                                                           race_runs_gpu,
                                                                           race_runs_gpu,
                                                                           race_top_k_gpu,
                                                                           race_segmented_sort_gpu,
                                                                           nullptr,
                                                                           nullptr,
                                                                           race_scan_gpu,
                                                                           race_partition_gpu,
                                                                           race_gather_gpu};
    return races[static_cast<std::size_t>(p.what)];
  }

  gpu_place at_;
  double copy_ = 0;
  double read_ = 0;
};

}  // namespace

std::unique_ptr<runner> gpu_runner(const bench_place& on) {
  return std::make_unique<gpu_races>(on);
}

}  // namespace peneira::bench::sweep
