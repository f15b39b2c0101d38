// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/multisplit.hpp"

#include <type_traits>

#include "bench/peers_cpu.hpp"

namespace peneira::bench {
namespace {

template <class K, class V>
bool bench_one(const multisplit_axes& axes, const std::string& type, std::size_t n, distribution d, double bandwidth,
               const row_sink& sink) {
  const multisplit_case<K, V> input(n, d, axes.seed, axes.threads);
  const array<K> keys(n, axes.threads);
  const array<V> values(view<K, V>::has_values ? n : 0, axes.threads);
  const view<K, V> out{keys.data(), view<K, V>::has_values ? values.data() : nullptr, n};
  bool all_right = true;

  for (const std::uint64_t bins : axes.bins) {
    const ranges<K> f = input.function(bins);
    const multisplit_answer<K, V> answer(input.items(), f, axes.threads);
    std::vector<std::uint64_t> offsets(bins + 1);
    for (const order within_bin : axes.orders) {
      const auto measure = [&](row r, auto&& work) {
        r.place = "cpu";
        r.copy_bandwidth = bandwidth;
        std::memset(static_cast<void*>(out.keys), 0xA5, n * sizeof(K));
        std::fill(offsets.begin(), offsets.end(), ~std::uint64_t{0});
        r.set(time_runs({axes.runs, axes.seconds}, work));
        r.right = answer.accepts(out, offsets, within_bin, f);
        all_right = all_right && r.right;
        sink(r);
      };
      const row blank = describe<K, V>(axes, type, n, bins, d, within_bin);
      if (axes.peers && within_bin == order::stable) {
        row r = blank;
        r.strategy = "plain two-pass";
        r.peer = true;
        measure(r, [&] { plain_two_pass(axes.threads, input.items(), out, f, offsets.data()); });
      }
      const host machine = host::here().with_threads(axes.threads);
      const multisplit_problem problem{n, f.bins(), sizeof(K), view<K, V>::has_values ? sizeof(V) : 0, 8, within_bin};
      for (const std::string& name : strategies_for<multisplit_cpu_strategies>(axes, problem, machine)) {
        const plan made = peneira::detail::plan_multisplit(problem, machine, name);
        row r = blank;
        r.strategy = name.empty() ? "auto" : name;
        r.chosen = made.strategy;
        r.temporary_bytes = made.temporary_bytes;
        measure(r, [&] {
          multisplit(cpu{.threads = axes.threads}, input.items(), out, f, offsets,
                     {.within_bin = within_bin, .strategy = name});
        });
        if constexpr (std::is_same_v<K, std::uint32_t> && !view<K, V>::has_values) {
          if (!axes.callers || !name.empty()) continue;
          multisplit_problem callers = problem;
          callers.may_miss = true;
          const plan of_callers = peneira::detail::plan_multisplit(callers, machine, {});
          r.strategy = callers_row;
          r.chosen = of_callers.strategy;
          r.temporary_bytes = of_callers.temporary_bytes;
          measure(r, [&] {
            multisplit(cpu{.threads = axes.threads}, input.items(), out, binned(bins, callers_ranges<K>{f}), offsets,
                       {.within_bin = within_bin});
          });
        }
      }
    }
  }
  return all_right;
}

}  // namespace

bool bench_multisplit_cpu(const multisplit_axes& axes, const row_sink& sink) {
  const double bandwidth = cpu_copy_bandwidth(axes.threads);
  bool all_right = true;
  for (const std::string& type : axes.types) {
    with_type(type, [&](auto key, auto value) {
      for (const std::uint64_t n : axes.n) {
        for (const distribution d : axes.distributions) {
          all_right = bench_one<decltype(key), decltype(value)>(axes, type, n, d, bandwidth, sink) && all_right;
        }
      }
    });
  }
  return all_right;
}

}  // namespace peneira::bench
