// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/gpu_harness.cuh"
#include "bench/peers_reduce_gpu.cuh"
#include "bench/reduce.hpp"
#include "peneira/reduce/published.hpp"

namespace peneira::bench {
namespace {

/// Ours and the peers get their temporary memory beforehand, but for Thrust, which has no way to.
template <class T, class Op>
bool bench_one(const reduce_axes& axes, const row& blank, gpu_timer& timer, double bandwidth, const row_sink& sink) {
  const std::size_t n = blank.n;
  device_array<T> in(n);
  typename reduce_answer<T, Op>::type wanted{};
  {
    const reduce_items<T> input(n, axes.seed, axes.threads);
    wanted = answer_of<T, Op>(input.data(), n, axes.threads);
    in.from_host(input.data());
  }
  device_array<T> result(1);
  bool all_right = true;
  const auto report = [&](row r, T got, const timing& timed) {
    r.place = "gpu";
    r.threads = 0;
    r.copy_bandwidth = bandwidth;
    r.set(timed);
    r.right = reduce_answer<T, Op>::accepts(got, wanted, n);
    all_right = all_right && r.right;
    sink(r);
  };
  /// Times `work`, which leaves its result on the device, and checks it.
  const auto measure = [&](const row& r, auto&& work) {
    result.poison();
    const auto timed = timer.time(axes.runs, work);
    T got{};
    result.to_host(&got);
    report(r, got, timed);
  };
  if (axes.peers) {
    row r = blank;
    r.peer = true;
    r.strategy = std::is_same_v<Op, plus> ? "cub::DeviceReduce::Sum" : "cub::DeviceReduce::Max";
    cub_reduce<T, Op> cub(in.data(), n, result.data(), timer.stream());
    r.temporary_bytes = cub.temporary_bytes();
    measure(r, cub);
    if constexpr (thrust_is_a_peer<T>) {
      r.strategy = "thrust::reduce";
      r.temporary_bytes = 0;  // it allocates in every call
      T got{};
      const auto timed = timer.time(axes.runs, [&] { got = thrust_reduce<T, Op>(in.data(), n, timer.stream()); });
      report(r, got, timed);
    }
  }
  const device machine = peneira::detail::current_device();
  using published_list = std::conditional_t<as_published<T, Op>, reduce_published_strategies, strategy_list<>>;
  const reduce_problem problem{n, sizeof(T), sizeof(T), true, order::any};
  for (const std::string& name :
       strategies_for<joined<reduce_gpu_strategies, published_list>>(axes, problem, machine)) {
    const auto call = [&](auto&& on) {
      const auto from = items(static_cast<const T*>(in.data()), n);
      const reduce_options options{.grouping = grouping_for<published_list>(name), .strategy = name};
      if constexpr (as_published<T, Op>) {
        if (is_in<published_list>(name)) return published::reduce(on, from, result.data(), Op{}, options);
      }
      reduce(on, from, result.data(), Op{}, options);
    };
    const plan made = explain([&](auto& on) { call(on); }, machine);
    const device_array<char> memory(made.temporary_bytes);
    arena planned(memory.data(), made.temporary_bytes);
    row r = blank;
    r.strategy = name.empty() ? "auto" : name;
    r.chosen = made.strategy;
    r.temporary_bytes = made.temporary_bytes;
    measure(r, [&] { call(gpu{.stream = timer.stream(), .memory = &planned}); });
  }
  return all_right;
}

}  // namespace

bool bench_reduce_gpu(const reduce_axes& axes, const row_sink& sink) {
  gpu_timer timer;
  const double bandwidth = gpu_read_bandwidth(timer);
  bool all_right = true;
  for (const std::string& type : axes.types) {
    for (const std::string& op : axes.ops) {
      with_type_and_op(type, op, [&]<class T, class Op>(T /*item*/, Op /*op*/) {
        if constexpr (measured_on_gpu<T, Op>) {
          for (const std::uint64_t n : axes.n) {
            const row blank = describe(axes, type, sizeof(T), n, op);
            all_right = bench_one<T, Op>(axes, blank, timer, bandwidth, sink) && all_right;
          }
        } else if (axes.types.size() * axes.ops.size() == 1) {
          refuse_on_gpu(type, op);
        }
      });
    }
  }
  return all_right;
}

}  // namespace peneira::bench
