// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One round of mpp_sort: every segment is partitioned by equal widths of the keys between its least and its greatest,
// and the partitions that fit shared memory are sorted. The five kernels of the report, and one before them:
//
//   find_range                  the least and the greatest key of each segment
//   block_and_global_histogram  a row of partition sizes a slice of a segment, and their sum over the segment
//   scan_histogram              where each partition begins; those that are too large are segments of the next round
//   scan_block_histograms       down each column: where in its partition a slice puts its items
//   partition                   each item straight to its place
//   sort_partitions             in mpp_local.hpp
//
// The first round has one segment, the input. A round that finds no segments ends at once.
#pragma once

#include "peneira/key_order.hpp"
#include "peneira/view.hpp"

#if defined(__CUDACC__)
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::sort_strategies {

inline constexpr std::uint32_t mpp_threads = 1024;
inline constexpr std::uint32_t mpp_scan_threads = 256;  ///< more of them spill

/// A run of items that a round partitions.
struct mpp_segment {
  unsigned long long begin;
  unsigned long long size;
  unsigned long long first_row;  ///< of its slices in the matrix of histograms
};

/// What keys of a segment were seen; zeros where none was.
struct mpp_range {
  unsigned long long most;
  unsigned long long flipped_least;  ///< the most of the complements
};

/// How many segments a round has, and slices of them: one word, so that one addition appends a segment, and the first
/// rows ascend along the list.
struct mpp_count {
  static constexpr unsigned row_bits = 40;
  unsigned long long packed;

  PENEIRA_HD static constexpr mpp_count one(std::size_t rows) { return {(1ULL << row_bits) | rows}; }
  [[nodiscard]] PENEIRA_HD std::size_t segments() const { return packed >> row_bits; }
  [[nodiscard]] PENEIRA_HD std::size_t rows() const { return packed & ((1ULL << row_bits) - 1); }
};

/// What the kernels of a round know.
template <class U, class V>
struct mpp_round {
  view<const U, const V> from;
  view<U, V> to;
  view<U, V> out;  ///< where sorted partitions go; perhaps the same as `to`
  detail::key_order<U> by;
  bool first;  ///< the one segment is all items
  const mpp_segment* segments;
  mpp_segment* next_segments;
  mpp_range* ranges;  ///< of each segment
  mpp_range* next_ranges;
  const unsigned long long* count;  ///< an mpp_count
  unsigned long long* next_count;
  unsigned long long* totals;  ///< of each segment: sizes of its partitions; once scanned, where they begin
  unsigned long long* rows;    ///< of each slice: items of each partition; once scanned, those of slices before it
  std::size_t slice;           ///< items of a slice, at most 2^31
  std::uint32_t partitions;    ///< of a segment
  std::uint32_t capacity;      ///< items that a block can sort
  std::uint32_t run_items;     ///< that the network sorts before runs are merged; 0: all
  std::uint32_t counted_at_once;
  std::uint32_t placed_at_once;

#if defined(__CUDACC__)
  /// Partitions of equal widths from the least key on. Width 0 stands for one that holds all keys that there are.
  struct widths {
    U least;
    U width;
    [[nodiscard]] __device__ std::uint32_t operator()(U ordered) const {
      return width == 0 ? 0 : static_cast<std::uint32_t>(static_cast<U>(ordered - least) / width);
    }
    /// Keys of a partition are all equal.
    [[nodiscard]] __device__ bool are_single_keys() const { return width == 1; }
  };
  /// A slice of a segment.
  struct slice_of_segment {
    std::size_t segment;
    std::size_t begin;
    std::size_t end;
  };

  [[nodiscard]] __device__ std::size_t slices_of(std::size_t size) const {
    return (size + slice - 1) / slice;
  }
  [[nodiscard]] __device__ mpp_count all() const {
    return first ? mpp_count::one(slices_of(from.size)) : mpp_count{*count};
  }
  [[nodiscard]] __device__ mpp_segment segment(std::size_t s) const {
    return first ? mpp_segment{0, from.size, 0} : segments[s];
  }
  [[nodiscard]] __device__ widths widths_of(std::size_t s) const {
    const auto least = static_cast<U>(~ranges[s].flipped_least);
    const auto span = static_cast<U>(static_cast<U>(ranges[s].most) - least);
    return {least, static_cast<U>(span / partitions + 1)};
  }
  /// The slice that a row is of: the last segment whose first row is not behind it has it.
  [[nodiscard]] __device__ slice_of_segment slice_of(std::size_t row) const {
    std::size_t low = 0;
    std::size_t high = all().segments();
    while (high - low > 1) {
      const std::size_t middle = (low + high) / 2;
      if (segment(middle).first_row <= row) {
        low = middle;
      } else {
        high = middle;
      }
    }
    const mpp_segment mine = segment(low);
    const std::size_t begin = mine.begin + (row - mine.first_row) * slice;
    const std::size_t end = mine.begin + mine.size;
    return {low, begin, end - begin < slice ? end : begin + slice};
  }
  /// A partition that is too large becomes a segment of the next round.
  __device__ void partition_again(unsigned long long begin, unsigned long long size) const {
    const mpp_count before{atomicAdd(next_count, mpp_count::one(slices_of(size)).packed)};
    next_segments[before.segments()] = {begin, size, before.rows()};
    next_ranges[before.segments()] = {0, 0};
  }
#endif
};

#if defined(__CUDACC__)

namespace published_kernels {

struct larger {
  __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const { return a < b ? b : a; }
};

/// Partitions from `first` on that a block has counters for. A partition before or behind them has a number, counted
/// from first in 32 bits, that is no less than `size`.
struct partition_group {
  std::uint32_t first;
  std::uint32_t size;

  __device__ partition_group(std::size_t from, std::uint32_t at_once, std::uint32_t all)
      : first(static_cast<std::uint32_t>(from)), size(at_once < all - first ? at_once : all - first) {}
};

template <class U, class V>
__global__ void __launch_bounds__(mpp_threads) find_range(mpp_round<U, V> round) {
  using reduce = cub::BlockReduce<unsigned long long, mpp_threads>;
  __shared__ typename reduce::TempStorage scratch;
  const mpp_count all = round.all();

  // Clears what the next kernel adds to.
  const std::size_t totals = all.segments() * round.partitions;
  const std::size_t stride = std::size_t{gridDim.x} * mpp_threads;
  for (std::size_t t = std::size_t{blockIdx.x} * mpp_threads + threadIdx.x; t < totals; t += stride) {
    round.totals[t] = 0;
  }

  for (std::size_t row = blockIdx.x; row < all.rows(); row += gridDim.x) {
    const auto mine = round.slice_of(row);
    mpp_range seen{0, 0};
    for (std::size_t at = mine.begin + threadIdx.x; at < mine.end; at += mpp_threads) {
      const unsigned long long key = round.by(round.from.keys[at]);
      seen.most = larger{}(seen.most, key);
      seen.flipped_least = larger{}(seen.flipped_least, ~key);
    }
    seen.most = reduce(scratch).Reduce(seen.most, larger{});
    __syncthreads();
    seen.flipped_least = reduce(scratch).Reduce(seen.flipped_least, larger{});
    if (threadIdx.x == 0) {
      atomicMax(&round.ranges[mine.segment].most, seen.most);
      atomicMax(&round.ranges[mine.segment].flipped_least, seen.flipped_least);
    }
    __syncthreads();
  }
}

template <class U, class V>
__global__ void __launch_bounds__(mpp_threads) block_and_global_histogram(mpp_round<U, V> round) {
  auto* const local = detail::shared_memory<std::uint32_t>();
  const mpp_count all = round.all();
  for (std::size_t row = blockIdx.x; row < all.rows(); row += gridDim.x) {
    const auto mine = round.slice_of(row);
    const auto partition_of = round.widths_of(mine.segment);
    auto* const totals = round.totals + mine.segment * round.partitions;
    auto* const counts = round.rows + row * round.partitions;
    for (std::size_t first = 0; first < round.partitions; first += round.counted_at_once) {
      const partition_group group(first, round.counted_at_once, round.partitions);
      for (std::uint32_t p = threadIdx.x; p < group.size; p += mpp_threads) local[p] = 0;
      __syncthreads();
      for (std::size_t at = mine.begin + threadIdx.x; at < mine.end; at += mpp_threads) {
        const std::uint32_t number = partition_of(round.by(round.from.keys[at])) - group.first;
        if (number < group.size) atomicAdd(&local[number], 1U);
      }
      __syncthreads();
      // The thread that reads a counter here is the one that clears it the next time.
      for (std::uint32_t p = threadIdx.x; p < group.size; p += mpp_threads) {
        const unsigned long long counted = local[p];
        counts[group.first + p] = counted;
        if (counted != 0) atomicAdd(&totals[group.first + p], counted);
      }
    }
  }
}

template <class U, class V>
__global__ void __launch_bounds__(mpp_scan_threads) scan_histogram(mpp_round<U, V> round) {
  using scan = cub::BlockScan<unsigned long long, mpp_scan_threads>;
  __shared__ typename scan::TempStorage scratch;
  const std::size_t segments = round.all().segments();
  for (std::size_t s = blockIdx.x; s < segments; s += gridDim.x) {
    const bool can_divide = !round.widths_of(s).are_single_keys();
    auto* const totals = round.totals + s * round.partitions;
    unsigned long long begin = round.segment(s).begin;
    for (std::size_t first = 0; first < round.partitions; first += mpp_scan_threads) {
      const std::size_t p = first + threadIdx.x;
      const unsigned long long size = p < round.partitions ? totals[p] : 0;
      unsigned long long before = 0;
      unsigned long long sum = 0;
      scan(scratch).ExclusiveSum(size, before, sum);
      if (p < round.partitions) totals[p] = begin + before;
      if (can_divide && size > round.capacity) round.partition_again(begin + before, size);
      begin += sum;
      __syncthreads();
    }
  }
}

template <class U, class V>
__global__ void __launch_bounds__(mpp_scan_threads) scan_block_histograms(mpp_round<U, V> round) {
  constexpr int together = 8;  // rows that are loaded before the first of them is written
  const std::size_t columns = round.all().segments() * round.partitions;
  const std::size_t stride = std::size_t{gridDim.x} * mpp_scan_threads;
  for (std::size_t c = std::size_t{blockIdx.x} * mpp_scan_threads + threadIdx.x; c < columns; c += stride) {
    const mpp_segment mine = round.segment(c / round.partitions);
    const std::size_t rows = round.slices_of(mine.size);
    auto* const column = round.rows + mine.first_row * round.partitions + c % round.partitions;
    unsigned long long before = 0;
    for (std::size_t row = 0; row < rows; row += together) {
      unsigned long long counts[together];
#pragma unroll
      for (int k = 0; k < together; ++k) counts[k] = row + k < rows ? column[(row + k) * round.partitions] : 0;
#pragma unroll
      for (int k = 0; k < together; ++k) {
        if (row + k < rows) column[(row + k) * round.partitions] = before;
        before += counts[k];
      }
    }
  }
}

template <class U, class V>
__global__ void __launch_bounds__(mpp_threads) partition(mpp_round<U, V> round) {
  auto* const begins = detail::shared_memory<unsigned long long>();
  auto* const placed = reinterpret_cast<std::uint32_t*>(begins + round.placed_at_once);
  const mpp_count all = round.all();
  for (std::size_t row = blockIdx.x; row < all.rows(); row += gridDim.x) {
    const auto mine = round.slice_of(row);
    const auto partition_of = round.widths_of(mine.segment);
    const auto* const totals = round.totals + mine.segment * round.partitions;
    const auto* const before = round.rows + row * round.partitions;
    for (std::size_t first = 0; first < round.partitions; first += round.placed_at_once) {
      const partition_group group(first, round.placed_at_once, round.partitions);
      for (std::uint32_t p = threadIdx.x; p < group.size; p += mpp_threads) {
        begins[p] = totals[group.first + p] + before[group.first + p];
        placed[p] = 0;
      }
      __syncthreads();
      for (std::size_t at = mine.begin + threadIdx.x; at < mine.end; at += mpp_threads) {
        const U key = round.from.keys[at];
        const std::uint32_t number = partition_of(round.by(key)) - group.first;
        if (number >= group.size) continue;
        const std::size_t to = begins[number] + atomicAdd(&placed[number], 1U);
        round.to.keys[to] = key;
        if constexpr (view<U, V>::has_values) round.to.values[to] = round.from.values[at];
      }
      __syncthreads();
    }
  }
}

}  // namespace published_kernels

#endif

}  // namespace peneira::sort_strategies
