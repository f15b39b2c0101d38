// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tools/peneira-bench/paper_measure.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bench/mpp_sort.hpp"
#include "bench/multisplit.hpp"
#include "bench/reduce.hpp"
#include "bench/segmented_reduce.hpp"
#include "bench/sort.hpp"
#include "bench/strings.hpp"
#include "tools/peneira-bench/tune.hpp"

namespace peneira::tool {
namespace {

class paper_bench {
 public:
  paper_bench(const paper_table& table, unsigned threads, std::uint64_t seed, const bench::row_sink& sink)
      : table_(table), threads_(threads), seed_(seed), sink_(sink) {}

  bool strings_cpu() {
    bench::strings_axes axes = strings_axes();
    axes.strategies = {"task_merge_quicksort", "auto"};
    axes.task_sizes = {100};
    bool right = true;
    for (const std::uint64_t threads : table_.threads) {
      axes.threads = static_cast<unsigned>(threads);
      right = bench::bench_strings_cpu(axes, keep()) && right;
    }
    return right;
  }

#if defined(PENEIRA_BENCH_GPU)
  bool multisplit() {
    auto axes = common<bench::multisplit_axes>();
    axes.bins = table_.bins;
    for (const std::string& input : table_.inputs) axes.distributions.push_back(bench::parse_distribution(input));
    axes.types = {"u32"};
    axes.orders = {order::any};  // all that the published strategies know
    axes.paper_limits = std::any_of(table_.strategies.begin(), table_.strategies.end(),
                                    [](const std::string& name) { return name.ends_with(bench::by_paper); });
    return bench::bench_multisplit_gpu(axes, keep());
  }

  bool reduce() {
    auto axes = common<bench::reduce_axes>();
    axes.types = {"u32"};
    axes.ops = {"max"};
    return bench::bench_reduce_gpu(axes, keep());
  }

  bool segmented_reduce() {
    auto axes = common<bench::segmented_reduce_axes>();
    axes.types = {"u32"};
    axes.ops = {"max"};
    axes.segments = table_.segments;
    for (const std::string& shape : table_.inputs) axes.shapes.push_back(bench::parse_segment_shape(shape));
    axes.strategies = {"best_reduce", "auto"};
    axes.paper_limits = has(table_.strategies, bench::best_reduce_by_paper);
    axes.slow_runs = axes.runs;
    return bench::bench_segmented_reduce_gpu(axes, keep());
  }

  /// What best_reduce chooses among, each for all segments, and what it makes of them.
  bool granularities() {
    const bool right = segmented_reduce();
    bench::row r;
    r.primitive = "segmented_reduce";
    r.place = "gpu";
    r.type = "u32";
    r.op = "max";
    r.distribution = table_.inputs.front();
    r.n = table_.n.front();
    r.bandwidth = "read";
    r.copy_bandwidth = bandwidth_;
    r.right = true;  // or tune_segmented_reduce had thrown
    tune_segmented_reduce({r.n, table_.runs, true}, [&](const granularity_row& one) {
      for (const granularity who : {by_warp, by_block, by_grid}) {
        if (one.seconds[who] == 0) continue;
        r.strategy = table_.strategies.at(who);
        r.segments = r.n / one.size;
        r.bytes = static_cast<double>(r.n + 2 * r.segments) * sizeof(std::uint32_t);
        r.set({one.seconds[who], 0, one.low[who], one.high[who], one.runs[who]});
        keep()(r);
      }
    });
    return right;
  }

  bool mpp_sort() {
    bench::mpp_sort_work work;
    work.input = table_.inputs.front();
    work.runs = table_.runs;
    work.seed = seed_;
    work.large_by_thrust = has(table_.strategies, bench::mpp_sort_and_thrust);
    bool right = true;
    for (const std::uint64_t n : table_.n) {
      for (const mpp_sort_limits& limits : table_.mpp) {
        work.n = n;
        work.limits = limits;
        right = bench::bench_mpp_sort_gpu(work, keep()).right && right;
      }
    }
    if (!has(table_.strategies, "auto")) return right;
    auto axes = common<bench::sort_axes>();
    axes.types = {"u32"};
    axes.values = {"none"};
    axes.inputs = table_.inputs;
    axes.orders = {order::any};
    axes.strategies = {"auto"};
    axes.peers = false;
    return bench::bench_sort_gpu(axes, keep()) && right;
  }

