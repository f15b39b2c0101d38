// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The benchmark of segmented_reduce: its axes, and what the CPU's and the GPU's half have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/reduce.hpp"
#include "bench/segments.hpp"
#include "peneira/segmented_reduce.hpp"

namespace peneira::bench {

/// One row for each combination. Offsets have 32 bits.
struct segmented_reduce_axes : reduce_axes {
  std::vector<std::uint64_t> segments;
  std::vector<segment_shape> shapes;
  std::size_t slow_runs = 7;  ///< at most, of a peer that takes long
  bool paper_limits = false;  ///< on a GPU: best_reduce with the limits of its paper, too
};

/// The row of best_reduce with the limits of its paper.
inline constexpr const char* best_reduce_by_paper = "best_reduce (the paper's limits)";

/// Measures on the CPU; returns whether every output was right.
bool bench_segmented_reduce_cpu(const segmented_reduce_axes& axes, const row_sink& sink);
/// Measures on the GPU; throws std::runtime_error where there is none.
bool bench_segmented_reduce_gpu(const segmented_reduce_axes& axes, const row_sink& sink);

/// What each segment should give.
template <class T, class Op>
class segments_answer {
 public:
  segments_answer(const T* items, const std::vector<std::uint32_t>& offsets, unsigned threads)
      : offsets_(offsets), threads_(threads), wanted_(offsets.size() - 1) {
    each([&](std::size_t s, unsigned /*member*/) {
      wanted_[s] = reduce_answer<T, Op>::of(items, offsets_[s], offsets_[s + 1]);
    });
  }
  /// Whether all results are right, where told so in any grouping.
  [[nodiscard]] bool accepts(const T* results, bool any_grouping = false) const {
    using answer = reduce_answer<T, Op>;
    const auto is_right = any_grouping ? answer::accepts_any : answer::accepts;
    std::vector<char> wrong(threads_);
    each([&](std::size_t s, unsigned m) {
      if (!is_right(results[s], wanted_[s], offsets_[s + 1] - offsets_[s])) wrong[m] = 1;
    });
    return wrong == std::vector<char>(threads_);
  }

 private:
  template <class F>
  void each(F&& f) const {
    peneira::detail::on_each(threads_, [&](unsigned m) {
      const auto [begin, end] = peneira::detail::slice(wanted_.size(), m, threads_);
      for (std::size_t s = begin; s < end; ++s) f(s, m);
    });
  }

  const std::vector<std::uint32_t>& offsets_;
  unsigned threads_;
  std::vector<typename reduce_answer<T, Op>::type> wanted_;
};

/// The size of segments that every{} makes of n items, about `segments` of them.
inline std::size_t size_for(std::size_t n, std::uint64_t segments) {
  return std::max<std::size_t>(1, (n + segments - 1) / segments);
}

/// A row with all that does not depend on the measurement.
inline row describe(const segmented_reduce_axes& axes, const std::string& type, std::size_t item_bytes, std::size_t n,
                    const std::string& op, segment_shape shape, std::uint64_t segments) {
  row r = describe(axes, type, item_bytes, n, op);
  r.primitive = "segmented_reduce";
  r.distribution = name_of(shape);
  r.segments = segments;
  const std::size_t offset_bytes = shape == segment_shape::every ? 0 : sizeof(std::uint32_t);
  r.bytes += static_cast<double>(segments) * static_cast<double>(item_bytes + offset_bytes);
  return r;
}

}  // namespace peneira::bench
