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
    using race_of = outcome (*)(const problem&, const bench_place&);
    static constexpr std::array<race_of, primitive_names.size()> races{
        race_sort_cpu,           race_multisplit_cpu,   race_segmented_reduce_cpu,
        race_reduce_cpu,         race_group_by_cpu,     race_histogram_cpu,
        race_runs_cpu,           race_runs_cpu,         race_top_k_cpu,
        race_segmented_sort_cpu, race_sort_records_cpu, race_sort_columns_cpu,
        race_scan_cpu,           race_partition_cpu,    race_gather_cpu};
    return races[static_cast<std::size_t>(p.what)](p, on_);
  }
  [[nodiscard]] bool can_run(const problem& p) const override { return is_compiled_for_cpu(p); }

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
  if (p.what == primitive::multisplit || p.what == primitive::partition || p.has_pairs())
    r.order = p.equal == order::any ? "any" : "stable";
  r.bins = p.bins;
  r.segments = p.segments.count;
  if (only_reads(p) || p.what == primitive::scan) r.op = name_in(reduction_names, p.op);
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

std::vector<row> rows_of(const problem& p, const outcome& found, bool on_gpu, unsigned threads, double bandwidth) {
  std::vector<row> rows;
  row r = row_of(p, found, on_gpu, threads, bandwidth);
  r.drawn = {};
  for (const auto& [name, timed] : found.all) {
    const bool ours = &timed == &found.all.back().second;
    row one = r;
    one.strategy = ours ? "auto" : name;
    one.peer = !ours;
    one.right = !ours || found.right;
    if (!ours) {
      one.chosen.clear();
      one.temporary_bytes = 0;
    }
    one.set(timed);
    rows.push_back(one);
  }
  return rows;
}

}  // namespace peneira::bench::sweep
