// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// peneira-bench group_by, histogram, ...: the calls that the sweep draws, on problems that one chooses; the same peers,
// the same checks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sweep/runner.hpp"
#include "tools/peneira-bench/bench.hpp"
#include "tools/peneira/cli/errors.hpp"

namespace peneira::tool {
namespace {

namespace sweep = bench::sweep;
using sweep::primitive;

/// A call, and what its rows vary besides the number of items and how these are spread.
struct call_bench {
  primitive what;
  const char* types;  ///< those of which there are rows, the first by default
  const char* size;   ///< an option, with its default; none: the call has no such number
  const char* sizes;
  const char* help;
  bool any_order;  ///< whether there are two orders
};

constexpr std::array benches{
    call_bench{primitive::group_by, "u32+f32,u64+u64", "--groups", "1000,1000000", "Different keys", true},
    call_bench{primitive::histogram, "u32,u64", "--bins", "16,256,4096,65536", "Bins, equal ranges", false},
    call_bench{primitive::unique, "u32,u64", "--values", "1000000", "Different values of the sorted items", false},
    call_bench{primitive::run_lengths, "u32,u64", "--values", "1000000", "Different values of the sorted items", false},
    call_bench{primitive::top_k, "u32,f32,u64+u64", "--k", "10,1000", "The greatest so many, sorted", false},
    call_bench{primitive::segmented_sort, "u32,u64+u64", "--segments", "64,4K", "Segments", false},
    call_bench{primitive::sort_records, "u64", "--bytes", "16,32,64", "Bytes of a record, 16, 32 or 64", false},
    call_bench{primitive::sort_columns, "u32", nullptr, "0", nullptr, false},
    call_bench{primitive::scan, "u32,f64,f32", nullptr, "0", nullptr, false},
    call_bench{primitive::partition, "u32,u64+u64", "--parts", "2", "Parts, 2 or 3", true},
    call_bench{primitive::gather, "u32,u64", nullptr, "0", nullptr, false},
};

struct call_options : bench_options {
  std::vector<std::string> n{"16M"};
  std::vector<std::string> types;
  std::vector<std::string> sizes;
  std::vector<std::string> inputs{"uniform"};
  std::vector<std::string> orders{"stable"};
};

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    words.emplace_back(list.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// The place of a name in a list.
template <class E, std::size_t N>
E find_name(const std::string& option, const std::array<std::string_view, N>& names, std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  const auto* const found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw usage_error(fmt::format("{}: invalid \"{}\"; there are: {}", option, name, fmt::join(names, ", ")));
  return static_cast<E>(found - names.begin());
}

/// Keys of so many values, or of any for 0; those of Zipf are 2^20 - 1 in any case.
sweep::spread spread_of(const std::string& input, std::uint64_t values) {
  if (input == "zipf") return {sweep::shape::zipf, 1, 1};
  if (input == "sorted") return {sweep::shape::sorted, 0, 0};
  if (input != "uniform")
    throw usage_error(fmt::format("--input: invalid \"{}\"; there are: uniform, zipf, sorted", input));
  return values != 0 ? sweep::spread{sweep::shape::few, values, 0} : sweep::spread{};
}

/// What a number that its option names does to a problem; throws where it cannot.
void set_size(const call_bench& of, sweep::problem& p, std::uint64_t size) {
  const auto refuse = [&](const char* wants) {
    throw usage_error(fmt::format("{}: must be {}, but is {}", of.size, wants, size));
  };
  switch (of.what) {
    case primitive::histogram:
      if (size < 1 || size > std::numeric_limits<std::uint32_t>::max()) refuse("from 1 to 4294967295");
      p.bins = size;
      p.whole_range = true;
      break;
    case primitive::top_k:
      if (size > p.n) refuse("at most the number of items");
      p.asked.k = size;
      break;
    case primitive::segmented_sort:
      p.segments.count = size;
      break;
    case primitive::sort_records:
      if (size != 16 && size != 32 && size != 64) refuse("16, 32 or 64");
      p.asked.record_bytes = static_cast<unsigned>(size);
      break;
    case primitive::partition:
      if (size != 2 && size != 3) refuse("2 or 3");
      p.asked.parts = static_cast<unsigned>(size);
      break;
    default:
      break;
  }
}

/// One problem of a benchmark.
sweep::problem problem_of(const call_bench& of, const call_options& o, std::uint64_t n, const std::string& type,
                          const std::string& input, std::uint64_t size) {
  sweep::problem p;
  p.what = of.what;
  p.n = n;
  p.type = find_name<sweep::item_type>("--type", sweep::item_type_names, type);
  p.data_seed = o.seed;
  if (of.what == primitive::segmented_sort) {
    p.segments.of = find_name<sweep::sizes>("--input", sweep::sizes_names, input);
    p.segments.alpha = 8;
    p.segments.ratio = 1000;
    p.segments.larger = 4;
  } else {
    const bool values =
        of.what == primitive::group_by || of.what == primitive::unique || of.what == primitive::run_lengths;
    p.keys.first = spread_of(input, values ? size : 0);
  }
  p.op = p.type == sweep::item_type::f32 ? sweep::reduction::max : sweep::reduction::sum;
  set_size(of, p, size);
  return p;
}

/// Measures all of a command; returns whether every output of ours was right.
bool measure_calls(const call_bench& of, const call_options& o, bool on_gpu, const bench::row_sink& sink) {
  sweep::patience limits;
  limits.most = o.runs != 0 ? o.runs : (on_gpu ? 15 : 7);
  limits.least = std::min<std::size_t>(limits.most, 3);
  limits.seconds = o.seconds != 0 ? o.seconds : std::numeric_limits<double>::infinity();
  constexpr double hopeless = 10;  // times as slow as another: a peer that takes seconds tells no more by more runs
  limits.slow = on_gpu ? hopeless : std::numeric_limits<double>::infinity();
  const sweep::bench_place at{o.threads != 0 ? o.threads : host::here().threads, limits};
  std::unique_ptr<sweep::runner> runner;
#if defined(PENEIRA_BENCH_GPU)
  if (on_gpu) runner = sweep::gpu_runner(at);
#endif
  if (!runner) runner = sweep::cpu_runner(at);
  bool right = true;
  const auto measure = [&](sweep::problem p, const std::string& input, std::uint64_t size) {
    if (!runner->can_run(p)) {
      throw usage_error(fmt::format("--place gpu: cannot measure {}", sweep::describe(p)));
    }
    const sweep::outcome found = runner->run(p);
    for (bench::row& r : sweep::rows_of(p, found, on_gpu, at.threads, runner->bandwidth(sweep::only_reads(p)))) {
      r.distribution = input;
      if (of.what != primitive::segmented_sort) r.bins = size;
      sink(r);
    }
    right = right && found.right;
  };
  const std::vector<std::uint64_t> sizes = parse_sizes(of.size != nullptr ? of.size : "", o.sizes, 0);
  for (const std::string& type : o.types) {
    const std::vector<std::string> known = split(of.types);
    if (std::find(known.begin(), known.end(), type) == known.end()) {
      throw usage_error(fmt::format("--type: invalid \"{}\"; there are: {}", type, of.types));
    }
    for (const std::uint64_t n : parse_sizes("--n", o.n, 1)) {
      for (const std::string& input : o.inputs) {
        for (const std::uint64_t size : sizes) {
          for (const std::string& order_name : o.orders) {
            sweep::problem p = problem_of(of, o, n, type, input, size);
            p.equal = order_name == "any" ? order::any : order::stable;
            measure(p, input, size);
          }
        }
      }
    }
  }
  return right;
}

void add_call(CLI::App& bench, const call_bench& of) {
  const std::string name = sweep::name_in(sweep::primitive_names, of.what);
  CLI::App* const sub = bench.add_subcommand(name, fmt::format("{} beside its peers", name));
  const auto o = std::make_shared<call_options>();
  o->types = {split(of.types).front()};
  o->sizes = split(of.sizes);
  if (of.what == primitive::segmented_sort) o->inputs = {"equal"};
  add_list(*sub, "--n", o->n, "Items, at most 2^32");
  add_list(*sub, "--type", o->types, fmt::format("Types: {}", of.types));
  if (of.size != nullptr) add_list(*sub, of.size, o->sizes, of.help);
  add_list(*sub, "--input", o->inputs,
           of.what == primitive::segmented_sort
               ? "Sizes of segments: equal, uniform, exponential, power_law, mixture"
               : "How keys are spread: uniform, zipf (of 2^20 - 1 values in any case), sorted");
  if (of.any_order) {
    add_list(*sub, "--order", o->orders, "Orders: stable (of groups: ascending), any")
        ->check(CLI::IsMember({"stable", "any"}));
  }
  add_effort(*sub, *o);
  sub->footer(
      fmt::format("\nEvery output is checked. `peneira-bench sweep --only {0}` measures problems of the same call that "
                  "nobody chose.\n"
                  "\nExamples:\n"
                  "  peneira-bench {0} --n 1M,16M\n"
                  "  peneira-bench {0} --threads 2 --json {0}.json",
                  name));
  sub->callback([o, of] {
    run_bench(*o, [&](bool on_gpu, const bench::row_sink& sink) { return measure_calls(of, *o, on_gpu, sink); });
  });
}

}  // namespace

void add_bench_calls(CLI::App& bench) {
  for (const call_bench& of : benches) add_call(bench, of);
}

}  // namespace peneira::tool
