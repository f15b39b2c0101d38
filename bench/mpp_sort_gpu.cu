// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>

#include "bench/gpu_harness.cuh"
#include "bench/mpp_sort.hpp"
#include "bench/sort_inputs.hpp"
#include "peneira/sort/published.hpp"

namespace peneira::bench {
namespace {

using key = std::uint32_t;
using strategy = sort_strategies::mpp_sort;

class event {
 public:
  event() { peneira::detail::check(cudaEventCreate(&handle_), "cudaEventCreate"); }
  event(const event&) = delete;
  event& operator=(const event&) = delete;
  ~event() { cudaEventDestroy(handle_); }

  void record(cudaStream_t stream) const {
    peneira::detail::check(cudaEventRecord(handle_, stream), "cudaEventRecord");
  }
  void wait() const { peneira::detail::check(cudaEventSynchronize(handle_), "cudaEventSynchronize"); }
  [[nodiscard]] double seconds_since(const event& before) const {
    float milliseconds = 0;
    peneira::detail::check(cudaEventElapsedTime(&milliseconds, before.handle_, handle_), "cudaEventElapsedTime");
    return milliseconds / 1e3;
  }

 private:
  cudaEvent_t handle_ = nullptr;
};

class one_mpp_sort {
 public:
  explicit one_mpp_sort(const mpp_sort_work& work)
      : work_(work),
        keys_(work.n),
        in_(work.n),
        out_(work.n),
        sweep_(std::size_t{256} << 20U),
        on_{.stream = timer_.stream()},
        decided_(strategy::decide({work.n, sizeof(key), 0, 0, 8 * sizeof(key), order::any, false, work.limits},
                                  peneira::detail::current_device())) {
    fill_sort_input(keys_.data(), 0, work.n, work.n, work.input, work.seed);
    in_.from_host(keys_.data());
    std::sort(keys_.begin(), keys_.end());
  }

  mpp_sort_tables run(const row_sink& sink) {
    mpp_sort_tables tables;
    tables.partitions = decided_.partitions;
    tables.rounds = decided_.rounds;
    row blank;
    blank.primitive = "sort";
    blank.place = "gpu";
    blank.type = "u32";
    blank.distribution = work_.input;
    blank.n = work_.n;
    blank.bins = tables.partitions;
    blank.runs = work_.runs;
    blank.bytes = 2.0 * static_cast<double>(work_.n) * sizeof(key);
    blank.copy_bandwidth = gpu_copy_bandwidth(timer_);
    const auto report = [&](row r, const std::string& name, const std::vector<double>& times, bool right) {
      r.strategy = name;
      r.set(summarise(times));
      r.right = right;
      sink(r);
      return mean_of(times);
    };

    const std::vector<double> by_thrust = times_of(
        [&] {
          peneira::detail::check(
              cudaMemcpyAsync(out_.data(), in_.data(), work_.n * sizeof(key), cudaMemcpyDeviceToDevice, on_.stream),
              "cudaMemcpyAsync");
        },
        [&] { thrust::sort(thrust::cuda::par.on(on_.stream), out_.data(), out_.data() + work_.n); });
    row peer = blank;
    peer.peer = true;
    const bool thrust_right = is_right();
    tables.thrust = report(peer, "thrust::sort", by_thrust, thrust_right);

    out_.poison();
    const std::vector<double> by_call = times_of([] {}, [&] { call(on_); });
    row ours = blank;
    ours.chosen = strategy::name;
    ours.temporary_bytes = peneira::detail::temporary_bytes<strategy>(decided_);
    const bool call_right = is_right();
    const std::string knobs = knobs_of(work_.limits);
    tables.whole = report(ours, std::string(strategy::name) + knobs, by_call, call_right);

    out_.poison();
    time_kernels();
    const bool kernels_right = is_right();
    row part = blank;
    part.op = "kernel";  // not the work that the peer does
    std::vector<double> published(work_.runs);
    for (const std::string& name : order_) {
      const std::vector<double>& times = kernels_.at(name);
      tables.kernels.push_back({name, report(part, "mpp_sort: " + name + knobs, times, kernels_right)});
      if (name == "find_range") continue;
      for (std::size_t r = 0; r < work_.runs; ++r) published[r] += times[r];
    }
    tables.published = report(part, "mpp_sort: all but find_range" + knobs, published, kernels_right);
    tables.right = thrust_right && call_right && kernels_right;
    if (work_.large_by_thrust) {
      out_.poison();
      const std::vector<double> by_both = times_of([] {}, [&] { call_with_thrust(); });
      const bool both_right = is_right();
      tables.by_thrust = report(ours, mpp_sort_and_thrust + knobs, by_both, both_right);
      tables.right = tables.right && both_right;
    }
    return tables;
  }

