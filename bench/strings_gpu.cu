// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/gpu_harness.cuh"
#include "bench/strings.hpp"
#include "peneira/strings/gpu/words.cuh"
#include "peneira/strings/published.hpp"

namespace peneira::bench {
namespace {

/// doubling_merge ends with one thread that merges all: a minute for ten million lines. It gets the first of them only,
/// and few runs, unless its merges are split.
constexpr std::size_t most_merged = 1'000'000;

/// The order of strings by their numbers, as a peer's comparison: eight bytes at a time, as ours. Inlined everywhere in
/// Thrust's sort it takes minutes to compile; what it waits for is memory.
struct string_less {
  peneira::detail::string_reader<std::uint64_t> read;
  __device__ __noinline__ bool operator()(std::uint32_t a, std::uint32_t b) const { return read.before(a, b); }
};

/// Measures one input, whose lines are on the device beforehand.
class gpu_text {
 public:
  gpu_text(const strings_axes& axes, const std::string& input, std::size_t n, double bandwidth, gpu_timer& timer,
           const row_sink& sink)
      : axes_(axes),
        timer_(timer),
        sink_(sink),
        text_(input, n, axes.seed, axes.threads),
        chars_(text_.bytes()),
        starts_(n + 1),
        permutation_(n),
        blank_(describe_strings(axes, input, text_)) {
    chars_.from_host(text_.all().chars);
    starts_.from_host(text_.all().starts);
    blank_.place = "gpu";
    blank_.threads = 0;
    blank_.copy_bandwidth = bandwidth;
  }

  bool run() {
    if (axes_.peers) peer();
    if (axes_.sequential) sequential();
    const device& machine = peneira::detail::current_device();
    using every = joined<sort_strings_gpu_strategies, sort_strings_published_gpu_strategies>;
    for (const std::string& name : strategies_for<every>(axes_, sort_strings_problem{blank_.n}, machine)) {
      if (name == sort_strings_strategies::doubling_merge::name) {
        for (const std::uint64_t threads : axes_.block_threads) {
          for (const std::uint64_t merge_items : axes_.merge_items) merging(name, threads, merge_items);
        }
      } else {
        ours(name, blank_.n, axes_.runs, [&](auto&& on, const strings<std::uint64_t>& all, view<std::uint32_t> to) {
          sort_strings(on, all, to, {.strategy = name});
        });
      }
    }
    return all_right_;
  }

 private:
  [[nodiscard]] strings<std::uint64_t> on_device(std::size_t n) const { return {chars_.data(), starts_.data(), n, 1}; }

  void merging(const std::string& name, std::uint64_t threads, std::uint64_t merge_items) {
    const bool split = merge_items != 0;
    ours(merging_name(name, threads, merge_items), split ? blank_.n : std::min<std::size_t>(blank_.n, most_merged),
         split ? axes_.runs : axes_.merge_runs,
         [&](auto&& on, const strings<std::uint64_t>& all, view<std::uint32_t> to) {
           published::sort_strings(on, all, to, {.strategy = name},
                                   {.block_threads = threads, .merge_items = merge_items});
         });
  }

  /// The first n lines, in memory that is there beforehand.
  template <class Call>
  void ours(const std::string& name, std::size_t n, std::size_t runs, const Call& call) {
    const strings<std::uint64_t> all = on_device(n);
    const view<std::uint32_t> to = items(permutation_.data(), n);
    const plan made = explain([&](auto& on) { call(on, all, to); }, peneira::detail::current_device());
    const device_array<char> memory(made.temporary_bytes);
    arena planned(memory.data(), made.temporary_bytes);
    row r = blank_;
    r.strategy = name.empty() ? "auto" : name;
    r.chosen = made.strategy;
    r.temporary_bytes = made.temporary_bytes;
    measure(
        r, n, runs, [] {}, [&] { call(gpu{.stream = timer_.stream(), .memory = &planned}, all, to); });
    if (!axes_.copies) return;
    r.strategy += with_copies;
    const strings<std::uint64_t>& from = text_.all();
    std::vector<std::uint32_t> back(n);
    const auto copy = [&](void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
      peneira::detail::check(cudaMemcpyAsync(target, source, bytes, kind, timer_.stream()), "cudaMemcpyAsync");
    };
    measure(
        r, n, runs, [] {},
        [&] {
          copy(chars_.data(), from.chars, from.starts[n], cudaMemcpyHostToDevice);
          copy(starts_.data(), from.starts, (n + 1) * sizeof(std::uint64_t), cudaMemcpyHostToDevice);
          call(gpu{.stream = timer_.stream(), .memory = &planned}, all, to);
          copy(back.data(), permutation_.data(), n * sizeof(std::uint32_t), cudaMemcpyDeviceToHost);
        });
  }

