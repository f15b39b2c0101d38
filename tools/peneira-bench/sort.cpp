// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench sort
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bench/sort.hpp"
#include "tools/peneira-bench/bench.hpp"

namespace peneira::tool {
namespace {

struct sort_bench_options : bench_options {
  std::vector<std::string> n{"128M"};
  std::vector<std::string> gpu_n{"10000", "64K", "1M", "16M", "256M"};  ///< where none are given, on a GPU
  std::vector<std::string> types{"u32"};
  std::vector<std::string> values{"none"};
  std::vector<std::string> inputs{"uniform", "zipf", "sorted"};
  std::vector<std::string> orders{"stable"};
  std::vector<std::string> only_peers;
  bool out_of_place = false;
  const CLI::Option* n_given = nullptr;
  bool kernels = false;
  mpp_sort_limits limits{.partitions = 16};
};

void bench_sort(const sort_bench_options& o) {
  for (const std::string& input : o.inputs) bench::check_sort_input(input);
  run_bench(o, [&o](bool on_gpu, const bench::row_sink& sink) {
    bench::sort_axes axes;
    o.set(axes, on_gpu);
    axes.n = parse_sizes("--n", on_gpu && o.n_given->count() == 0 ? o.gpu_n : o.n, 1);
    axes.types = o.types;
    axes.values = o.values;
    axes.inputs = o.inputs;
    axes.only_peers = o.only_peers;
    axes.in_place = !o.out_of_place && !on_gpu;
    for (const std::string& name : o.orders) axes.orders.push_back(name == "any" ? order::any : order::stable);
#if defined(PENEIRA_BENCH_GPU)
    if (on_gpu) return bench::bench_sort_gpu(axes, sink);
#endif
    return bench::bench_sort_cpu(axes, sink);
  });
}

/// What --kernels measures: without --n, what the report does.
void bench_kernels(const sort_bench_options& o, bool n_given) {
  bench::mpp_sort_work work;
  if (n_given) work.n = parse_sizes("--n", o.n, 1).front();
  work.limits = o.limits;
  work.large_by_thrust = true;
  bench::check_sort_input(o.inputs.front());
  work.input = o.inputs.front();
  if (o.runs != 0) work.runs = o.runs;
  work.seed = o.seed;
  bench_mpp_sort(o, work);
}

}  // namespace

void add_bench_sort(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("sort", "Sort n keys, or pairs by their keys");
  const auto o = std::make_shared<sort_bench_options>();
  o->n_given = add_list(*sub, "--n", o->n, "Items (default on a GPU: 10000, 64K, 1M, 16M, 256M)");
  add_list(*sub, "--type", o->types, "Types of keys: u32, u64, and on a CPU f32");
  add_list(*sub, "--pairs", o->values, "Types of the values beside them: " + std::string(bench::sort_types));
  add_list(*sub, "--input", o->inputs, "Inputs: " + bench::all_sort_inputs());
  add_list(*sub, "--order", o->orders, "Order of pairs with equal keys: stable, any")
      ->check(CLI::IsMember({"stable", "any"}));
  add_list(*sub, "--peers", o->only_peers, "On a CPU: only peers whose names contain one of these, such as ips4o");
  sub->add_flag("--out-of-place", o->out_of_place, "On a CPU: sort to another array, not in place as the peers do");
  sub->add_flag(
      "--kernels", o->kernels,
      "With --strategy mpp_sort: the time of each of its kernels for u32 keys, and thrust::sort beside it; of the "
      "first --n and --input; without --n 10000 keys, without --runs 100 runs");
  sub->add_option("--partitions", o->limits.partitions, "With --kernels: partitions; 0: as many as needed to fit")
      ->capture_default_str();
  sub->add_option("--blocks", o->limits.blocks,
                  "With --kernels: blocks that sort a partition each at a step; 0: two a multiprocessor")
      ->capture_default_str();
  sub->add_option("--run-items", o->limits.run_items,
                  "With --kernels: items of the sorted runs that are merged, a power of two; 0: no merge")
      ->capture_default_str();
  add_common(*sub, *o);
  sub->footer(
      "\n'% of copy' holds one read and one write of each item against the copy bandwidth of the same run; 'x peer' "
      "is\n"
      "the rate over the best peer's on the same input: std::sort(par_unseq) and tbb::parallel_sort, where TBB was\n"
      "found, __gnu_parallel::sort, and ips4o, where its headers were. They sort in place, pairs as records, in any\n"
      "order of equal keys. On a GPU: CUB's DeviceRadixSort, out of place as ours and stable, its temporary memory, "
      "like\n"
      "ours, taken beforehand; for up to 64K u32 keys also thrust::sort, which takes its own in every call.\n"
      "\nExamples:\n"
      "  peneira-bench sort --n 128M --type u32 --threads 2 --peers ips4o,tbb\n"
      "  peneira-bench sort --n 64M --type u64 --pairs u64 --input uniform,zipf,few --order stable,any\n"
      "  peneira-bench sort --n 64M --type u64 --input entropy0.544,low8,organ --json sort.json\n"
      "  peneira-bench sort --strategy mpp_sort --kernels");
  sub->callback([o, sub] { o->kernels ? bench_kernels(*o, sub->count("--n") != 0) : bench_sort(*o); });
}

}  // namespace peneira::tool
