// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <type_traits>

#include "bench/gpu_harness.cuh"
#include "bench/gpu_sort_answer.cuh"
#include "bench/peers_sort_gpu.cuh"
#include "bench/sort.hpp"

namespace peneira::bench {
namespace {

/// The rows of one input. Ours and CUB get their temporary memory beforehand; both leave the input as it is.
template <class K, class V>
class gpu_sort_rows {
 public:
  gpu_sort_rows(const sort_axes& axes, const row& blank, gpu_timer& timer, const row_sink& sink)
      : axes_(axes),
        blank_(blank),
        timer_(timer),
        sink_(sink),
        from_(filled(axes, blank)),
        to_(blank.n),
        answer_(from_->items(), timer.stream()),
        all_right_(answer_.is_right()) {}

  bool run() {
    if (axes_.peers) peers();
    const device machine = peneira::detail::current_device();
    for (const order equal_keys : axes_.orders) {
      sort_problem problem{blank_.n, sizeof(K), has_values ? sizeof(V) : 0};
      problem.last_bit = 8 * sizeof(K);
      problem.equal_keys = has_values ? equal_keys : order::any;
      for (const std::string& name : strategies_for<sort_gpu_strategies>(axes_, problem, machine)) {
        ours(name, equal_keys, machine);
      }
      if (!has_values) break;
    }
    return all_right_;
  }

 private:
  static constexpr bool has_values = view<K, V>::has_values;
  static std::string name_of(order equal_keys) {
    return !has_values ? "" : equal_keys == order::any ? "any" : "stable";
  }
  static std::unique_ptr<device_items<K, V>> filled(const sort_axes& axes, const row& blank) {
    auto items = std::make_unique<device_items<K, V>>(blank.n);
    const sort_items<K, V> input(blank.n, axes.threads);
    input.make(blank.distribution, axes.seed);
    items->from_host(input.items());
    return items;
  }

  void ours(const std::string& name, order equal_keys, const device& machine) {
    const view<const K, const V> in = from_->items();
    const auto call = [&](auto&& on) {
      sort(on, in, to_.items(), sort_options{.equal_keys = equal_keys, .strategy = name});
    };
    const plan made = explain([&](auto& on) { call(on); }, machine);
    const device_array<char> memory(made.temporary_bytes);
    arena planned(memory.data(), made.temporary_bytes);
    row r = blank_;
    r.strategy = name.empty() ? "auto" : name;
    r.chosen = made.strategy;
    r.temporary_bytes = made.temporary_bytes;
    measure(
        r, equal_keys, [] {}, [&] { call(gpu{.stream = timer_.stream(), .memory = &planned}); });
  }

  void peers() {
    row r = blank_;
    r.peer = true;
    {
      cub_sort<K, V> cub(from_->items(), to_.items(), timer_.stream());
      r.strategy = cub.name;
      r.temporary_bytes = cub.temporary_bytes();
      measure(
          r, order::stable, [] {}, cub);
    }
    if constexpr (thrust_sort_is_a_peer<K, V>) {
      if (blank_.n > most_thrust_items) return;
      r.strategy = "thrust::sort";
      r.temporary_bytes = 0;  // it allocates in every call
      measure(
          r, order::stable,
          [&] {
            peneira::detail::check(cudaMemcpyAsync(to_.items().keys, from_->items().keys, blank_.n * sizeof(K),
                                                   cudaMemcpyDeviceToDevice, timer_.stream()),
                                   "cudaMemcpyAsync");
          },
          [&] { thrust_sort(to_.items().keys, blank_.n, timer_.stream()); });
    }
  }

  /// Times `work`, which leaves its output in to_, and checks that.
  template <class Prepare, class Work>
  void measure(row r, order equal_keys, Prepare&& prepare, Work&& work) {
    to_.poison();
    r.place = "gpu";
    r.threads = 0;
    r.order = name_of(equal_keys);
    r.set(timer_.time(axes_.runs, prepare, work));
    r.right = answer_.accepts(to_.items(), equal_keys);
    all_right_ = all_right_ && r.right;
    sink_(r);
  }

  const sort_axes& axes_;
  const row& blank_;
  gpu_timer& timer_;
  const row_sink& sink_;
  std::unique_ptr<device_items<K, V>> from_;
  device_items<K, V> to_;
  gpu_sort_answer<K, V> answer_;
  bool all_right_;
};

}  // namespace

bool bench_sort_gpu(const sort_axes& axes, const row_sink& sink) {
  gpu_timer timer;
  const double bandwidth = gpu_copy_bandwidth(timer);
  bool all_right = true;
  for (const std::string& type : axes.types) {
    for (const std::string& value : axes.values) {
      with_key_and_value(type, value, [&]<class K, class V>(K /*key*/, V /*value*/) {
        if constexpr (std::is_integral_v<K>) {
          for (const std::uint64_t n : axes.n) {
            for (const std::string& input : axes.inputs) {
              row blank = describe_sort<K, V>(axes, type, value, n, input);
              blank.copy_bandwidth = bandwidth;
              all_right = gpu_sort_rows<K, V>(axes, blank, timer, sink).run() && all_right;
            }
          }
        } else {
          throw std::invalid_argument("on a GPU this benchmark knows u32 and u64 keys, not " + type);
        }
      });
    }
  }
  return all_right;
}

}  // namespace peneira::bench
