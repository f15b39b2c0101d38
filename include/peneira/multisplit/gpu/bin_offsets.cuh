// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Bins as digits of passes, and where they begin among keys that lie in the order of their bins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "peneira/bins.hpp"
#include "peneira/key_order.hpp"
#include "peneira/plan.hpp"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// Threads of a block that finds where bins begin, and of how many bins it counts the keys.
inline constexpr std::uint32_t offset_threads = 256;
inline constexpr std::uint32_t counted_bins = 4 * offset_threads;

/// Whether keys are counted to find where bins begin, or it is searched for each bin.
inline bool offsets_are_counted(std::size_t items, std::uint32_t bins) {
  return items / bins < tuning::searched_items_a_bin;
}
inline step step_of_offsets(std::size_t items, std::uint32_t bins) {
  if (offsets_are_counted(items, bins)) return {"count_offsets", bins / counted_bins + 1, offset_threads};
  return {"find_offsets", std::min<std::size_t>(bins / offset_threads + 1, 1U << 16U), offset_threads};
}

#if defined(__CUDACC__)

/// The bin of a key, or the number of bins where there is none for it.
template <class F, class K>
__device__ std::uint32_t bin_or_last(const F& f, const K& key) {
  const std::uint32_t bin = bin_of(f, key);
  if constexpr (never_misses<F>) return bin;
  return ::min(bin, f.bins());
}

/// The digits of the bins of keys, as passes with look-back take them.
template <class K, class F>
struct bin_digits {
  using bits = bits_of<K>;
  static constexpr unsigned most = sizeof(std::uint32_t);
  static constexpr bool safe = never_misses<F>;

  struct digit {
    F f;
    unsigned shift;
    std::uint32_t mask;
    __device__ std::uint32_t operator()(bits key) const { return bin_or_last(f, key_of_bits<K>(key)) >> shift & mask; }
  };

  F f;
  unsigned passes;
  unsigned digit_bits;

  [[nodiscard]] __device__ unsigned count() const { return passes; }
  [[nodiscard]] __device__ bits to(bits key) const { return key; }
  [[nodiscard]] __device__ bits from(bits key) const { return key; }
  [[nodiscard]] __device__ digit of(unsigned number) const { return {f, number * digit_bits, (1U << digit_bits) - 1}; }
  template <class Visit>
  __device__ __forceinline__ void visit(bits key, Visit&& visit) const {
    const std::uint32_t bin = bin_or_last(f, key_of_bits<K>(key));
#pragma unroll
    for (unsigned d = 0; d < most; ++d) {
      if (d < passes) visit(d, bin >> d * digit_bits & ((1U << digit_bits) - 1));
    }
  }
};

/// Where a bin can begin: among all n keys, or between the starts of the highest digit, of which there are some.
struct bin_range {
  std::size_t low;
  std::size_t high;
};
__device__ inline bin_range range_of_bin(std::size_t n, std::uint32_t bins, std::uint64_t bin, unsigned shift,
                                         const std::uint64_t* starts, std::uint32_t digits) {
  if (starts == nullptr) return {0, n};
  if (bin >= bins) return {starts[digits], starts[digits]};
  return {starts[bin >> shift], starts[(bin >> shift) + 1]};
}

/// Of keys that lie in the order of their bins, the first one in [low, high) whose bin is not below `bin`.
template <class K, class F>
__device__ std::size_t first_of_bin(const K* keys, std::size_t low, std::size_t high, const F& f, std::uint64_t bin) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (bin_or_last(f, keys[middle]) < bin) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Where each bin begins among keys that lie in the order of their bins, by a search for each bin: among all n keys, or
/// from the starts of the highest digit.
template <class K, class F, class Offset>
__global__ void find_offsets(const K* keys, std::size_t n, F f, unsigned shift, const std::uint64_t* starts,
                             std::uint32_t digits, Offset* offsets) {
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; b <= f.bins(); b += stride) {
    const bin_range among = range_of_bin(n, f.bins(), b, shift, starts, digits);
    offsets[b] = static_cast<Offset>(first_of_bin(keys, among.low, among.high, f, b));
  }
}

/// The same where there are hardly more keys than bins: a block searches for where the first of its bins begins and the
/// last one ends, and counts the keys between. Where these are many, each thread searches, too.
template <class K, class F, class Offset>
__global__ void __launch_bounds__(offset_threads)
    count_offsets(const K* keys, std::size_t n, F f, unsigned shift, const std::uint64_t* starts, std::uint32_t digits,
                  Offset* offsets) {
  __shared__ std::size_t borders[2];
  __shared__ std::uint32_t counts[counted_bins];
  __shared__ block_sums<offset_threads, std::uint32_t> sums;
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint64_t first = std::uint64_t{blockIdx.x} * counted_bins;
  const std::uint64_t end = ::min(first + counted_bins, std::uint64_t{f.bins()} + 1);  // the last offset: where all end
  if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
    const std::uint64_t bin = threadIdx.x == 0 ? first : end;
    const bin_range among = range_of_bin(n, f.bins(), bin, shift, starts, digits);
    borders[threadIdx.x / 32] = first_of_bin(keys, among.low, among.high, f, bin);
  }
  for (unsigned b = threadIdx.x; b < counted_bins; b += offset_threads) counts[b] = 0;
  __syncthreads();
  const std::size_t low = borders[0];
  const std::size_t high = borders[1];
  if (high - low > std::size_t{tuning::counted_items_a_bin} * counted_bins) {
    for (std::uint64_t b = first + threadIdx.x; b < end; b += offset_threads) {
      offsets[b] = static_cast<Offset>(first_of_bin(keys, low, high, f, b));
    }
    return;
  }
  for (std::size_t at = low + threadIdx.x; at < high; at += offset_threads) {
    // By 32 bits: ptxas 12 and 13 lose a borrow where 0 is taken from a high half of a product of 32 bits made 64.
    const std::uint32_t bin = bin_or_last(f, keys[at]) - static_cast<std::uint32_t>(first);
    if (bin < counted_bins) atomicAdd(&counts[bin], 1U);  // always, unless the function contradicts itself
  }
  __syncthreads();
  std::uint32_t begins[counted_bins / offset_threads];
  const unsigned mine = threadIdx.x * (counted_bins / offset_threads);
#pragma unroll
  for (unsigned k = 0; k < counted_bins / offset_threads; ++k) begins[k] = counts[mine + k];
  std::uint32_t all = 0;
  sums.before(begins, begins, all);
#pragma unroll
  for (unsigned k = 0; k < counted_bins / offset_threads; ++k) {
    if (first + mine + k < end) offsets[first + mine + k] = static_cast<Offset>(low + begins[k]);
  }
}

/// Finds where bins begin among keys that several passes brought into the order of their bins, as step_of_offsets()
/// planned it.
template <class K, class F, class Offset>
void launch_offsets(const gpu& on, const step& planned, const K* keys, std::size_t n, const F& f, unsigned shift,
                    const std::uint64_t* starts, std::uint32_t digits, Offset* offsets) {
  const auto by = offsets_are_counted(n, f.bins()) ? count_offsets<K, F, Offset> : find_offsets<K, F, Offset>;
  launch(on, start::early, planned, by, keys, n, f, shift, starts, digits, offsets);
}

#endif

}  // namespace peneira::detail
