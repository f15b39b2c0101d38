// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/segmented_reduce.hpp"

#include "bench/gpu_harness.cuh"
#include "bench/peers_reduce_gpu.cuh"
#include "peneira/segmented_reduce/published.hpp"

namespace peneira::bench {
namespace {

/// The rows of one input. Ours and the peers get their temporary memory beforehand, but for Thrust, which has no way
/// to.
template <class T, class Op>
class gpu_segments_bench {
 public:
  gpu_segments_bench(const segmented_reduce_axes& axes, std::size_t n, gpu_timer& timer, double bandwidth,
                     const row_sink& sink)
      : axes_(axes),
        input_(n, axes.seed, axes.threads),
        in_(n),
        all_wanted_(answer_of<T, Op>(input_.data(), n, axes.threads)),
        timer_(timer),
        bandwidth_(bandwidth),
        sink_(sink) {
    in_.from_host(input_.data());
  }

  bool run(const row& blank, segment_shape shape) {
    const std::size_t count = blank.segments;
    const std::vector<std::uint32_t> offsets = make_offsets<std::uint32_t>(shape, input_.size(), count, axes_.seed);
    const segments_answer<T, Op> answer(input_.data(), offsets, axes_.threads);
    device_array<std::uint32_t> table(count + 1);
    table.from_host(offsets.data());
    device_array<T> results(count);
    if (axes_.peers) peers(blank, offsets, table, results, answer);
    ours(blank, shape, table, results, answer);
    return all_right_;
  }

 private:
  using answer_type = segments_answer<T, Op>;

  void report(row r, bool right, const timing& timed) {
    r.place = "gpu";
    r.threads = 0;
    r.copy_bandwidth = bandwidth_;
    r.set(timed);
    r.right = right;
    all_right_ = all_right_ && right;
    sink_(r);
  }
  /// Times `work`, which leaves all results on the device, and checks them.
  template <class Work>
  void measure(row r, device_array<T>& results, const answer_type& answer, Work&& work) {
    results.poison();
    const auto timed = timer_.time(r.runs, work);
    std::vector<T> got(results.size());
    results.to_host(got.data());
    report(std::move(r), answer.accepts(got.data()), timed);
  }

  void peers(const row& blank, const std::vector<std::uint32_t>& offsets, const device_array<std::uint32_t>& table,
             device_array<T>& results, const answer_type& answer) {
    row r = blank;
    r.peer = true;
    {
      r.strategy = "cub::DeviceSegmentedReduce";
      cub_segments<T, Op> cub(in_.data(), table.data(), results.size(), results.data(), timer_.stream());
      r.temporary_bytes = cub.temporary_bytes();
      constexpr double slow = 2e-3;
      if (timer_.time(1, cub).seconds > slow) r.runs = std::min(r.runs, axes_.slow_runs);
      measure(r, results, answer, cub);
      r.runs = blank.runs;
    }
    if constexpr (thrust_is_a_peer<T>) by_key(r, offsets, results, answer);
    r.strategy = "CUB reduce, no segments";
    r.bytes = static_cast<double>(input_.size() * sizeof(T));
    device_array<T> all(1);
    cub_reduce<T, Op> cub(in_.data(), input_.size(), all.data(), timer_.stream());
    r.temporary_bytes = cub.temporary_bytes();
    measure_all(r, all, cub);
  }

  /// Thrust, whose results of segments that are not empty lie side by side.
  void by_key(row r, const std::vector<std::uint32_t>& offsets, device_array<T>& results, const answer_type& answer) {
    const std::size_t n = input_.size();
    device_array<std::uint32_t> keys(n);
    {
      const array<std::uint32_t> numbers(n, axes_.threads);
      peneira::detail::on_each(axes_.threads, [&](unsigned m) {
        const auto [begin, end] = peneira::detail::slice(offsets.size() - 1, m, axes_.threads);
        for (std::size_t s = begin; s < end; ++s) {
          std::fill(numbers.data() + offsets[s], numbers.data() + offsets[s + 1], static_cast<std::uint32_t>(s));
        }
      });
      keys.from_host(numbers.data());
    }
    const device_array<std::uint32_t> found(results.size());
    r.strategy = "thrust::reduce_by_key";
    r.temporary_bytes = 0;  // it allocates in every call
    results.poison();
    std::size_t count = 0;
    const auto timed = timer_.time(r.runs, [&] {
      count = thrust_by_key<T, Op>(keys.data(), in_.data(), n, found.data(), results.data(), timer_.stream());
    });
    std::vector<T> packed(results.size());
    std::vector<std::uint32_t> numbers(results.size());
    results.to_host(packed.data());
    found.to_host(numbers.data());
    std::vector<T> got(results.size(), Op{}.template identity<T>());
    for (std::size_t k = 0; k < count; ++k) got.at(numbers[k]) = packed[k];
    report(std::move(r), answer.accepts(got.data()), timed);
  }

