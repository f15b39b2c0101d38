// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A multisplit into many bins in any order, by groups of neighbouring bins first and then each group by itself. All
// bins are counted at the beginning; after that every tile takes room for its runs by adding to the bins' cursors, so
// that nothing is counted again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "peneira/bins.hpp"
#include "peneira/device/columns.cuh"
#include "peneira/device/scatter.cuh"
#include "peneira/multisplit/group_shares.hpp"

namespace peneira::detail {

/// Counts the items of every bin; `totals` are zero before.
template <class K, class F>
__global__ void __launch_bounds__(tuning::count_threads)
    count_bins(const K* keys, std::size_t items, F f, unsigned long long* totals) {
  auto* const counts = shared_memory<std::uint32_t>();
  const std::uint32_t bins = f.f.bins();
  wait_for_kernels_before();
  let_next_kernel_start();
  for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  visit_backwards<tuning::count_threads>(keys, slice_of_block(items, blockIdx.x, gridDim.x), [&](const K& key) {
    const std::uint32_t bin = f(key);
    if (F::safe || bin < bins) atomicAdd(&counts[bin], 1U);
  });
  __syncthreads();
  for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) {
    if (counts[b] != 0) atomicAdd(&totals[b], std::uint64_t{counts[b]});
  }
}

inline constexpr unsigned scan_bins_threads = 1024;

/// Turns the sizes of bins into cursors: where each begins. Tells it to the caller, and where each group begins to the
/// cursors of groups; `starts` gets a copy that stays, with the end.
template <class Offset>
__global__ void __launch_bounds__(scan_bins_threads)
    scan_bins(unsigned long long* cursors, std::uint32_t bins, unsigned group_bits, unsigned long long* of_groups,
              std::uint64_t* starts, Offset* offsets) {
  using scan = cub::BlockScan<std::uint64_t, scan_bins_threads, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename scan::TempStorage scratch;
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint32_t share = (bins + scan_bins_threads - 1) / scan_bins_threads;
  const std::uint32_t begin = ::min(threadIdx.x * share, bins);
  const std::uint32_t end = ::min(begin + share, bins);
  std::uint64_t sum = 0;
  for (std::uint32_t b = begin; b < end; ++b) sum += cursors[b];
  std::uint64_t at = 0;
  std::uint64_t all = 0;
  scan(scratch).ExclusiveSum(sum, at, all);
  for (std::uint32_t b = begin; b < end; ++b) {
    const std::uint64_t size = cursors[b];
    cursors[b] = at;
    starts[b] = at;
    offsets[b] = static_cast<Offset>(at);
    if (b % (1U << group_bits) == 0) of_groups[b >> group_bits] = at;
    at += size;
  }
  if (threadIdx.x == 0) {
    starts[bins] = all;
    offsets[bins] = static_cast<Offset>(all);
  }
}

/// Runs that take their room from cursors that all blocks share.
struct room_by_cursor {
  unsigned long long* cursors;

  __device__ std::uint64_t take(std::uint32_t bin, unsigned /*begin*/, std::uint32_t count) const {
    return count == 0 ? 0 : atomicAdd(&cursors[bin], std::uint64_t{count});
  }
  __device__ void kept(unsigned /*count*/) const {}
};

/// What the blocks of one of the two passes know.
struct group_pass {
  std::uint32_t groups;         ///< 1 in the first pass
  std::uint32_t bins;           ///< that the pass tells apart within a group
  std::uint32_t chains;         ///< of a tile
  std::uint32_t all_bins;       ///< of the call
  const std::uint64_t* starts;  ///< where all bins begin, and the end; nullptr in the first pass
  unsigned long long* cursors;  ///< of each group: of its bins
};

/// Splits each group by itself.
template <bool Stable, class Shape, class K, class V, class F>
__global__ void __launch_bounds__(Shape::threads, 1)
    scatter_groups(view<const K, const V> in, view<K, V> out, F f, group_pass pass) {
  __shared__ std::uint32_t sums[Shape::threads / 32];
  __shared__ item_range piece;  // registers are short
  const tile_block<Stable, Shape, K, V> block(pass.bins, pass.chains, sums);
  wait_for_kernels_before();
  let_next_kernel_start();
  const auto start_of = [&](std::uint32_t group) {
    if (pass.starts == nullptr) return group == 0 ? std::uint64_t{0} : std::uint64_t{in.size};
    return pass.starts[::min(group * pass.bins, pass.all_bins)];
  };
  const auto shares = [&] { return group_shares(start_of(pass.groups), pass.groups, gridDim.x, Shape::size); };
  unsigned before = 0;  // groups that begin up to this block's share
  for (std::uint32_t first = 0; first < pass.groups; first += Shape::threads) {
    const std::uint32_t group = first + threadIdx.x;
    before +=
        __syncthreads_count(group < pass.groups && shares().begins_by(group, start_of(group), blockIdx.x) ? 1 : 0);
  }
#pragma unroll 1
  for (std::uint32_t group = before - 1; group < pass.groups; ++group) {
    if (!shares().begins_by(group, start_of(group), blockIdx.x + 1U)) break;
    if (threadIdx.x == 0) piece = shares().piece(blockIdx.x, group, start_of(group), start_of(group + 1));
    __syncthreads();
    room_by_cursor room{pass.cursors + std::size_t{group} * pass.bins};
    if (piece.begin < piece.end) split_slice(block, in, out, f, piece, room);
    __syncthreads();
  }
}

}  // namespace peneira::detail
