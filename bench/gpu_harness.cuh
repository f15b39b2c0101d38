// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Timing on the GPU: events around the whole call, a cold L2, the copy bandwidth of the same process.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "bench/device_array.cuh"
#include "bench/harness.hpp"
#include "peneira/gpu/runtime.cuh"
#include "peneira/ops.hpp"
#include "peneira/strategy.hpp"
#include "peneira/view.hpp"

namespace peneira::bench {

/// Keys, and perhaps values, on the device.
template <class K, class V>
class device_items {
 public:
  static constexpr bool with_values = view<K, V>::has_values;
  explicit device_items(std::size_t n) : keys_(n), values_(with_values ? n : 0), n_(n) {}

  void from_host(view<const K, const V> items) {
    keys_.from_host(items.keys);
    if constexpr (with_values) values_.from_host(items.values);
  }
  void poison() {
    keys_.poison();
    if constexpr (with_values) values_.poison();
  }
  [[nodiscard]] view<K, V> items() const { return {keys_.data(), with_values ? values_.data() : nullptr, n_}; }

 private:
  device_array<K> keys_;
  device_array<V> values_;
  std::size_t n_;
};

/// A stream with the means to time calls on it.
class gpu_timer {
 public:
  gpu_timer() : sweep_(std::size_t{256} << 20U) {
    peneira::detail::check(cudaStreamCreate(&stream_), "cudaStreamCreate");
    peneira::detail::check(cudaEventCreate(&start_), "cudaEventCreate");
    peneira::detail::check(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  gpu_timer(const gpu_timer&) = delete;
  gpu_timer& operator=(const gpu_timer&) = delete;
  ~gpu_timer() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
    cudaStreamDestroy(stream_);
  }

  [[nodiscard]] cudaStream_t stream() const { return stream_; }

  /// The seconds of one run. A 256 MB memset ahead of it empties the L2 and hides the launch; `prepare` runs before
  /// that, untimed.
  template <class Prepare, class Work>
  double once(Prepare&& prepare, Work&& work) {
    prepare();
    peneira::detail::check(cudaMemsetAsync(sweep_.data(), 0, sweep_.size(), stream_), "cudaMemsetAsync");
    peneira::detail::check(cudaEventRecord(start_, stream_), "cudaEventRecord");
    work();
    peneira::detail::check(cudaEventRecord(stop_, stream_), "cudaEventRecord");
    peneira::detail::check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    float milliseconds = 0;
    peneira::detail::check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return milliseconds / 1e3;
  }
  /// So many of them, after three to warm up.
  template <class Prepare, class Work>
  timing time(std::size_t runs, Prepare&& prepare, Work&& work) {
    constexpr std::size_t warm_ups = 3;
    std::vector<double> times;
    for (std::size_t r = 0; r < warm_ups + runs; ++r) {
      const double seconds = once(prepare, work);
      if (r >= warm_ups) times.push_back(seconds);
    }
    return summarise(std::move(times));
  }
  /// The same where there is nothing to prepare.
  template <class Work>
  timing time(std::size_t runs, Work&& work) {
    return time(
        runs, [] {}, static_cast<Work&&>(work));
  }

 private:
  device_array<char> sweep_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

/// Bytes read and written a second by a large copy on the device.
inline double gpu_copy_bandwidth(gpu_timer& timer) {
  const std::size_t bytes = std::size_t{1} << 30U;
  const device_array<char> from(bytes);
  const device_array<char> to(bytes);
  const timing copied = timer.time(15, [&] {
    peneira::detail::check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, timer.stream()),
                           "cudaMemcpyAsync");
  });
  return 2.0 * static_cast<double>(bytes) / copied.seconds;
}

/// Whether a list has a strategy of that name.
template <class List>
bool is_in(std::string_view name) {
  bool found = false;
  List::for_each([&](auto strategy) { found = found || name == strategy.name; });
  return found;
}

/// Of an operator and items as in the papers; only these are compiled for the published strategies.
template <class T, class Op>
inline constexpr bool as_published = std::is_same_v<T, std::uint32_t>&& std::is_same_v<Op, max>;

/// The reductions that are compiled for a GPU: those take long.
template <class T, class Op>
inline constexpr bool measured_on_gpu = as_published<T, Op> || (std::is_same_v<T, float> && std::is_same_v<Op, plus>);
[[noreturn]] inline void refuse_on_gpu(const std::string& type, const std::string& op) {
  throw std::invalid_argument("on a GPU this benchmark knows the max of u32 and the sum of f32, not the " + op +
                              " of " + type);
}

/// The published reductions combine by atomics, so that the caller must allow any grouping.
template <class Published>
order grouping_for(std::string_view name) {
  return is_in<Published>(name) ? order::any : order::stable;
}

}  // namespace peneira::bench