  void ours(const row& blank, segment_shape shape, const device_array<std::uint32_t>& table, device_array<T>& results,
            const answer_type& answer) {
    const std::size_t n = input_.size();
    const std::size_t count = results.size();
    const device machine = peneira::detail::current_device();
    using published_list =
        std::conditional_t<as_published<T, Op>, segmented_reduce_published_strategies, strategy_list<>>;
    using list = joined<segmented_reduce_gpu_strategies, published_list>;
    const std::size_t offset_bytes = shape == segment_shape::every ? 0 : 4;
    const segmented_reduce_problem problem{n, count, sizeof(T), sizeof(T), offset_bytes, true, order::any};
    const auto by = [&](const std::string& name, const std::string& label, const best_reduce_limits& limits) {
      const auto call = [&](auto&& on) {
        const auto from = items(static_cast<const T*>(in_.data()), n);
        const auto to = items(results.data(), count);
        const segmented_reduce_options options{.grouping = grouping_for<published_list>(name), .strategy = name};
        const auto with = [&](const auto& segments) {
          if constexpr (as_published<T, Op>) {
            if (is_in<published_list>(name)) {
              return published::segmented_reduce(on, from, segments, to, Op{}, options, limits);
            }
          }
          segmented_reduce(on, from, segments, to, Op{}, options);
        };
        if (shape == segment_shape::every) {
          with(every{size_for(n, count)});
        } else {
          with(items(static_cast<const std::uint32_t*>(table.data()), count + 1));
        }
      };
      const plan made = explain([&](auto& on) { call(on); }, machine);
      const device_array<char> memory(made.temporary_bytes);
      arena planned(memory.data(), made.temporary_bytes);
      row r = blank;
      r.strategy = label.empty() ? "auto" : label;
      r.chosen = made.strategy;
      r.temporary_bytes = made.temporary_bytes;
      measure(r, results, answer, [&] { call(gpu{.stream = timer_.stream(), .memory = &planned}); });
    };
    for (const std::string& name : strategies_for<list>(axes_, problem, machine)) {
      by(name, name, {});
      if (axes_.paper_limits && name == segmented_reduce_strategies::best_reduce::name) {
        constexpr tuning::segment_limits theirs = tuning::best_reduce_paper_limits;
        by(name, best_reduce_by_paper, {theirs.warp_items, theirs.block_items});
      }
    }
    // The same items without segments, for how much these cost.
    device_array<T> all(1);
    const auto call = [&](auto&& on) { reduce(on, items(static_cast<const T*>(in_.data()), n), all.data(), Op{}); };
    const plan made = explain([&](auto& on) { call(on); }, machine);
    const device_array<char> memory(made.temporary_bytes);
    arena planned(memory.data(), made.temporary_bytes);
    row r = blank;
    r.strategy = "one reduce of all items";
    r.bytes = static_cast<double>(n * sizeof(T));
    measure_all(r, all, [&] { call(gpu{.stream = timer_.stream(), .memory = &planned}); });
  }

  /// The same for a reduce without segments.
  template <class Work>
  void measure_all(row r, device_array<T>& all, Work&& work) {
    all.poison();
    const auto timed = timer_.time(r.runs, work);
    T got{};
    all.to_host(&got);
    report(std::move(r), reduce_answer<T, Op>::accepts(got, all_wanted_, input_.size()), timed);
  }

  const segmented_reduce_axes& axes_;
  reduce_items<T> input_;
  device_array<T> in_;
  typename reduce_answer<T, Op>::type all_wanted_;
  gpu_timer& timer_;
  double bandwidth_;
  const row_sink& sink_;
  bool all_right_ = true;
};

}  // namespace

bool bench_segmented_reduce_gpu(const segmented_reduce_axes& axes, const row_sink& sink) {
  gpu_timer timer;
  const double bandwidth = gpu_read_bandwidth(timer);
  bool all_right = true;
  for (const std::string& type : axes.types) {
    for (const std::string& op : axes.ops) {
      with_type_and_op(type, op, [&]<class T, class Op>(T /*item*/, Op /*op*/) {
        if constexpr (measured_on_gpu<T, Op>) {
          for (const std::uint64_t n : axes.n) {
            gpu_segments_bench<T, Op> rows(axes, n, timer, bandwidth, sink);
            for (const segment_shape shape : axes.shapes) {
              for (const std::uint64_t wanted : axes.segments) {
                const bool even = shape == segment_shape::every;
                const std::uint64_t count =
                    even ? peneira::detail::even_segments{size_for(n, wanted), n}.count() : wanted;
                all_right = rows.run(describe(axes, type, sizeof(T), n, op, shape, count), shape) && all_right;
              }
            }
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
