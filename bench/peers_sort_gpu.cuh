// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a CUDA programmer calls today to sort: CUB's radix sort, whose temporary memory is taken once, outside what is
// timed, and thrust::sort, which sorts in place and takes its own memory in every call.
#pragma once

#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <memory>
#include <type_traits>

#include "bench/gpu_harness.cuh"
#include "peneira/view.hpp"

namespace peneira::bench {

/// Thrust's sort is CUB's with an allocation and a copy: it is a peer for few u32 keys, where those cost the most.
template <class K, class V>
inline constexpr bool thrust_sort_is_a_peer = std::is_same_v<K, std::uint32_t> && !view<K, V>::has_values;
inline constexpr std::size_t most_thrust_items = 65536;

/// cub::DeviceRadixSort::SortKeys or SortPairs, out of place and stable.
template <class K, class V>
class cub_sort {
 public:
  static constexpr const char* name =
      view<K, V>::has_values ? "cub::DeviceRadixSort::SortPairs" : "cub::DeviceRadixSort::SortKeys";

  cub_sort(view<const K, const V> in, view<K, V> out, cudaStream_t stream) : in_(in), out_(out), stream_(stream) {
    call();
    memory_ = std::make_unique<device_array<char>>(std::max<std::size_t>(bytes_, 1));
  }
  void operator()() { call(); }
  [[nodiscard]] std::size_t temporary_bytes() const { return bytes_; }

 private:
  /// Without memory it only says how much it wants.
  void call() {
    void* const memory = memory_ ? memory_->data() : nullptr;
    constexpr int bits = 8 * sizeof(K);
    if constexpr (view<K, V>::has_values) {
      peneira::detail::check(cub::DeviceRadixSort::SortPairs(memory, bytes_, in_.keys, out_.keys, in_.values,
                                                             out_.values, in_.size, 0, bits, stream_),
                             name);
    } else {
      peneira::detail::check(
          cub::DeviceRadixSort::SortKeys(memory, bytes_, in_.keys, out_.keys, in_.size, 0, bits, stream_), name);
    }
  }

  view<const K, const V> in_;
  view<K, V> out_;
  cudaStream_t stream_;
  std::size_t bytes_ = 0;
  std::unique_ptr<device_array<char>> memory_;
};

/// thrust::sort of keys, in place.
template <class K>
void thrust_sort(K* keys, std::size_t n, cudaStream_t stream) {
  thrust::sort(thrust::cuda::par.on(stream), keys, keys + n);
}

}  // namespace peneira::bench
