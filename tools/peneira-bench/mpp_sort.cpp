// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench sort --strategy mpp_sort --kernels: the two tables of the report on CUDA-mppSort.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/mpp_sort.hpp"
#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira/cli/errors.hpp"
#include "tools/peneira/cli/write.hpp"

namespace peneira::tool {

void bench_mpp_sort(const bench_options& options, const bench::mpp_sort_work& work) {
  if (options.strategies != std::vector<std::string>{"mpp_sort"}) {
    throw usage_error("--kernels: needs --strategy mpp_sort");
  }
  bench::mpp_sort_tables tables;
  run_bench(options, [&](bool on_gpu, const bench::row_sink& sink) {
#if defined(PENEIRA_BENCH_GPU)
    if (!on_gpu) throw usage_error("--kernels: mpp_sort runs on a GPU only");
    tables = bench::bench_mpp_sort_gpu(work, sink);
#else
    static_cast<void>(on_gpu);
    static_cast<void>(sink);
    throw usage_error("--kernels: mpp_sort runs on a GPU, and this program was built without CUDA");
#endif
    return tables.right;
  });

  const auto line = [](const std::string& name, const bench::mean_time& time) {
    return fmt::format("{:<34} {:>10.2f} {:>8.2f}", name, 1e6 * time.mean, 1e6 * time.half_interval);
  };
  std::string text =
      fmt::format("\n{} u32 keys, {}, in {} partitions; means of {} runs, with half of their 95% interval\n", work.n,
                  work.input, tables.partitions, work.runs);
  if (tables.rounds > 1) text += fmt::format("(each kernel in {} rounds together)\n", tables.rounds);
  text += fmt::format("\nTable 1\n{:<34} {:>10} {:>8}\n", "kernel", "us", "+-");
  for (const bench::kernel_time& k : tables.kernels) {
    text += line(k.kernel == "find_range" ? "find_range (not in the report)" : k.kernel, k.time) + "\n";
  }
  text += line("all but find_range", tables.published) + "\n";

  text += fmt::format("\nTable 2\n{:<34} {:>10} {:>8} {:>12} {:>9}\n", "algorithm", "us", "+-", "G items/s", "speedup");
  const auto compared = [&](const std::string& name, const bench::mean_time& time) {
    text += line(name, time) + fmt::format(" {:>12.3f} {:>8.2f}x\n", static_cast<double>(work.n) / time.mean / 1e9,
                                           tables.thrust.mean / time.mean);
  };
  compared("thrust::sort", tables.thrust);
  compared("mpp_sort, all but find_range", tables.published);
  compared("mpp_sort, the whole call", tables.whole);
  if (work.large_by_thrust) compared("mpp_sort and thrust::sort", tables.by_thrust);
  write_stdout(text);
}

}  // namespace peneira::tool
