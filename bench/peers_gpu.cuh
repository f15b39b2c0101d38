// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a CUDA programmer does today to partition by a function of their own: label each key with its bin and sort the
// labels with CUB, the keys along.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <memory>

#include "bench/gpu_harness.cuh"
#include "peneira/bins.hpp"

namespace peneira::bench {

template <class K, class F>
__global__ void label_keys(const K* keys, std::size_t n, F f, std::uint32_t* labels) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) labels[i] = f(keys[i]);
}

/// offsets[b] is the first position whose label is not below b.
static __global__ void find_offsets(const std::uint32_t* labels, std::size_t n, std::size_t bins,
                                    std::uint64_t* offsets) {
  const std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (b > bins) return;
  std::size_t low = 0;
  std::size_t high = n;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (labels[middle] < b) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  offsets[b] = low;
}

/// Stable. Its memory is taken once, outside what is timed.
template <class K>
class label_and_sort {
 public:
  label_and_sort(std::size_t n, std::size_t bins)
      : labels_(n), sorted_(n), bins_(bins), bits_(std::max(1, static_cast<int>(std::bit_width(bins - 1)))) {
    peneira::detail::check(sort(nullptr, nullptr, n, nullptr), "cub::DeviceRadixSort::SortPairs");
    scratch_ = std::make_unique<device_array<char>>(bytes_);
  }

  template <class F>
  void operator()(const K* in, K* out, std::size_t n, const F& f, std::uint64_t* offsets, cudaStream_t stream) {
    constexpr int threads = 256;
    label_keys<<<4096, threads, 0, stream>>>(in, n, f, labels_.data());
    peneira::detail::check(sort(in, out, n, stream), "cub::DeviceRadixSort::SortPairs");
    find_offsets<<<static_cast<unsigned>(bins_ / threads + 1), threads, 0, stream>>>(sorted_.data(), n, bins_, offsets);
    peneira::detail::check(cudaGetLastError(), "label_and_sort");
  }

 private:
  cudaError_t sort(const K* in, K* out, std::size_t n, cudaStream_t stream) {
    return cub::DeviceRadixSort::SortPairs(scratch_ ? scratch_->data() : nullptr, bytes_, labels_.data(),
                                           sorted_.data(), in, out, n, 0, bits_, stream);
  }

  device_array<std::uint32_t> labels_;
  device_array<std::uint32_t> sorted_;
  std::size_t bins_;
  int bits_;
  std::size_t bytes_ = 0;
  std::unique_ptr<device_array<char>> scratch_;
};

}  // namespace peneira::bench
