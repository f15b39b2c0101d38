// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/reduce.hpp"

#include "bench/peers_reduce_cpu.hpp"

namespace peneira::bench {
namespace {

template <class T, class Op>
bool bench_one(const reduce_axes& axes, const row& blank, double bandwidth, const row_sink& sink) {
  const std::size_t n = blank.n;
  const reduce_items<T> input(n, axes.seed, axes.threads);
  const auto wanted = answer_of<T, Op>(input.data(), n, axes.threads);
  bool all_right = true;
  const auto measure = [&](row r, auto&& work) {
    T result{};
    r.place = "cpu";
    r.copy_bandwidth = bandwidth;
    r.set(time_runs({axes.runs, axes.seconds}, [&] { result = work(); }));
    r.right = reduce_answer<T, Op>::accepts(result, wanted, n);
    all_right = all_right && r.right;
    sink(r);
  };
  if (axes.peers) {
    row r = blank;
    r.peer = true;
#if defined(PENEIRA_WITH_TBB)
    r.strategy = "std::reduce(par_unseq)";
    measure(r, [&] { return std_reduce(axes.threads, input.data(), n, Op{}); });
#endif
#if defined(_OPENMP)
    r.strategy = "OpenMP simd";
    measure(r, [&] { return openmp_reduce(axes.threads, input.data(), n, Op{}); });
#endif
  }
  const host machine = host::here().with_threads(axes.threads);
  const reduce_problem problem{n, sizeof(T), sizeof(T)};
  for (const std::string& name : strategies_for<reduce_cpu_strategies>(axes, problem, machine)) {
    const auto call = [&](auto&& on, T* result) {
      reduce(on, items(input.data(), n), result, Op{}, {.strategy = name});
    };
    const plan made = explain([&](auto& on) { call(on, static_cast<T*>(nullptr)); }, machine);
    row r = blank;
    r.strategy = name.empty() ? "auto" : name;
    r.chosen = made.strategy;
    r.temporary_bytes = made.temporary_bytes;
    measure(r, [&] {
      T result{};
      call(cpu{.threads = axes.threads}, &result);
      return result;
    });
  }
  return all_right;
}

}  // namespace

bool bench_reduce_cpu(const reduce_axes& axes, const row_sink& sink) {
  const double bandwidth = cpu_read_bandwidth(axes.threads);
  bool all_right = true;
  for (const std::string& type : axes.types) {
    for (const std::string& op : axes.ops) {
      with_type_and_op(type, op, [&]<class T, class Op>(T /*item*/, Op /*op*/) {
        for (const std::uint64_t n : axes.n) {
          const row blank = describe(axes, type, sizeof(T), n, op);
          all_right = bench_one<T, Op>(axes, blank, bandwidth, sink) && all_right;
        }
      });
    }
  }
  return all_right;
}

}  // namespace peneira::bench
