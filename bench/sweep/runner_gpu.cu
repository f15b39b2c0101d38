// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/peers_reduce_gpu.cuh"
#include "bench/sweep/gpu_place.cuh"
#include "bench/sweep/runner.hpp"

namespace peneira::bench::sweep {
namespace {

class gpu_races : public runner {
 public:
  explicit gpu_races(const bench_place& on) : at_(on) {}

  outcome run(const problem& p) override {
    switch (p.what) {
      case primitive::sort:
        return race_sort_gpu(p, at_);
      case primitive::multisplit:
        return race_multisplit_gpu(p, at_);
      case primitive::segmented_reduce:
        return race_segmented_reduce_gpu(p, at_);
      case primitive::reduce:
        break;
    }
    return race_reduce_gpu(p, at_);
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
  gpu_place at_;
  double copy_ = 0;
  double read_ = 0;
};

}  // namespace

std::unique_ptr<runner> gpu_runner(const bench_place& on) {
  return std::make_unique<gpu_races>(on);
}

}  // namespace peneira::bench::sweep
