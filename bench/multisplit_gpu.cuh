// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How the rows of one type of items are measured on a GPU.
#pragma once

#include <bit>
#include <string>
#include <type_traits>

#include "bench/gpu_answer.cuh"
#include "bench/gpu_harness.cuh"
#include "bench/multisplit_gpu.hpp"
#include "bench/peers_gpu.cuh"
#include "peneira/multisplit/published.hpp"

namespace peneira::bench {

using all_strategies = joined<multisplit_gpu_strategies, multisplit_published_strategies>;

/// The rows of one input and one number of bins.
template <class K, class V>
class gpu_multisplit_bench {
 public:
  explicit gpu_multisplit_bench(const gpu_multisplit_run& run)
      : axes_(run.axes), timer_(run.timer), bandwidth_(run.bandwidth), sink_(run.sink) {}

  bool run(const std::string& type, std::size_t n, distribution d) {
    const multisplit_case<K, V> input(n, d, axes_.seed, axes_.threads);
    device_items<K, V> from(n);
    device_items<K, V> to(n);
    from.from_host(input.items());
    for (const std::uint64_t bins : axes_.bins) {
      const ranges<K> f = input.function(bins);
      gpu_answer<K, V, ranges<K>> answer(from.items(), f, timer_.stream());
      for (const order within_bin : axes_.orders) {
        const row blank = describe<K, V>(axes_, type, n, bins, d, within_bin);
        if (axes_.peers && within_bin == order::stable) peers(blank, f, d, from, to, answer);
        ours(blank, f, within_bin, from, to, answer);
      }
    }
    return all_right_;
  }

 private:
  /// Times `work`, which writes to `to` and offsets, and checks what it left.
  template <class Answer, class Work>
  void measure(row r, order within_bin, device_items<K, V>& to, Answer& answer, bool leaves_offsets, Work&& work) {
    device_array<std::uint64_t> offsets(r.bins + 1);
    to.poison();
    offsets.poison();
    r.place = "gpu";
    r.threads = 0;
    r.copy_bandwidth = bandwidth_;
    r.set(timer_.time(axes_.runs, [&] { work(offsets); }));
    if (!leaves_offsets) answer.copy_offsets(offsets);
    r.right = answer.accepts(to.items(), offsets, within_bin);
    all_right_ = all_right_ && r.right;
    sink_(r);
  }

  template <class Answer>
  void peers(const row& blank, const ranges<K>& f, distribution d, const device_items<K, V>& from,
             device_items<K, V>& to, Answer& answer) {
    row r = blank;
    r.peer = true;
    const std::size_t n = blank.n;
    if constexpr (!view<K, V>::has_values) {
      r.strategy = "label + CUB SortPairs";
      label_and_sort<K> peer(n, blank.bins);
      const device_array<std::uint32_t> sorted(n);
      measure(r, order::stable, to, answer, true, [&](device_array<std::uint64_t>& offsets) {
        peer.by(from.items().keys, from.items().keys, to.items().keys, sorted.data(), n, f, offsets.data(),
                timer_.stream());
      });
    }
    const bool bins_are_bits = d == distribution::uniform && std::has_single_bit(blank.bins) && blank.bins > 1;
    if (bins_are_bits && blank.bins <= 256) {
      r.strategy = "CUB radix pass";
      radix_pass<K, V> peer(n, blank.bins);
      measure(r, order::stable, to, answer, false, [&](device_array<std::uint64_t>& /*offsets*/) {
        peneira::detail::check(peer(from.items(), to.items(), timer_.stream()), "cub::DeviceRadixSort");
      });
    }
  }

  template <class Answer>
  void ours(const row& blank, const ranges<K>& f, order within_bin, const device_items<K, V>& from,
            device_items<K, V>& to, Answer& answer) {
    const device machine = peneira::detail::current_device();
    multisplit_problem problem{blank.n, f.bins(), sizeof(K), view<K, V>::has_values ? sizeof(V) : 0, 8, within_bin};
    const auto by = [&](const std::string& name, const published_multisplit_limits& limits, const char* how) {
      problem.published = limits;
      const plan made = peneira::detail::plan_multisplit<device, all_strategies>(problem, machine, name);
      row r = blank;
      r.strategy = name.empty() ? "auto" : name + how;
      r.chosen = made.strategy;
      r.temporary_bytes = made.temporary_bytes;
      const gpu on{.stream = timer_.stream()};
      const view<const K, const V> in = from.items();
      const multisplit_options options{.within_bin = within_bin, .strategy = name};
      measure(r, within_bin, to, answer, true, [&](device_array<std::uint64_t>& offsets) {
        const auto table = items(offsets.data(), offsets.size());
        if (is_in<multisplit_published_strategies>(name)) {
          published::multisplit(on, in, to.items(), f, table, options, limits);
        } else {
          multisplit(on, in, to.items(), f, table, options);
        }
      });
    };
    const auto by_callers = [&] {
      row r = blank;
      r.strategy = callers_row;
      measure(r, within_bin, to, answer, true, [&](device_array<std::uint64_t>& offsets) {
        multisplit(gpu{.stream = timer_.stream()}, view<const K, const V>(from.items()), to.items(),
                   binned(blank.bins, callers_ranges<K>{f}), items(offsets.data(), offsets.size()),
                   multisplit_options{.within_bin = within_bin});
      });
    };
    constexpr published_multisplit_limits printed{48 * 1024, 361, 5000};
    for (const std::string& name : strategies_for<all_strategies>(axes_, problem, machine)) {
      by(name, {}, "");
      if constexpr (std::is_same_v<K, std::uint32_t> && !view<K, V>::has_values) {
        if (axes_.callers && name.empty()) by_callers();
      }
      if (axes_.paper_limits && (name == "mrbins" || name == "multipartition")) by(name, printed, by_paper);
    }
  }

  const multisplit_axes& axes_;
  gpu_timer& timer_;
  double bandwidth_;
  const row_sink& sink_;
  bool all_right_ = true;
};

template <class K, class V>
bool bench_multisplit_gpu_items(const gpu_multisplit_run& run, const std::string& type) {
  bool all_right = true;
  for (const std::uint64_t n : run.axes.n) {
    for (const distribution d : run.axes.distributions) {
      all_right = gpu_multisplit_bench<K, V>(run).run(type, n, d) && all_right;
    }
  }
  return all_right;
}

}  // namespace peneira::bench
