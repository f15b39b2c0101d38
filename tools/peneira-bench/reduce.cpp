// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench reduce
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bench/reduce.hpp"
#include "tools/peneira-bench/bench.hpp"

namespace peneira::tool {
namespace {

struct reduce_bench_options : bench_options {
  std::vector<std::string> n{"128M"};
  std::vector<std::string> gpu_n{"1K", "4K", "16K", "64K", "128K", "256K", "512K", "1M",
                                 "2M", "4M", "16M", "32M", "64M",  "256M", "512M"};  ///< where none are given, on a GPU
  std::vector<std::string> types{"u32", "f32"};
  std::vector<std::string> ops{"sum", "max"};
  const CLI::Option* n_given = nullptr;
};

void bench_reduce(const reduce_bench_options& o) {
  run_bench(o, [&o](bool on_gpu, const bench::row_sink& sink) {
    bench::reduce_axes axes;
    o.set(axes, on_gpu);
    axes.n = parse_sizes("--n", on_gpu && o.n_given->count() == 0 ? o.gpu_n : o.n, 1);
    axes.types = o.types;
    axes.ops = o.ops;
#if defined(PENEIRA_BENCH_GPU)
    if (on_gpu) return bench::bench_reduce_gpu(axes, sink);
#endif
    return bench::bench_reduce_cpu(axes, sink);
  });
}

}  // namespace

void add_bench_reduce(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("reduce", "Combine n items into one");
  const auto o = std::make_shared<reduce_bench_options>();
  o->n_given = add_list(*sub, "--n", o->n, "Items (default on a GPU: 15 sizes from 1K to 512M)");
  add_list(*sub, "--type", o->types, "Types: " + std::string(bench::reduce_types));
  add_list(*sub, "--op", o->ops, "Operators: " + std::string(bench::reduce_ops));
  add_common(*sub, *o);
  sub->footer(
      "\n'% of read' holds the bytes of the items against the read bandwidth of the same run; 'x peer' is the rate "
      "over\n"
      "the best peer's on the same input: std::reduce(par_unseq), where TBB was found, and a loop with OpenMP's\n"
      "reduction; on a GPU, CUB's DeviceReduce, whose temporary memory, like ours, is taken beforehand, and for "
      "32-bit\n"
      "types thrust::reduce, which takes its own in every call. Sums of floats are held against sums in double "
      "precision.\n"
      "\nExamples:\n"
      "  peneira-bench reduce --threads 2\n"
      "  peneira-bench reduce --n 1K,1M,128M --type f32,f64 --op sum --strategy all\n"
      "  peneira-bench reduce --place gpu --json reduce.json");
  sub->callback([o] { bench_reduce(*o); });
}

}  // namespace peneira::tool
