// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench multisplit
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/multisplit.hpp"
#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira-bench/quoted.hpp"

namespace peneira::tool {
namespace {

struct multisplit_bench_options : bench_options {
  std::vector<std::string> n{"64M"};
  std::vector<std::string> bins{"2", "16", "256", "1024", "4096", "12288"};
  std::vector<std::string> distributions{"uniform"};
  std::vector<std::string> types{"u32"};
  std::vector<std::string> orders{"stable"};
  std::string quoted;
  bool callers = false;
};

bench::multisplit_axes axes_of(const multisplit_bench_options& o, bool on_gpu) {
  bench::multisplit_axes axes;
  o.set(axes, on_gpu);
  axes.n = parse_sizes("--n", o.n, 0);
  axes.bins = parse_sizes("--bins", o.bins, 1);
  for (const std::string& d : o.distributions) axes.distributions.push_back(bench::parse_distribution(d));
  axes.types = o.types;
  axes.callers = o.callers;
  for (const std::string& w : o.orders) axes.orders.push_back(w == "any" ? order::any : order::stable);
  return axes;
}

/// Adds what others measured of the same work.
void quote(const std::string& path, const bench::multisplit_axes& axes, const bench::row_sink& sink) {
  const auto has = [](const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  };
  for (bench::row& r : read_quoted(path)) {
    r.primitive = "multisplit";
    r.place = "gpu";
    r.order = axes.orders.front() == order::stable ? "stable" : "any";  // beside our rows
    if (has(axes.n, r.n) && has(axes.bins, r.bins) && has(axes.types, r.type) &&
        has(axes.distributions, bench::parse_distribution(r.distribution))) {
      sink(r);
    }
  }
}

void bench_multisplit(const multisplit_bench_options& o) {
  run_bench(o, [&o](bool on_gpu, const bench::row_sink& sink) {
    const bench::multisplit_axes axes = axes_of(o, on_gpu);
#if defined(PENEIRA_BENCH_GPU)
    const bool right = on_gpu ? bench::bench_multisplit_gpu(axes, sink) : bench::bench_multisplit_cpu(axes, sink);
#else
    const bool right = bench::bench_multisplit_cpu(axes, sink);
#endif
    if (!o.quoted.empty() && on_gpu) quote(o.quoted, axes, sink);
    return right;
  });
}

}  // namespace

void add_bench_multisplit(CLI::App& bench) {
  CLI::App* const sub = bench.add_subcommand("multisplit", "Partition n items into bins");
  const auto o = std::make_shared<multisplit_bench_options>();
  add_list(*sub, "--n", o->n, "Items");
  add_list(*sub, "--bins", o->bins, "Bins");
  add_list(*sub, "--dist", o->distributions, fmt::format("Inputs: {}", fmt::join(bench::distribution_names, ", ")));
  add_list(*sub, "--type", o->types, "Types: " + std::string(bench::multisplit_types));
  add_list(*sub, "--order", o->orders, "Order within a bin: stable, any")->check(CLI::IsMember({"stable", "any"}));
  add_common(*sub, *o);
  sub->add_flag("--callers", o->callers, "Of u32, also split by the same function as a caller would write it");
  sub->add_option("--quoted", o->quoted, "On a GPU, add figures of others from this file, such as bench/quoted/*.csv");
  sub->footer(
      "\n'% of copy' holds the least bytes that the work must move (each item read twice and written once) against "
      "the\n"
      "copy bandwidth of the same run; 'x peer' is the rate over the best peer's on the same input.\n"
      "\nExamples:\n"
      "  peneira-bench multisplit --n 128M --threads 2\n"
      "  peneira-bench multisplit --n 1M,64M --bins 2,256,361 --dist uniform,zipf --type u32,u64 --strategy all\n"
      "  peneira-bench multisplit --place gpu --order stable,any --json multisplit.json");
  sub->callback([o] { bench_multisplit(*o); });
}

}  // namespace peneira::tool
