// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a CUDA programmer does today to partition by a function of their own, label each key with its bin and sort the
// labels with CUB, the keys along; and what CUB's radix sort does where the bins are bits of the keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <memory>

#include "bench/gpu_harness.cuh"
#include "peneira/bins.hpp"
#include "peneira/view.hpp"

namespace peneira::bench {

template <class K, class F>
__global__ void label_keys(const K* keys, std::size_t n, F f, std::uint32_t* labels) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) labels[i] = f(keys[i]);
}

/// offsets[b] is the first position whose label is not below b.
static __global__ void find_label_offsets(const std::uint32_t* labels, std::size_t n, std::size_t bins,
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

/// Stable. Its memory is taken once, outside what is timed. Moves items of type T, by the labels of keys of any type.
template <class T>
class label_and_sort {
 public:
  label_and_sort(std::size_t n, std::size_t bins)
      : labels_(n), bins_(bins), bits_(std::max(1, static_cast<int>(std::bit_width(bins - 1)))) {
    peneira::detail::check(sort(nullptr, nullptr, nullptr, n, nullptr), "cub::DeviceRadixSort::SortPairs");
    scratch_ = std::make_unique<device_array<char>>(bytes_);
  }

  /// `sorted` becomes the labels in order.
  template <class K, class F>
  void by(const K* keys, const T* in, T* out, std::uint32_t* sorted, std::size_t n, const F& f, std::uint64_t* offsets,
          cudaStream_t stream) {
    constexpr int threads = 256;
    label_keys<<<4096, threads, 0, stream>>>(keys, n, f, labels_.data());
    peneira::detail::check(sort(in, out, sorted, n, stream), "cub::DeviceRadixSort::SortPairs");
    find_label_offsets<<<static_cast<unsigned>(bins_ / threads + 1), threads, 0, stream>>>(sorted, n, bins_, offsets);
    peneira::detail::check(cudaGetLastError(), "label_and_sort");
  }

 private:
  cudaError_t sort(const T* in, T* out, std::uint32_t* sorted, std::size_t n, cudaStream_t stream) {
    return cub::DeviceRadixSort::SortPairs(scratch_ ? scratch_->data() : nullptr, bytes_, labels_.data(), sorted, in,
                                           out, n, 0, bits_, stream);
  }

  device_array<std::uint32_t> labels_;
  std::size_t bins_;
  int bits_;
  std::size_t bytes_ = 0;
  std::unique_ptr<device_array<char>> scratch_;
};

/// CUB's radix sort on some bits of the keys alone: the same split, where the bins are those bits. Leaves no offsets.
template <class K, class V>
class radix_pass {
 public:
  /// The highest bits.
  radix_pass(std::size_t n, std::size_t bins)
      : radix_pass(n, static_cast<int>(8 * sizeof(K)) - static_cast<int>(std::bit_width(bins - 1)), 8 * sizeof(K)) {}
  /// The bits from the first to before the last.
  radix_pass(std::size_t n, int first_bit, int last_bit) : first_bit_(first_bit), last_bit_(last_bit) {
    peneira::detail::check((*this)({nullptr, nullptr, n}, {nullptr, nullptr, n}, nullptr), "cub::DeviceRadixSort");
    scratch_ = std::make_unique<device_array<char>>(bytes_);
  }
  cudaError_t operator()(view<const K, const V> in, view<K, V> out, cudaStream_t stream) {
    void* const scratch = scratch_ ? scratch_->data() : nullptr;
    if constexpr (view<K, V>::has_values) {
      return cub::DeviceRadixSort::SortPairs(scratch, bytes_, in.keys, out.keys, in.values, out.values, in.size,
                                             first_bit_, last_bit_, stream);
    } else {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes_, in.keys, out.keys, in.size, first_bit_, last_bit_, stream);
    }
  }

 private:
  int first_bit_;
  int last_bit_;
  std::size_t bytes_ = 0;
  std::unique_ptr<device_array<char>> scratch_;
};

template <class K, class V>
__global__ void gather_pairs(view<const K, const V> in, const std::uint32_t* indices, view<K, V> out) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < in.size; i += stride) {
    out.keys[i] = in.keys[indices[i]];
    out.values[i] = in.values[indices[i]];
  }
}

static __global__ void number_items(std::uint32_t* indices, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += stride) {
    indices[i] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace peneira::bench
