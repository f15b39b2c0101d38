// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <array>

#include "bench/sweep/races.hpp"
#include "bench/sweep/runner.hpp"

namespace peneira::bench::sweep {
namespace {

class cpu_races : public runner {
 public:
  explicit cpu_races(const bench_place& on) : on_(on) {}

  outcome run(const problem& p) override {
    switch (p.what) {
      case primitive::sort:
        return race_sort_cpu(p, on_);
      case primitive::multisplit:
        return race_multisplit_cpu(p, on_);
      case primitive::segmented_reduce:
        return race_segmented_reduce_cpu(p, on_);
      case primitive::reduce:
        break;
    }
    return race_reduce_cpu(p, on_);
  }

  /// Half of what the machine has: what is free at the moment would make the choice of problems one of chance.
  [[nodiscard]] std::uint64_t memory() const override {
    return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) /
           2;
  }

  double bandwidth(bool of_reading) override {
    double& found = bandwidths_[of_reading ? 1 : 0];
    if (found == 0) found = of_reading ? cpu_read_bandwidth(on_.threads) : cpu_copy_bandwidth(on_.threads);
    return found;
  }

 private:
  bench_place on_;
  std::array<double, 2> bandwidths_{};
};

}  // namespace

std::unique_ptr<runner> cpu_runner(const bench_place& on) {
  return std::make_unique<cpu_races>(on);
}

row row_of(const problem& p, const outcome& found, bool on_gpu, unsigned threads, double bandwidth) {
  row r;
  r.primitive = name_in(primitive_names, p.what);
  r.place = on_gpu ? "gpu" : "cpu";
  r.strategy = "auto";
  r.chosen = found.chosen;
  r.type = name_in(item_type_names, p.type);
  r.distribution = describe(p.keys);
  r.n = p.n;
  if (p.what == primitive::multisplit || p.has_pairs()) r.order = p.equal == order::any ? "any" : "stable";
  r.bins = p.bins;
  r.segments = p.segments.count;
  if (only_reads(p)) r.op = name_in(reduction_names, p.op);
  r.threads = on_gpu ? 0 : threads;
  r.bytes = found.bytes;
  r.copy_bandwidth = bandwidth;
  r.bandwidth = only_reads(p) ? "read" : "copy";
  r.temporary_bytes = found.temporary_bytes;
  r.right = found.right;
  r.set(found.ours);
  r.drawn = {bar_of(p, on_gpu), describe(p), p.seed, p.index, found.best_peer, found.peer.seconds};
  return r;
}

}  // namespace peneira::bench::sweep
