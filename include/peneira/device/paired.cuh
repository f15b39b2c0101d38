// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Two passes that are counted at once. The items of a block's slice that have the same lowest digit stay together in
// the first pass, as a stretch of what the second one reads:
//
//   after the first pass   | digit 0: block 0, block 1, ... | digit 1: block 0, block 1, ... | ...
//
// So the counts of both digits together, block by block, tell where a stretch's items of each higher digit go. A block
// of the second pass that begins within a stretch counts what lies before it there; from then on all of its runs follow
// one another, since bins of the same higher digit do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/columns.cuh"

#if defined(__CUDACC__)
#include <cub/block/block_scan.cuh>

#include "peneira/device/runtime.cuh"
#endif

namespace peneira::detail {

/// What the second of two passes knows of the first.
struct paired_counts {
  const std::uint64_t* starts;   ///< where each bin of both digits begins, and the end; nullptr: counted by itself
  const std::uint64_t* digits;   ///< where each digit of the first pass begins in what this one reads
  const std::uint64_t* columns;  ///< of each block of the first pass: where it begins in each digit, and in each bin
  std::uint32_t blocks;
  unsigned shift;  ///< bits of a digit

#if defined(__CUDACC__)
  /// Where a digit of the second pass begins.
  [[nodiscard]] __device__ std::uint64_t start_of(std::uint32_t digit) const {
    return starts[std::size_t{digit} << shift];
  }

  /// By all Threads of a block whose slice begins at `at`: where its first item of the digit threadIdx.x goes. `counts`
  /// has room for a word a digit.
  template <unsigned Threads, class K, class F>
  [[nodiscard]] __device__ std::uint64_t first_of(const K* keys, const F& f, std::uint32_t bins, std::size_t at,
                                                  std::uint32_t* counts) const {
    const std::uint32_t mine = threadIdx.x;
    const std::size_t row = bins + (std::size_t{bins} << shift);
    if (mine < bins) counts[mine] = 0;
    const auto digit = static_cast<std::uint32_t>(__syncthreads_count(mine < bins && digits[mine] <= at)) - 1;
    std::uint32_t begun = 0;  // blocks whose stretches do not begin behind
    for (std::uint32_t k = 0; k < blocks; k += Threads) {
      begun += __syncthreads_count(k + mine < blocks && digits[digit] + columns[(k + mine) * row + digit] <= at);
    }
    const std::uint64_t* const from = columns + (begun - 1) * row;
    visit_backwards<Threads, 4 * Threads>(keys, {digits[digit] + from[digit], at}, [&](const K& key) {
      const std::uint32_t bin = f(key);
      if (F::safe || bin < bins) atomicAdd(&counts[bin], 1U);
    });
    __syncthreads();
    if (mine >= bins) return 0;
    const std::size_t both = (std::size_t{mine} << shift) + digit;
    return starts[both] + from[bins + both] + counts[mine];
  }
#endif
};

inline constexpr std::uint32_t begin_bins_threads = 1024;

#if defined(__CUDACC__)

/// Where each of so many bins begins, and the end, from their sizes. Tells it to the caller, whose bins may be fewer,
/// unless nobody asks. Each thread has a bin; blocks sum up for themselves what lies before theirs.
template <class Offset>
__global__ void __launch_bounds__(begin_bins_threads)
    begin_bins(const std::uint64_t* sizes, std::uint32_t bins, std::uint64_t* starts, std::uint32_t asked,
               Offset* offsets) {
  using scan = cub::BlockScan<std::uint64_t, begin_bins_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage scratch;
  let_next_kernel_start();
  wait_for_kernels_before();
  const std::uint32_t bin = blockIdx.x * begin_bins_threads + threadIdx.x;
  std::uint64_t own = bin < bins ? sizes[bin] : 0;
  std::uint64_t below = 0;
#pragma unroll 8
  for (std::uint32_t b = threadIdx.x; b < blockIdx.x * begin_bins_threads; b += begin_bins_threads) below += sizes[b];
  std::uint64_t at = 0;
  std::uint64_t all_below = 0;
  scan(scratch).ExclusiveSum(below, at, all_below);
  __syncthreads();
  std::uint64_t all = 0;
  scan(scratch).ExclusiveSum(own, at, all);
  const auto tell = [&](std::uint32_t of, std::uint64_t start) {
    starts[of] = start;
    if (offsets != nullptr && of <= asked) offsets[of] = static_cast<Offset>(start);
  };
  if (bin < bins) tell(bin, all_below + at);
  if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) tell(bins, all_below + all);
}

#endif

}  // namespace peneira::detail
