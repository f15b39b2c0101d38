// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <tuple>

#include "bench/gpu_harness.cuh"
#include "bench/multisplit.hpp"
#include "bench/peers_gpu.cuh"

namespace peneira::bench {
namespace {

template <class K, class V>
bool bench_one(const multisplit_axes& axes, const std::string& type, std::size_t n, distribution d, gpu_timer& timer,
               double bandwidth, const row_sink& sink) {
  constexpr bool with_values = view<K, V>::has_values;
  const multisplit_case<K, V> input(n, d, axes.seed, axes.threads);
  device_array<K> in_keys(n);
  device_array<V> in_values(with_values ? n : 0);
  device_array<K> out_keys(n);
  device_array<V> out_values(with_values ? n : 0);
  in_keys.from_host(input.items().keys);
  if constexpr (with_values) in_values.from_host(input.items().values);
  const view<const K, const V> in{in_keys.data(), with_values ? in_values.data() : nullptr, n};
  const view<K, V> out{out_keys.data(), with_values ? out_values.data() : nullptr, n};
  const array<K> back_keys(n, axes.threads);
  const array<V> back_values(with_values ? n : 0, axes.threads);
  bool all_right = true;

  for (const std::uint64_t bins : axes.bins) {
    const ranges<K> f = input.function(bins);
    const multisplit_answer<K, V> answer(input.items(), f, axes.threads);
    device_array<std::uint64_t> offsets(bins + 1);
    std::vector<std::uint64_t> back_offsets(bins + 1);
    for (const order within_bin : axes.orders) {
      const auto measure = [&](row r, auto&& work) {
        r.place = "gpu";
        r.threads = 0;
        r.copy_bandwidth = bandwidth;
        out_keys.poison();
        offsets.poison();
        std::tie(r.seconds, r.spread) = timer.time(axes.runs, work);
        out_keys.to_host(back_keys.data());
        if constexpr (with_values) out_values.to_host(back_values.data());
        offsets.to_host(back_offsets.data());
        const view<const K, const V> back{back_keys.data(), with_values ? back_values.data() : nullptr, n};
        r.right = answer.accepts(back, back_offsets, within_bin, f);
        all_right = all_right && r.right;
        sink(r);
      };
      const row blank = describe<K, V>(axes, type, n, bins, d, within_bin);
      if constexpr (!with_values) {
        if (axes.peers && within_bin == order::stable) {
          row r = blank;
          r.strategy = "label + CUB SortPairs";
          r.peer = true;
          label_and_sort<K> peer(n, bins);
          measure(r, [&] { peer(in.keys, out.keys, n, f, offsets.data(), timer.stream()); });
        }
      }
      const device machine = peneira::detail::current_device();
      const multisplit_problem problem{n, f.bins(), sizeof(K), with_values ? sizeof(V) : 0, 8, within_bin};
      for (const std::string& name : strategies_for<multisplit_gpu_strategies>(axes, problem, machine)) {
        const plan made = peneira::detail::plan_multisplit(problem, machine, name);
        row r = blank;
        r.strategy = name.empty() ? "auto" : name;
        r.chosen = made.strategy;
        r.temporary_bytes = made.temporary_bytes;
        const gpu on{.stream = timer.stream()};
        measure(r, [&] {
          multisplit(on, in, out, f, items(offsets.data(), offsets.size()),
                     {.within_bin = within_bin, .strategy = name});
        });
      }
    }
  }
  return all_right;
}

}  // namespace

bool bench_multisplit_gpu(const multisplit_axes& axes, const row_sink& sink) {
  gpu_timer timer;
  const double bandwidth = gpu_copy_bandwidth(timer);
  bool all_right = true;
  for (const std::string& type : axes.types) {
    with_type(type, [&](auto key, auto value) {
      for (const std::uint64_t n : axes.n) {
        for (const distribution d : axes.distributions) {
          all_right = bench_one<decltype(key), decltype(value)>(axes, type, n, d, timer, bandwidth, sink) && all_right;
        }
      }
    });
  }
  return all_right;
}

}  // namespace peneira::bench