  bool strings_gpu() {
    bench::strings_axes axes = strings_axes();
    axes.strategies = {"doubling_merge", "auto"};
    axes.copies = has(table_.strategies, std::string("auto") + bench::with_copies);
    axes.sequential = has(table_.strategies, bench::sequential_quicksort);
    axes.block_threads = table_.threads;
    axes.merge_runs = axes.runs;
    return bench::bench_strings_gpu(axes, keep());
  }
#endif

 private:
  static bool has(const std::vector<std::string>& list, const std::string& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  }

  template <class Axes>
  [[nodiscard]] Axes common() const {
    Axes axes;
    axes.n = table_.n;
    for (const std::string& name : table_.strategies) {
      if (!name.ends_with(bench::by_paper)) axes.strategies.push_back(name);
    }
    axes.peers = !table_.peers.empty();
    axes.threads = threads_;
    axes.runs = table_.runs;
    axes.seed = seed_;
    return axes;
  }
  [[nodiscard]] bench::strings_axes strings_axes() const {
    auto axes = common<bench::strings_axes>();
    axes.inputs = table_.inputs;
    axes.merge_items = table_.merge_items;
    return axes;
  }

  /// Takes the knob out of a name such as doubling_merge(32), and returns it; 0 where there is none.
  static unsigned take_knob(std::string& name) {
    const std::size_t open = name.find('(');
    const std::size_t close = open == std::string::npos ? open : name.find_first_not_of("0123456789", open + 1);
    if (close == std::string::npos || close == open + 1 || name[close] != ')') return 0;
    const auto knob = static_cast<unsigned>(std::stoul(name.substr(open + 1)));
    name.erase(open, close + 1 - open);
    return knob;
  }

  /// Hands on the rows that the table has, with their place in the paper. "doubling_merge(32)" is doubling_merge with
  /// 32 threads a block; the CPU's rows know their threads, but beside a GPU's, where columns are for blocks.
  bench::row_sink keep() {
    return [this](bench::row r) {
      bandwidth_ = r.copy_bandwidth;
      const unsigned knob = take_knob(r.strategy);
      if (table_.by == measured_by::strings_gpu) r.threads = knob;
      if (!has(table_.strategies, r.strategy) && !has(table_.peers, r.strategy)) return;
      r.published.paper = table_.layout.paper;
      r.published.table = table_.layout.table;
      r.published.part = table_.layout.part;
      sink_(r);
    };
  }

  const paper_table& table_;
  unsigned threads_;
  std::uint64_t seed_;
  const bench::row_sink& sink_;
  double bandwidth_ = 0;  ///< of the last row
};

}  // namespace

bool measure_paper_table(const paper_table& table, unsigned threads, std::uint64_t seed, const bench::row_sink& sink) {
  paper_bench one(table, threads, seed, sink);
  switch (table.by) {
    case measured_by::nobody:
      return true;
    case measured_by::strings_cpu:
      return one.strings_cpu();
#if defined(PENEIRA_BENCH_GPU)
    case measured_by::multisplit:
      return one.multisplit();
    case measured_by::reduce:
      return one.reduce();
    case measured_by::segmented_reduce:
      return one.segmented_reduce();
    case measured_by::granularity:
      return one.granularities();
    case measured_by::mpp_sort:
      return one.mpp_sort();
    case measured_by::strings_gpu:
      return one.strings_gpu();
#else
    default:
      throw std::logic_error("measure_paper_table: this program was built without CUDA");
#endif
  }
  return true;
}

}  // namespace peneira::tool