 private:
  static constexpr std::size_t warm_ups = 3;

  template <class Place>
  void call(Place& on) {
    published::sort(on, items(static_cast<const key*>(in_.data()), work_.n), items(out_.data(), work_.n),
                    {.strategy = strategy::name}, work_.limits);
  }
  /// As the report: the host waits for the partitions, and thrust::sort gets those that are too large, one by one.
  void call_with_thrust() {
    const auto sort_large = [&](const auto& round) {
      const auto read = [&](auto* to, const void* from, std::size_t count) {
        peneira::detail::check(cudaMemcpyAsync(to, from, count * sizeof(*to), cudaMemcpyDeviceToHost, on_.stream),
                               "cudaMemcpyAsync");
        peneira::detail::check(cudaStreamSynchronize(on_.stream), "cudaStreamSynchronize");
      };
      sort_strategies::mpp_count count{};
      read(&count, round.next_count, 1);
      std::vector<sort_strategies::mpp_segment> large(count.segments());
      if (!large.empty()) read(large.data(), round.next_segments, large.size());
      for (const sort_strategies::mpp_segment& one : large) {
        key* const begin = round.out.keys + one.begin;
        peneira::detail::check(cudaMemcpyAsync(begin, round.to.keys + one.begin, one.size * sizeof(key),
                                               cudaMemcpyDeviceToDevice, on_.stream),
                               "cudaMemcpyAsync");
        thrust::sort(thrust::cuda::par.on(on_.stream), begin, begin + one.size);
      }
    };
    run_strategy(strategy::unwatched{}, sort_large);
  }
  template <class Watch, class Large = strategy::partitions_them_again>
  void run_strategy(const Watch& watch, const Large& large = {}) {
    strategy::run<key, no_value>(on_, decided_, items(static_cast<const key*>(in_.data()), work_.n),
                                 items(out_.data(), work_.n), peneira::detail::order_of<key>(false), {}, watch, large);
  }
  /// Empties the L2, and gives the host time to launch what follows.
  void sweep() {
    peneira::detail::check(cudaMemsetAsync(sweep_.data(), 0, sweep_.size(), on_.stream), "cudaMemsetAsync");
  }
  [[nodiscard]] bool is_right() const {
    std::vector<key> got(work_.n);
    out_.to_host(got.data());
    return got == keys_;
  }

  template <class Prepare, class Work>
  std::vector<double> times_of(Prepare&& prepare, Work&& work) {
    const event start;
    const event stop;
    std::vector<double> times;
    for (std::size_t r = 0; r < warm_ups + work_.runs; ++r) {
      prepare();
      sweep();
      start.record(on_.stream);
      work();
      stop.record(on_.stream);
      stop.wait();
      if (r >= warm_ups) times.push_back(stop.seconds_since(start));
    }
    return times;
  }

  /// An event behind each launch; the time between two is that of the kernel between them.
  void time_kernels() {
    plan shown;
    peneira::detail::show(decided_, shown);
    std::deque<event> events(1 + shown.steps.size() * decided_.rounds);
    std::vector<std::string> names(events.size());
    for (std::size_t r = 0; r < warm_ups + work_.runs; ++r) {
      sweep();
      std::size_t at = 0;
      run_strategy([&](std::string_view kernel) {
        names.at(at) = kernel;
        events.at(at++).record(on_.stream);
      });
      events.back().wait();
      if (r < warm_ups) continue;
      for (std::size_t e = 1; e < events.size(); ++e) {
        std::vector<double>& times = kernels_[names[e]];
        if (times.empty()) order_.push_back(names[e]);
        times.resize(r - warm_ups + 1);
        times.back() += events[e].seconds_since(events[e - 1]);
      }
    }
  }

  mpp_sort_work work_;
  std::vector<key> keys_;  ///< sorted, once they are on the device
  device_array<key> in_;
  device_array<key> out_;
  device_array<char> sweep_;
  gpu_timer timer_;
  gpu on_;
  strategy::parameters decided_;
  std::map<std::string, std::vector<double>> kernels_;  ///< all rounds of a run together
  std::vector<std::string> order_;
};

}  // namespace

mpp_sort_tables bench_mpp_sort_gpu(const mpp_sort_work& work, const row_sink& sink) {
  static_cast<void>(explain(  // throws where a knob is wrong
      [&](auto& on) {
        published::sort(on, items(static_cast<const key*>(nullptr), work.n), items(static_cast<key*>(nullptr), work.n),
                        {.strategy = strategy::name}, work.limits);
      },
      peneira::detail::current_device()));
  return one_mpp_sort(work).run(sink);
}

}  // namespace peneira::bench
