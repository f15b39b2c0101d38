// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira bench segmented_reduce
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/segmented_reduce.hpp"
#include "tools/peneira/bench.hpp"
#include "tools/peneira/errors.hpp"

namespace peneira::tool {
namespace {

struct segmented_bench_options : bench_options {
  std::vector<std::string> n{"32M"};
  std::vector<std::string> segments{"2", "64", "64K", "1M", "4M", "16M"};
  std::vector<std::string> shapes{"equal", "normal", "exponential", "giant", "every"};
  std::vector<std::string> types{"f32"};
  std::vector<std::string> ops{"sum"};
};

void bench_segmented_reduce(const segmented_bench_options& o) {
  run_bench(o, [&o](bool on_gpu, const bench::row_sink& sink) {
    bench::segmented_reduce_axes axes;
    o.set(axes, on_gpu);
    axes.n = parse_sizes("--n", o.n, 1);
    for (const std::uint64_t n : axes.n) {
      if (n > std::numeric_limits<std::uint32_t>::max()) {
        throw usage_error(fmt::format("--n: must be at most 4294967295 for offsets of 32 bits, but is {}", n));
      }
    }
    axes.segments = parse_sizes("--segments", o.segments, 1);
    for (const std::string& shape : o.shapes) axes.shapes.push_back(bench::parse_segment_shape(shape));
    axes.types = o.types;
    axes.ops = o.ops;
#if defined(PENEIRA_WITH_CUDA)
    if (on_gpu) return bench::bench_segmented_reduce_gpu(axes, sink);
#endif
    return bench::bench_segmented_reduce_cpu(axes, sink);
  });
}

}  // namespace

void add_bench_segmented_reduce(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("segmented_reduce", "Combine the items of each of many segments");
  const auto o = std::make_shared<segmented_bench_options>();
  add_list(*sub, "--n", o->n, "Items");
  add_list(*sub, "--segments", o->segments, "Segments");
  add_list(*sub, "--shape", o->shapes, "Sizes of the segments: equal, normal, exponential, giant, every");
  add_list(*sub, "--type", o->types, "Types: " + std::string(bench::reduce_types));
  add_list(*sub, "--op", o->ops, "Operators: " + std::string(bench::reduce_ops));
  add_common(*sub, *o);
  sub->footer(
      "\nShapes: equal; normal (mean t, deviation t / 2); exponential (lambda 4); giant (half of the items in one\n"
      "segment, the others alike); every (one size, said without offsets). Offsets have 32 bits.\n"
      "\n'% of read' holds the least bytes that must move (items, offsets and results) against the read bandwidth of "
      "the\n"
      "same run; 'x peer' is the rate over the best peer's on the same segments: a loop over them with OpenMP, dealt "
      "out\n"
      "beforehand or in chunks. 'one reduce of all items' is the same input without segments.\n"
      "\nExamples:\n"
      "  peneira bench segmented_reduce --threads 2\n"
      "  peneira bench segmented_reduce --segments 1M,16M --shape equal,giant --type u32,f64 --op max\n"
      "  peneira bench segmented_reduce --place gpu --json segmented_reduce.json");
  sub->callback([o] { bench_segmented_reduce(*o); });
}

}  // namespace peneira::tool
