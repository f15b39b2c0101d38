// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many items of each bin lie before each block: the first half of a multisplit.
//
//   block k counts its slice in shared memory -> columns[k][bin] -> a scan along the blocks, for each bin
//
// Reads each item once. `totals` then holds the size of each bin, `columns` where each block begins within it.
#pragma once

#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/gpu/primitives/vector_io.cuh"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// Bins of a block of scan_columns, and into how many parts it cuts each column.
inline constexpr unsigned scan_columns_bins = 4;
inline constexpr unsigned scan_columns_parts = 64;
inline constexpr unsigned scan_columns_threads = scan_columns_bins * scan_columns_parts;

/// Items from begin to before end.
struct item_range {
  std::size_t begin;
  std::size_t end;
};

/// The slice of block k of several. Slices begin at multiples of 64 items, so that groups in them are aligned.
PENEIRA_HD inline item_range slice_of_block(std::size_t items, std::size_t k, std::size_t blocks) {
  constexpr std::size_t grain = 64;
  const std::size_t share = (items + blocks * grain - 1) / (blocks * grain) * grain;
  const std::size_t begin = k * share < items ? k * share : items;
  return {begin, begin + share < items ? begin + share : items};
}

/// The same, where slices are of whole units but for the end of the last; those that have one more come first.
PENEIRA_HD inline item_range slice_in_units(std::size_t items, std::size_t k, std::size_t blocks, std::size_t unit) {
  const std::size_t units = (items + unit - 1) / unit;
  const std::size_t begin = (units * k + blocks - 1) / blocks * unit;
  const std::size_t end = (units * (k + 1) + blocks - 1) / blocks * unit;
  return {begin < items ? begin : items, end < items ? end : items};
}

/// The whole tiles of a slice, which begin at an item whose number is a multiple of `group`.
PENEIRA_HD inline item_range whole_tiles_of(item_range slice, std::size_t tile, std::size_t group) {
  const std::size_t begin = (slice.begin + group - 1) / group * group;
  if (begin + tile > slice.end) return {slice.begin, slice.begin};
  return {begin, begin + (slice.end - begin) / tile * tile};
}

/// Items for a tile that is not whole: `count`, of which those before `joint` begin at `at`, and the others elsewhere.
struct tile_part {
  std::size_t at;
  std::size_t others;
  unsigned count;
  unsigned joint;
};

/// What is left of a slice beside its whole tiles: `first` items from `at` on and then `more` from `others` on.
struct slice_rest {
  std::size_t at;
  std::size_t first;
  std::size_t others;
  std::size_t more;

  [[nodiscard]] PENEIRA_HD std::size_t size() const { return first + more; }
  /// The next tile of it, when so many items are done.
  [[nodiscard]] PENEIRA_HD tile_part part(std::size_t done, unsigned tile) const {
    const std::size_t left = size() - done;
    const std::size_t here = done < first ? first - done : 0;
    return {at + (done < first ? done : first), others + (done < first ? 0 : done - first),
            left < tile ? static_cast<unsigned>(left) : tile, here < tile ? static_cast<unsigned>(here) : tile};
  }
};

/// The bin of a key; a caller's own function may return anything.
template <class F>
struct whole_bin {
  static constexpr bool safe = never_misses<F>;
  static constexpr bool one_of_several = false;
  F f;

  template <class K>
  PENEIRA_HD std::uint32_t operator()(const K& key) const {
    return bin_of(f, key);
  }
};

/// Some bits of the bin of a key: what one of several passes splits by. A bin out of range gives a digit out of range.
template <class F>
struct digit_of_bin {
  static constexpr bool safe = never_misses<F>;
  static constexpr bool one_of_several = true;
  F f;
  unsigned shift;
  std::uint32_t mask;

  template <class K>
  PENEIRA_HD std::uint32_t operator()(const K& key) const {
    const std::uint32_t bin = bin_of(f, key);
    if constexpr (!safe) {
      if (bin >= f.bins()) return 0xFFFFFFFFU;
    }
    return (bin >> shift) & mask;
  }
};

#if defined(__CUDACC__)

/// How many items a pass has: those of the call, or what an earlier pass kept.
__device__ inline std::size_t items_of_pass(std::size_t items, const std::uint64_t* kept) {
  return kept == nullptr ? items : *kept;
}

