// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Labels instead of keys: a function that takes long is asked once about each key, and then labels are split, with the
// keys along. Each pass of `tiles` asks three times otherwise.
//
// What a function costs nobody says. But a kernel that does nothing but ask it has few registers where it is cheap, and
// many where it is not: the remainder of a 64-bit key, some hundred instructions, has 20, and a shift or a hash 10 to
// 16. The driver tells that without waiting for anything.
#pragma once

#include "peneira/bins.hpp"
#include "peneira/labels.hpp"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/runtime.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#endif

namespace peneira::detail {

/// Whether it is looked at what a function costs: a caller's, of keys that are larger than a label by far.
template <class K, class F>
inline constexpr bool may_take_long = sizeof(K) == 8 && !never_misses<F> && !is_labels<F>;

#if defined(__CUDACC__)

/// Nobody launches it: it shows how many registers a function takes by itself.
template <class K, class F>
__global__ void ask_alone(const K* keys, F f, std::uint32_t* bins) {
  bins[threadIdx.x] = bin_of(f, keys[threadIdx.x]);
}

/// Whether a function takes long, on the device of the first call; not where there is none.
template <class K, class F>
bool takes_long() {
  static const bool found = [] {
    cudaFuncAttributes of_kernel{};
    if (cudaFuncGetAttributes(&of_kernel, ask_alone<K, F>) == cudaSuccess) {
      return of_kernel.numRegs >= tuning::costly_registers;
    }
    static_cast<void>(cudaGetLastError());
    return false;
  }();
  return found;
}

/// Writes the label of every key. Groups of 16 bytes, of which each thread has several under way.
template <class Label, class K, class F>
__global__ void __launch_bounds__(tuning::label_threads)
    label_keys(const K* keys, std::size_t items, F f, std::uint32_t bins, Label* labels) {
  constexpr int group = items_of_16_bytes(sizeof(K));
  constexpr unsigned ahead = 4;
  const auto label_of = [&](const K& key) {
    const std::uint32_t bin = f(key);
    return static_cast<Label>(bin < bins ? bin : bins);
  };
  const std::size_t groups = aligned_for<K, group>(keys) ? items / group : 0;
  const std::size_t stride = std::size_t{gridDim.x} * tuning::label_threads;
  const std::size_t mine = std::size_t{blockIdx.x} * tuning::label_threads + threadIdx.x;
  for (std::size_t g = mine; g < groups; g += ahead * stride) {
    alignas(16) K some[ahead][group];
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j) {
      copy_group<group>(some[j], keys + (g + j * stride < groups ? g + j * stride : g) * group);
    }
#pragma unroll
    for (unsigned j = 0; j < ahead; ++j) {
      if (g + j * stride >= groups) break;
      alignas(16) Label of_group[group];
#pragma unroll
      for (int k = 0; k < group; ++k) of_group[k] = label_of(some[j][k]);
      copy_group<group>(labels + (g + j * stride) * group, of_group);
    }
  }
  for (std::size_t i = groups * group + mine; i < items; i += stride) labels[i] = label_of(keys[i]);
}

#endif

}  // namespace peneira::detail
