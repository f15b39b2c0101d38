// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a CUDA programmer calls today for a reduce and a segmented reduce: CUB, whose temporary memory is taken once,
// outside what is timed, and Thrust, which takes its own in every call.
#pragma once

#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/system/cuda/execution_policy.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/functional>
#include <type_traits>

#include "bench/cub_scratch.cuh"
#include "bench/gpu_harness.cuh"
#include "peneira/ops.hpp"

namespace peneira::bench {

/// Thrust's calls are slow to compile, and slow: they are peers for the 32-bit types alone.
template <class T>
inline constexpr bool thrust_is_a_peer = sizeof(T) == 4;

/// CUB's name of an operator.
template <class Op>
using cub_operator = std::conditional_t<std::is_same_v<Op, plus>, ::cuda::std::plus<>, ::cuda::maximum<>>;

/// cub::DeviceReduce::Sum or Max.
template <class T, class Op>
class cub_reduce {
 public:
  cub_reduce(const T* items, std::size_t n, T* result, cudaStream_t stream)
      : call_{items, n, result, stream}, scratch_(call_) {}
  void operator()() { scratch_(call_); }
  [[nodiscard]] std::size_t temporary_bytes() const { return scratch_.bytes(); }

 private:
  struct call {
    const T* items;
    std::size_t n;
    T* result;
    cudaStream_t stream;
    cudaError_t operator()(void* memory, std::size_t& bytes) const {
      if constexpr (std::is_same_v<Op, plus>) {
        return cub::DeviceReduce::Sum(memory, bytes, items, result, n, stream);
      } else {
        return cub::DeviceReduce::Max(memory, bytes, items, result, n, stream);
      }
    }
  };
  call call_;
  cub_scratch scratch_;
};

/// cub::DeviceSegmentedReduce with offsets and our operator's identity for empty segments.
template <class T, class Op>
class cub_segments {
 public:
  cub_segments(const T* items, const std::uint32_t* offsets, std::size_t count, T* results, cudaStream_t stream)
      : call_{items, offsets, count, results, stream}, scratch_(call_) {}
  void operator()() { scratch_(call_); }
  [[nodiscard]] std::size_t temporary_bytes() const { return scratch_.bytes(); }

 private:
  struct call {
    const T* items;
    const std::uint32_t* offsets;
    std::size_t count;
    T* results;
    cudaStream_t stream;
    cudaError_t operator()(void* memory, std::size_t& bytes) const {
      return cub::DeviceSegmentedReduce::Reduce(memory, bytes, items, results, static_cast<std::int64_t>(count),
                                                offsets, offsets + 1, cub_operator<Op>{}, Op{}.template identity<T>(),
                                                stream);
    }
  };
  call call_;
  cub_scratch scratch_;
};

/// thrust::reduce; the result comes to the host.
template <class T, class Op>
T thrust_reduce(const T* items, std::size_t n, cudaStream_t stream) {
  return thrust::reduce(thrust::cuda::par.on(stream), items, items + n, Op{}.template identity<T>(),
                        cub_operator<Op>{});
}

/// thrust::reduce_by_key, with the number of its segment as the key of every item. Returns how many segments it found,
/// which leaves the empty ones out; `found` becomes their numbers.
template <class T, class Op>
std::size_t thrust_by_key(const std::uint32_t* keys, const T* items, std::size_t n, std::uint32_t* found, T* results,
                          cudaStream_t stream) {
  const auto ends = thrust::reduce_by_key(thrust::cuda::par.on(stream), keys, keys + n, items, found, results,
                                          ::cuda::std::equal_to<>{}, cub_operator<Op>{});
  return static_cast<std::size_t>(ends.second - results);
}

/// Bytes read a second: the better of a large copy, whose bytes read and written count, and CUB's reduce of 2 GiB.
inline double gpu_read_bandwidth(gpu_timer& timer) {
  const double copied = gpu_copy_bandwidth(timer);
  const std::size_t n = std::size_t{512} << 20U;
  const device_array<std::uint32_t> words(n);
  const device_array<std::uint32_t> result(1);
  peneira::detail::check(cudaMemset(words.data(), 0, n * sizeof(std::uint32_t)), "cudaMemset");
  cub_reduce<std::uint32_t, max> read(words.data(), n, result.data(), timer.stream());
  const double seconds = timer.time(15, read).seconds;
  return std::max(copied, static_cast<double>(n * sizeof(std::uint32_t)) / seconds);
}

}  // namespace peneira::bench