/// Calls visit(key) for each key of a range, all Threads of the block together, which have Batch groups of 16 bytes in
/// flight while they visit others. From the end on, so that the cache still holds the beginning when the keys are read
/// again.
template <unsigned Threads, unsigned Batch = 4096, class K, class Visit>
__device__ void visit_backwards(const K* keys, item_range mine, Visit&& visit) {
  constexpr int group = items_of_16_bytes(sizeof(K));
  constexpr unsigned ahead = Batch / Threads;  // groups of a thread
  const std::size_t begin = (mine.begin + group - 1) / group * group;
  const std::size_t groups = aligned_for<K, group>(keys) && begin < mine.end ? (mine.end - begin) / group : 0;
  const std::size_t end = groups == 0 ? mine.begin : begin + groups * group;
#pragma unroll 4
  for (std::size_t at = end + threadIdx.x; at < mine.end; at += Threads) visit(keys[at]);
  if (groups == 0) return;
  if (mine.begin + threadIdx.x < begin) visit(keys[mine.begin + threadIdx.x]);

  const std::size_t before = (groups - 1) / Batch;  // the batches before the last, with which it begins
  const K* from = keys + begin + (before * Batch + threadIdx.x) * group;
  auto left = static_cast<unsigned>(groups - before * Batch);
  alignas(16) K next[ahead][group];
  const auto load = [&](auto whole) {
#pragma unroll
    for (unsigned k = 0; k < ahead;
         ++k) {  // in place of what is not there, something that is: registers spill otherwise
      const bool there = decltype(whole)::value || k * Threads + threadIdx.x < left;
      copy_group<group>(next[k], there ? from + k * Threads * group : keys + begin);
    }
  };
  load(std::false_type{});
#pragma unroll 1
  for (std::size_t batches = before;; --batches, left = Batch) {
    alignas(16) K now[ahead][group];
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) copy_group<group>(now[k], next[k]);
    if (batches != 0) {
      from -= Batch * group;
      load(std::true_type{});
    }
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (k * Threads + threadIdx.x >= left) continue;
#pragma unroll
      for (int g = 0; g < group; ++g) visit(now[k][g]);
    }
    if (batches == 0) return;
  }
}

/// Counts the bins of keys that it is called with.
template <class F>
__device__ auto count_in(std::uint32_t* counts, std::uint32_t bins, const F& f) {
  return [=](const auto& key) {
    const std::uint32_t bin = f(key);
    if (F::safe || bin < bins) atomicAdd(&counts[bin], 1U);
  };
}

/// Counts the bins of a slice a block. `cursors`, where there are any, become zero.
template <unsigned Threads, class K, class F>
__global__ void __launch_bounds__(Threads, tuning::count_threads / Threads)
    count_columns(const K* keys, std::size_t items, const std::uint64_t* kept, std::uint32_t unit, F f,
                  std::uint32_t bins, std::uint64_t* columns, unsigned long long* cursors) {
  auto* const counts = shared_memory<std::uint32_t>();
  wait_for_kernels_before();
  let_next_kernel_start();
  for (std::uint32_t b = threadIdx.x; b < bins; b += Threads) {
    counts[b] = 0;
    if (blockIdx.x == 0 && cursors != nullptr) cursors[b] = 0;
  }
  __syncthreads();
  const item_range mine = slice_in_units(items_of_pass(items, kept), blockIdx.x, gridDim.x, unit);
  visit_backwards<Threads, 4 * Threads>(keys, mine, count_in(counts, bins, f));
  __syncthreads();
  for (std::uint32_t b = threadIdx.x; b < bins; b += Threads) {
    columns[std::size_t{blockIdx.x} * bins + b] = counts[b];
  }
}

/// Exclusive sums along the rows of columns, some bins a block; each thread takes neighbouring rows of a bin, several
/// at a time. A template, so that it is compiled where it is called alone.
template <class Sum = std::uint64_t>
__global__ void __launch_bounds__(scan_columns_threads)
    scan_columns(Sum* columns, std::uint32_t bins, std::uint32_t rows, Sum* totals) {
  __shared__ Sum sums[scan_columns_bins][scan_columns_parts + 1];
  let_next_kernel_start();
  wait_for_kernels_before();
  const unsigned part = threadIdx.x / scan_columns_bins;
  const unsigned own = threadIdx.x % scan_columns_bins;
  const std::uint32_t bin = blockIdx.x * scan_columns_bins + own;
  const std::uint32_t share = (rows + scan_columns_parts - 1) / scan_columns_parts;
  const std::uint32_t begin = ::min(part * share, rows);
  const std::uint32_t end = bin < bins ? ::min(begin + share, rows) : begin;
  constexpr unsigned batch = 10;  // loads in flight
  Sum counts[batch];
  const auto load = [&](std::uint32_t k) {
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) counts[j] = k + j < end ? columns[std::size_t{k + j} * bins + bin] : 0;
  };
  Sum sum = 0;
  for (std::uint32_t k = begin; k < end; k += batch) {
    load(k);
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) sum += counts[j];
  }
  sums[own][part] = sum;
  __syncthreads();
  const unsigned warp = threadIdx.x / 32;
  if (warp < scan_columns_bins) {  // has a bin, each lane two parts
    const unsigned lane = threadIdx.x % 32;
    Sum* const two = &sums[warp][2 * lane];
    const Sum first = two[0];
    const Sum both = first + two[1];
    const Sum upto = inclusive_sum(both);
    const std::uint32_t scanned = blockIdx.x * scan_columns_bins + warp;
    if (lane == 31 && scanned < bins) totals[scanned] = upto;
    two[0] = upto - both;
    two[1] = upto - both + first;
  }
  __syncthreads();
  Sum before = sums[own][part];
  for (std::uint32_t k = begin; k < end; k += batch) {
    if (share > batch) load(k);
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      if (k + j < end) columns[std::size_t{k + j} * bins + bin] = before;
      before += counts[j];
    }
  }
}

#endif

}  // namespace peneira::detail
