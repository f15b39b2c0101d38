// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The histograms of two passes at once. The items of a block's slice that have the same lower digit stay together in
// the first pass, as a stretch of what the second one reads:
//
//   after the first pass   | lower 0: block 0, block 1, ... | lower 1: block 0, block 1, ... | ...
//
// So the counts of both digits together, block by block, say where a stretch's items of each higher digit go. A block
// of the second pass that begins within a stretch counts what lies before it there; from then on all of its runs follow
// one another, since bins of the same higher digit do.
#pragma once

#include "peneira/gpu/scatter/slice_histogram.cuh"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// Counts of the bins of two passes, each of as many digits: 1 << shift.
struct paired_counts {
  unsigned shift;
  std::uint32_t blocks;    ///< of the first pass
  std::uint64_t* columns;  ///< of each block: where it begins within each lower digit, and within each bin
  std::uint64_t* totals;   ///< the size of each lower digit, and of each bin
  std::uint64_t* starts;   ///< where each bin begins, and the end; nullptr: there is no such pair

  [[nodiscard]] PENEIRA_HD std::uint32_t digits() const { return 1U << shift; }
  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return 1U << (2 * shift); }
  /// Columns of a block.
  [[nodiscard]] PENEIRA_HD static constexpr std::size_t row(std::size_t digits) { return digits + digits * digits; }
};

/// Threads of a block that finds where bins begin, each of which has a bin.
inline constexpr std::uint32_t begin_bins_threads = 1024;

#if defined(__CUDACC__)

/// Counts the bins of a slice a block, and the lower digits.
template <unsigned Threads, class K, class F>
__global__ void __launch_bounds__(Threads, tuning::count_threads / Threads)
    count_both(const K* keys, std::size_t items, const std::uint64_t* kept, std::uint32_t unit, F f, paired_counts to) {
  const std::uint32_t digits = to.digits();
  const auto row = static_cast<std::uint32_t>(to.row(digits));
  auto* const counts_of_digits = shared_memory<std::uint32_t>();
  auto* const counts = counts_of_digits + digits;
  wait_for_kernels_before();
  let_next_kernel_start();
  for (std::uint32_t b = threadIdx.x; b < row; b += Threads) counts_of_digits[b] = 0;
  __syncthreads();
  const item_range mine = slice_in_units(items_of_pass(items, kept), blockIdx.x, gridDim.x, unit);
  visit_backwards<Threads, 4 * Threads>(keys, mine, count_in(counts, to.bins(), f));
  __syncthreads();
  for (std::uint32_t b = threadIdx.x; b < to.bins(); b += Threads) {
    atomicAdd(&counts_of_digits[b & (digits - 1)], counts[b]);
  }
  __syncthreads();
  for (std::uint32_t b = threadIdx.x; b < row; b += Threads) {
    to.columns[std::size_t{blockIdx.x} * row + b] = counts_of_digits[b];
  }
}

/// Where each bin begins, and the end. Writes it to the caller's offsets, too, whose bins may be fewer, unless there
/// are none. Blocks sum up for themselves what lies before their bins.
template <class Offset>
__global__ void __launch_bounds__(begin_bins_threads)
    begin_bins(paired_counts counted, std::uint32_t asked, Offset* offsets) {
  __shared__ block_sums<begin_bins_threads> scan;
  let_next_kernel_start();
  wait_for_kernels_before();
  const std::uint64_t* const sizes = counted.totals + counted.digits();
  const std::uint32_t first = blockIdx.x * begin_bins_threads;
  const std::uint32_t bin = first + threadIdx.x;
  const std::uint64_t own = bin < counted.bins() ? sizes[bin] : 0;
  std::uint64_t below = 0;
#pragma unroll 8
  for (std::uint32_t b = threadIdx.x; b < first; b += begin_bins_threads) below += sizes[b];
  std::uint64_t all_below = 0;
  static_cast<void>(scan.before(below, all_below));
  __syncthreads();
  std::uint64_t all = 0;
  const std::uint64_t at = scan.before(own, all);
  const auto publish = [&](std::uint32_t of, std::uint64_t start) {
    counted.starts[of] = start;
    if (offsets != nullptr && of <= asked) offsets[of] = static_cast<Offset>(start);
  };
  if (bin < counted.bins()) publish(bin, all_below + at);
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) publish(counted.bins(), all_below + all);
}

/// By all Threads of a block of the second pass, whose slice begins at `at`: where its first item of the higher digit
/// threadIdx.x goes. `begins` says where each lower digit begins in what it reads; `counts` has room for a word a
/// digit.
template <unsigned Threads, class K, class F>
[[nodiscard]] __device__ std::uint64_t first_of_slice(const paired_counts& counted, const std::uint64_t* begins,
                                                      const K* keys, const F& f, std::size_t at,
                                                      std::uint32_t* counts) {
  const std::uint32_t digits = counted.digits();
  const std::uint32_t mine = threadIdx.x;
  if (mine < digits) counts[mine] = 0;
  // The stretch: the last one that does not begin behind.
  const std::uint32_t lower = __syncthreads_count(mine < digits && begins[mine] <= at) - 1;
  const auto columns_of = [&](std::uint32_t block) { return counted.columns + block * counted.row(digits); };
  std::uint32_t begun = 0;
  for (std::uint32_t k = 0; k < counted.blocks; k += Threads) {
    begun += __syncthreads_count(k + mine < counted.blocks && begins[lower] + columns_of(k + mine)[lower] <= at);
  }
  const std::uint64_t* const columns = columns_of(begun - 1);

  visit_backwards<Threads, 4 * Threads>(keys, {begins[lower] + columns[lower], at}, count_in(counts, digits, f));
  __syncthreads();
  if (mine >= digits) return 0;
  const std::uint32_t bin = (mine << counted.shift) + lower;
  return counted.starts[bin] + columns[digits + bin] + counts[mine];
}

#endif

}  // namespace peneira::detail
