// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How many items of each bin lie before each block: the first half of a multisplit.
//
//   block k counts its slice in shared memory -> columns[bin][k] -> a warp a bin scans along the blocks
//
// Reads each item once. `totals` then holds the size of each bin, `columns` where each block begins within it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "peneira/bins.hpp"
#include "peneira/device/group.cuh"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/device/runtime.cuh"
#endif

namespace peneira::detail {

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

/// Calls visit(key) for each key of a range, all Threads of the block together, which have 64 KiB of keys in flight
/// while they visit others. From the end on, so that the cache still holds the beginning when the keys are read again.
template <unsigned Threads, class K, class Visit>
__device__ void visit_backwards(const K* keys, item_range mine, Visit&& visit) {
  constexpr int group = items_of_16_bytes(sizeof(K));
  constexpr unsigned ahead = 4096 / Threads;  // groups of a thread that are loaded at a time, a batch
  constexpr unsigned batch = ahead * Threads;
  const std::size_t begin = (mine.begin + group - 1) / group * group;
  const std::size_t groups = aligned_for<K, group>(keys) && begin < mine.end ? (mine.end - begin) / group : 0;
  const std::size_t end = groups == 0 ? mine.begin : begin + groups * group;
#pragma unroll 4
  for (std::size_t at = end + threadIdx.x; at < mine.end; at += Threads) visit(keys[at]);
  if (groups == 0) return;
  if (mine.begin + threadIdx.x < begin) visit(keys[mine.begin + threadIdx.x]);

  const K* from = keys + begin + (groups / batch * batch + threadIdx.x) * group;
  auto left = static_cast<unsigned>(groups % batch);  // of the last batch, with which it begins
  alignas(16) K next[ahead][group];
  const auto load = [&](auto whole) {
#pragma unroll
    for (unsigned k = 0; k < ahead;
         ++k) {  // in place of what is not there, something that is: registers spill otherwise
      const bool there = decltype(whole)::value || k * Threads + threadIdx.x < left;
      copy_group<group>(next[k], there ? from + k * Threads * group : keys + begin);
    }
  };
  const auto visit_batch = [&](const K(&keys_of)[ahead][group]) {
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) {
      if (k * Threads + threadIdx.x >= left) continue;
#pragma unroll
      for (int g = 0; g < group; ++g) visit(keys_of[k][g]);
    }
  };
  load(std::false_type{});
#pragma unroll 1
  for (std::size_t batches = groups / batch; batches-- > 0; left = batch) {
    alignas(16) K now[ahead][group];
#pragma unroll
    for (unsigned k = 0; k < ahead; ++k) copy_group<group>(now[k], next[k]);
    from -= batch * group;
    load(std::true_type{});
    visit_batch(now);
  }
  visit_batch(next);
}

template <class K, class F>
__global__ void __launch_bounds__(tuning::count_threads)
    count_columns(const K* keys, std::size_t items, const std::uint64_t* kept, F f, std::uint32_t bins,
                  std::uint64_t* columns) {
  auto* const counts = shared_memory<std::uint32_t>();
  wait_for_kernels_before();
  let_next_kernel_start();
  for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  const item_range mine = slice_of_block(items_of_pass(items, kept), blockIdx.x, gridDim.x);
  visit_backwards<tuning::count_threads>(keys, mine, [&](const K& key) {
    const std::uint32_t bin = f(key);
    if (F::safe || bin < bins) atomicAdd(&counts[bin], 1U);
  });
  __syncthreads();
  for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) {
    columns[std::size_t{b} * gridDim.x + blockIdx.x] = counts[b];
  }
}

/// Exclusive sums along the blocks, a warp a bin; each lane takes neighbouring blocks, several at a time.
static __global__ void scan_columns(std::uint64_t* columns, std::uint32_t bins, std::uint32_t blocks,
                                    std::uint64_t* totals) {
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint32_t bin = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const unsigned lane = threadIdx.x % 32;
  if (bin >= bins) return;
  std::uint64_t* const row = columns + std::size_t{bin} * blocks;
  const std::uint32_t share = (blocks + 31) / 32;
  const std::uint32_t begin = lane * share < blocks ? lane * share : blocks;
  const std::uint32_t end = begin + share < blocks ? begin + share : blocks;
  constexpr unsigned batch = 10;  // loads in flight: all of a lane's, where blocks are two a processor
  std::uint64_t counts[batch];
  const auto load = [&](std::uint32_t k) {
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) counts[j] = k + j < end ? row[k + j] : 0;
  };
  std::uint64_t sum = 0;
  for (std::uint32_t k = begin; k < end; k += batch) {
    load(k);
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) sum += counts[j];
  }
  std::uint64_t before = sum;
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint64_t left = __shfl_up_sync(0xFFFFFFFFU, before, step);
    if (lane >= step) before += left;
  }
  if (lane == 31) totals[bin] = before;
  before -= sum;
  for (std::uint32_t k = begin; k < end; k += batch) {
    if (share > batch) load(k);
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      if (k + j < end) row[k + j] = before;
      before += counts[j];
    }
  }
}

#endif

}  // namespace peneira::detail
