// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira-bench/tune.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "bench/gpu_harness.cuh"
#include "peneira/hash.hpp"
#include "peneira/segmented_reduce/published.hpp"
#include "peneira/segmented_reduce/reference.hpp"

namespace peneira::tool {
namespace {

using u32 = std::uint32_t;

/// Limits that leave every segment with items to one granularity.
best_reduce_limits all_to(granularity who) {
  constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
  switch (who) {
    case by_warp:
      return {all, all};
    case by_block:
      return {1, all};
    case by_grid:
      return {1, 1};
  }
  return {};
}

}  // namespace

void tune_segmented_reduce(const tune_axes& axes, const granularity_sink& sink) {
  // So many times slower than the best, and slower than for longer segments: not measured any more for shorter ones.
  constexpr double hopeless = 20;
  constexpr double patience = 1;  // seconds for the runs of a measurement, judged by longer segments
  std::vector<u32> numbers(axes.n);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<u32>(pn::mix64(i));
  bench::device_array<u32> in(numbers.size());
  in.from_host(numbers.data());
  bench::gpu_timer timer;
  const gpu on{.stream = timer.stream()};

  std::array<bool, 3> measured{true, true, true};
  std::array<double, 3> before{};  // the seconds for longer segments
  for (std::size_t count = 2; count <= numbers.size() / 2; count *= 2) {
    granularity_row row;
    row.size = numbers.size() / count;
    std::vector<u32> offsets(count + 1);
    for (std::size_t s = 0; s <= count; ++s) offsets[s] = static_cast<u32>(s * row.size);
    std::vector<u32> wanted(count);
    reference::segmented_reduce(numbers.data(), pn::detail::offset_segments<u32>{offsets.data()}, count, wanted.data(),
                                max{});
    bench::device_array<u32> table(offsets.size());
    table.from_host(offsets.data());
    bench::device_array<u32> out(count);
    for (const granularity who : {by_warp, by_block, by_grid}) {
      if (!measured[who]) continue;
      out.poison();
      const double all_runs = before[who] * static_cast<double>(axes.runs);
      const auto runs = all_runs <= patience ? axes.runs : static_cast<std::size_t>(patience / before[who]);
      const bench::timing timed = timer.time(std::max<std::size_t>(runs, 1), [&] {
        published::segmented_reduce(on, items(static_cast<const u32*>(in.data()), in.size()),
                                    items(static_cast<const u32*>(table.data()), table.size()),
                                    items(out.data(), out.size()), max{},
                                    {.grouping = order::any, .strategy = "best_reduce"}, all_to(who));
      });
      row.seconds[who] = timed.seconds;
      row.low[who] = timed.low;
      row.high[who] = timed.high;
      row.runs[who] = timed.runs;
      std::vector<u32> got(count);
      out.to_host(got.data());
      if (got != wanted) {
        throw std::runtime_error("best_reduce gave wrong results for segments of " + std::to_string(row.size) +
                                 " items");
      }
    }
    const double best = row.seconds[row.fastest()];
    for (const granularity who : {by_warp, by_block, by_grid}) {
      const bool worse = who != by_warp && before[who] != 0 && row.seconds[who] > before[who];
      if (!axes.all_sizes && worse && row.seconds[who] > hopeless * best) measured[who] = false;
      before[who] = row.seconds[who];
    }
    sink(row);
  }
}

}  // namespace peneira::tool
