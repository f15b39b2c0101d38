// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/segmented_reduce.hpp"

#include "bench/peers_reduce_cpu.hpp"

namespace peneira::bench {
namespace {

template <class T, class Op>
bool bench_shape(const segmented_reduce_axes& axes, const reduce_items<T>& input, const row& blank, segment_shape shape,
                 double bandwidth, const row_sink& sink) {
  const std::size_t n = input.size();
  const std::size_t count = blank.segments;
  const std::vector<std::uint32_t> offsets = make_offsets<std::uint32_t>(shape, n, count, axes.seed);
  const segments_answer<T, Op> answer(input.data(), offsets, axes.threads);
  const array<T> results(count, axes.threads);
  bool all_right = true;
  const auto measure = [&](row r, auto&& work) {
    r.place = "cpu";
    r.copy_bandwidth = bandwidth;
    std::memset(static_cast<void*>(results.data()), 0xA5, count * sizeof(T));
    r.set(time_runs({axes.runs, axes.seconds}, work));
    r.right = answer.accepts(results.data());
    all_right = all_right && r.right;
    sink(r);
  };
#if defined(_OPENMP)
  if (axes.peers) {
    row r = blank;
    r.peer = true;
    r.strategy = "OpenMP loop, static";
    measure(r,
            [&] { openmp_segments_static(axes.threads, input.data(), offsets.data(), count, results.data(), Op{}); });
    r.strategy = "OpenMP loop, dynamic";
    measure(r,
            [&] { openmp_segments_dynamic(axes.threads, input.data(), offsets.data(), count, results.data(), Op{}); });
  }
#endif
  const host machine = host::here().with_threads(axes.threads);
  const segmented_reduce_problem problem{n, count, sizeof(T), sizeof(T), shape == segment_shape::every ? 0U : 4U};
  for (const std::string& name : strategies_for<segmented_reduce_cpu_strategies>(axes, problem, machine)) {
    const auto call = [&](auto&& on) {
      const auto in = items(input.data(), n);
      const auto out = items(results.data(), count);
      if (shape == segment_shape::every) {
        segmented_reduce(on, in, every{size_for(n, count)}, out, Op{}, {.strategy = name});
      } else {
        segmented_reduce(on, in, offsets, out, Op{}, {.strategy = name});
      }
    };
    const plan made = explain([&](auto& on) { call(on); }, machine);
    row r = blank;
    r.strategy = name.empty() ? "auto" : name;
    r.chosen = made.strategy;
    r.temporary_bytes = made.temporary_bytes;
    measure(r, [&] { call(cpu{.threads = axes.threads}); });
  }
  // The same items without segments, for how much these cost.
  row r = blank;
  r.strategy = "one reduce of all items";
  r.place = "cpu";
  r.copy_bandwidth = bandwidth;
  r.bytes = static_cast<double>(n * sizeof(T));
  T all{};
  r.set(time_runs({axes.runs, axes.seconds},
                  [&] { reduce(cpu{.threads = axes.threads}, items(input.data(), n), &all, Op{}); }));
  r.right = reduce_answer<T, Op>::accepts(all, answer_of<T, Op>(input.data(), n, axes.threads), n);
  sink(r);
  return all_right && r.right;
}

}  // namespace

bool bench_segmented_reduce_cpu(const segmented_reduce_axes& axes, const row_sink& sink) {
  const double bandwidth = cpu_read_bandwidth(axes.threads);
  bool all_right = true;
  for (const std::string& type : axes.types) {
    for (const std::string& op : axes.ops) {
      with_type_and_op(type, op, [&]<class T, class Op>(T /*item*/, Op /*op*/) {
        for (const std::uint64_t n : axes.n) {
          const reduce_items<T> input(n, axes.seed, axes.threads);
          for (const segment_shape shape : axes.shapes) {
            for (const std::uint64_t wanted : axes.segments) {
              const bool even = shape == segment_shape::every;
              const std::uint64_t count =
                  even ? peneira::detail::even_segments{size_for(n, wanted), n}.count() : wanted;
              const row blank = describe(axes, type, sizeof(T), n, op, shape, count);
              all_right = bench_shape<T, Op>(axes, input, blank, shape, bandwidth, sink) && all_right;
            }
          }
        }
      });
    }
  }
  return all_right;
}

}  // namespace peneira::bench