  /// The published quicksort of all lines by one thread of the CPU, which the paper holds its GPU against.
  void sequential() {
    const strings<std::uint64_t> all = text_.all();
    std::vector<std::uint32_t> got(all.size);
    row r = blank_;
    r.place = "cpu";
    r.threads = 1;
    r.copy_bandwidth = cpu_copy_bandwidth(1);
    r.strategy = sequential_quicksort;
    r.chosen = sort_strings_strategies::task_merge_quicksort::name;
    r.set(time_runs({axes_.runs, 0}, [&] {
      published::sort_strings(cpu{.threads = 1}, all, got, {.strategy = r.chosen}, {.task_size = all.size});
    }));
    r.right = is_stable_order(all, got.data(), axes_.threads);
    all_right_ = all_right_ && r.right;
    sink_(r);
  }

  /// It takes its memory in every call.
  void peer() {
    row r = blank_;
    r.peer = true;
    r.strategy = "thrust::stable_sort";
    const strings<std::uint64_t> all = on_device(blank_.n);
    const string_less less{{all, all.chars, all.chars + text_.bytes()}};
    const auto policy = thrust::cuda::par.on(timer_.stream());
    const step number = peneira::detail::number_items_step(blank_.n, peneira::detail::current_device());
    measure(
        r, blank_.n, axes_.runs,
        [&] {
          peneira::detail::launch(gpu{.stream = timer_.stream()}, number, peneira::detail::number_items<std::uint32_t>,
                                  permutation_.data(), blank_.n, nullptr);
        },
        [&] { thrust::stable_sort(policy, permutation_.data(), permutation_.data() + blank_.n, less); });
  }

  /// Times `work`, which leaves the order of the first n lines in the permutation, and checks that on the host.
  template <class Prepare, class Work>
  void measure(row r, std::size_t n, std::size_t runs, Prepare&& prepare, Work&& work) {
    const strings<std::uint64_t> all(text_.all().chars, text_.all().starts, n, 1);
    r.n = n;
    r.runs = runs;
    r.bytes = string_bytes(all);
    permutation_.poison();
    r.set(timer_.time(runs, prepare, work));
    std::vector<std::uint32_t> got(permutation_.size());
    permutation_.to_host(got.data());
    r.right = is_stable_order(all, got.data(), axes_.threads);
    all_right_ = all_right_ && r.right;
    sink_(r);
  }

  const strings_axes& axes_;
  gpu_timer& timer_;
  const row_sink& sink_;
  strings_text text_;
  device_array<char> chars_;
  device_array<std::uint64_t> starts_;
  device_array<std::uint32_t> permutation_;
  row blank_;
  bool all_right_ = true;
};

}  // namespace

bool bench_strings_gpu(const strings_axes& axes, const row_sink& sink) {
  gpu_timer timer;
  const double bandwidth = gpu_copy_bandwidth(timer);
  bool all_right = true;
  for (const std::uint64_t n : axes.n) {
    for (const std::string& input : axes.inputs) {
      all_right = gpu_text(axes, input, n, bandwidth, timer, sink).run() && all_right;
    }
  }
  return all_right;
}

}  // namespace peneira::bench
