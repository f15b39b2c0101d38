// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A histogram on a GPU, beside CUB's: of the keys where bins are equal ranges, and of the bins that a function gives.
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_histogram.cuh>

#include "bench/cub_scratch.cuh"
#include "bench/sweep/gpu_place.cuh"
#include "peneira/histogram.hpp"

namespace peneira::bench::sweep {
namespace {

using key = std::uint32_t;

class histogram_race_gpu {
 public:
  histogram_race_gpu(const problem& p, gpu_place& at)
      : p_(p), at_(at), input_(p, 1, at.on.threads), in_(p.n), counts_(p.bins) {
    in_.from_host(input_.items().keys);
    counts_.poison();
  }

  outcome run() {
    if (p_.function == bin_function::callers) return by(binned(p_.bins, remainder{p_.bins}));
    const ranges<key> f = ranges_for<key>(p_, input_.items().keys, at_.on.threads);
    const std::uint64_t end = p_.whole_range ? 0 : std::uint64_t{greatest()} + 1;  // 0: more than a level can say
    if (end != 0 && end <= std::numeric_limits<key>::max()) {
      add("cub::DeviceHistogram::HistogramEven", static_cast<const key*>(in_.data()), static_cast<key>(end));
    }
    return by(f);
  }

 private:
  [[nodiscard]] key greatest() const { return *std::max_element(input_.items().keys, input_.items().keys + p_.n); }

  /// CUB's histogram of samples from 0 to before `end`.
  template <class Samples>
  void add(const char* name, Samples samples, key end) {
    const auto call = [this, samples, end](void* memory, std::size_t& bytes) {
      return cub::DeviceHistogram::HistogramEven(memory, bytes, samples, counts_.data(), static_cast<int>(p_.bins) + 1,
                                                 key{0}, end, static_cast<std::int64_t>(p_.n), at_.stream());
    };
    auto scratch = std::make_shared<cub_scratch>(call);
    peers_.push_back({name, [] {}, [scratch, call] { (*scratch)(call); }, [this] { return accepts(); }});
  }

  template <class F>
  outcome by(const F& f) {
    wanted_.assign(p_.bins, 0);
    for (std::size_t i = 0; i < p_.n; ++i) ++wanted_[f(input_.items().keys[i])];
    add("cub::DeviceHistogram of the bins", thrust::make_transform_iterator(static_cast<const key*>(in_.data()), f),
        static_cast<key>(p_.bins));
    outcome found;
    found.bytes = static_cast<double>((p_.n + p_.bins) * sizeof(key));
    const auto call = [&](auto&& on) {
      histogram(on, items(static_cast<const key*>(in_.data()), p_.n), f, items(counts_.data(), p_.bins));
    };
    const planned_call planned(at_, call, found);
    race_on(at_, std::move(peers_), {"peneira", [] {}, [&] { call(planned.place()); }, [this] { return accepts(); }},
            found);
    return found;
  }

  bool accepts() {
    std::vector<std::uint32_t> got(p_.bins);
    counts_.to_host(got.data());
    counts_.poison();
    return got == wanted_;
  }

  const problem& p_;
  gpu_place& at_;
  made_items<key, no_value> input_;
  device_array<key> in_;
  device_array<std::uint32_t> counts_;
  std::vector<std::uint32_t> wanted_;
  std::vector<contestant> peers_;
};

}  // namespace

outcome race_histogram_gpu(const problem& p, gpu_place& at) {
  return histogram_race_gpu(p, at).run();
}

}  // namespace peneira::bench::sweep
