// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What measures the problems of a sweep at one place.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/sweep/race.hpp"

namespace peneira::bench::sweep {

class runner {
 public:
  runner() = default;
  runner(const runner&) = delete;
  runner& operator=(const runner&) = delete;
  virtual ~runner() = default;

  /// Whether the place has the problem's call.
  [[nodiscard]] virtual bool can_run(const problem& p) const = 0;
  /// Measures one problem.
  virtual outcome run(const problem& p) = 0;
  /// Bytes that are free for a problem.
  [[nodiscard]] virtual std::uint64_t memory() const = 0;
  /// Bytes a second of a copy, or of reading; measured when first asked for.
  virtual double bandwidth(bool of_reading) = 0;
};

std::unique_ptr<runner> cpu_runner(const bench_place& on);
/// Throws std::runtime_error where there is no GPU.
std::unique_ptr<runner> gpu_runner(const bench_place& on);

/// Whether the roofline of a problem is that of reading.
inline bool only_reads(const problem& p) {
  return p.what == primitive::reduce || p.what == primitive::segmented_reduce || p.what == primitive::histogram;
}

/// A measured problem as a row of a result file.
row row_of(const problem& p, const outcome& found, bool on_gpu, unsigned threads, double bandwidth);
/// A problem that somebody chose: a row of each peer, then ours.
std::vector<row> rows_of(const problem& p, const outcome& found, bool on_gpu, unsigned threads, double bandwidth);

}  // namespace peneira::bench::sweep
