// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench segmented_reduce
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "bench/segmented_reduce.hpp"
#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira-bench/quoted.hpp"
#include "tools/peneira/cli/errors.hpp"

namespace peneira::tool {
namespace {

struct segmented_bench_options : bench_options {
  std::vector<std::string> n{"32M"};
  std::vector<std::string> segments{"2", "64", "64K", "1M", "4M", "16M"};
  std::vector<std::string> shapes{"equal", "normal", "exponential", "giant", "every"};
  std::vector<std::string> types{"f32"};
  std::vector<std::string> ops{"sum"};
  std::string quoted;
  const CLI::Option* segments_given = nullptr;
  const CLI::Option* types_given = nullptr;
  const CLI::Option* ops_given = nullptr;
};

/// Segments where none are given, on a GPU: the papers' powers of two.
std::vector<std::uint64_t> gpu_segments() {
  std::vector<std::uint64_t> powers;
  for (std::uint64_t segments = 2; segments <= std::uint64_t{16} << 20U; segments *= 2) powers.push_back(segments);
  return powers;
}

/// Adds what others measured of the same work.
void quote(const std::string& path, const bench::segmented_reduce_axes& axes, const bench::row_sink& sink) {
  const auto has = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  for (bench::row& r : read_quoted(path)) {
    r.primitive = "segmented_reduce";
    r.place = "gpu";
    r.bandwidth = "read";
    if (has(axes.n, r.n) && has(axes.segments, r.segments) && has(axes.types, r.type) && has(axes.ops, r.op) &&
        has(axes.shapes, bench::parse_segment_shape(r.distribution))) {
      sink(r);
    }
  }
}

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
    if (on_gpu) {
      if (o.segments_given->count() == 0) axes.segments = gpu_segments();
      if (o.types_given->count() == 0) axes.types = {"u32"};
      if (o.ops_given->count() == 0) axes.ops = {"max"};
    }
#if defined(PENEIRA_BENCH_GPU)
    const bool right =
        on_gpu ? bench::bench_segmented_reduce_gpu(axes, sink) : bench::bench_segmented_reduce_cpu(axes, sink);
#else
    const bool right = bench::bench_segmented_reduce_cpu(axes, sink);
#endif
    if (!o.quoted.empty() && on_gpu) quote(o.quoted, axes, sink);
    return right;
  });
}

}  // namespace

void add_bench_segmented_reduce(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("segmented_reduce", "Combine the items of each of many segments");
  const auto o = std::make_shared<segmented_bench_options>();
  add_list(*sub, "--n", o->n, "Items");
  o->segments_given =
      add_list(*sub, "--segments", o->segments, "Segments (default on a GPU: all powers of two from 2 to 16M)");
  add_list(*sub, "--shape", o->shapes, "Sizes of the segments: equal, normal, exponential, giant, every");
  o->types_given =
      add_list(*sub, "--type", o->types, "Types: " + std::string(bench::reduce_types) + " (default on a GPU: u32)");
  o->ops_given =
      add_list(*sub, "--op", o->ops, "Operators: " + std::string(bench::reduce_ops) + " (default on a GPU: max)");
  add_common(*sub, *o);
  sub->add_option("--quoted", o->quoted, "On a GPU, add figures of others from this file, such as bench/quoted/*.csv");
  sub->footer(
      "\nShapes: equal; normal (mean t, deviation t / 2); exponential (lambda 4); giant (half of the items in one\n"
      "segment, the others alike); every (one size, said without offsets). Offsets have 32 bits.\n"
      "\n'% of read' holds the least bytes that must move (items, offsets and results) against the read bandwidth of "
      "the\n"
      "same run; 'x peer' is the rate over the best peer's on the same segments: a loop over them with OpenMP, dealt "
      "out\n"
      "beforehand or in chunks; on a GPU CUB's DeviceSegmentedReduce, for 32-bit types thrust::reduce_by_key, which "
      "takes\n"
      "its memory in every call, and CUB's reduce without segments, as a bar. 'one reduce of all items' is ours "
      "without "
      "them.\n"
      "\nExamples:\n"
      "  peneira-bench segmented_reduce --threads 2\n"
      "  peneira-bench segmented_reduce --segments 1M,16M --shape equal,giant --type u32,f64 --op max\n"
      "  peneira-bench segmented_reduce --place gpu --json segmented_reduce.json");
  sub->callback([o] { bench_segmented_reduce(*o); });
}

}  // namespace peneira::tool
