// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Few items, split by a block in the order of the input: each warp takes neighbouring items, its lanes find those of
// their bin by a ballot for each bit, and counts of its own. Straight to their places, without a tile:
//
//   warp w: rank among the items of its bin -> counts[w][bin] -> thread b runs along the warps, a scan along the bins
#pragma once

#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/gpu/scatter/tile_rank.cuh"
#include "peneira/view.hpp"

namespace peneira::detail {

/// The lanes whose bin is the same, of those that have one.
__device__ inline unsigned lanes_of_bin(std::uint32_t bin, std::uint32_t bins) {
  unsigned same = __ballot_sync(all_lanes, bin < bins);
  for (std::uint32_t bit = 1; bit < bins; bit *= 2) {
    const unsigned with = __ballot_sync(all_lanes, (bin & bit) != 0);
    same &= (bin & bit) != 0 ? with : ~with;
  }
  return same;
}

/// Splits the items of a part, at most Each a thread; `memory` has few_bytes(bins). Items of the first `others` bins
/// are counted only.
template <unsigned Each, class K, class V, class F, class Allocator>
__device__ void split_few(unsigned char* memory, std::uint32_t* sums, std::uint32_t bins,
                          const view<const K, const V>& in, const view<K, V>& out, const F& f, const tile_part& part,
                          Allocator& runs, std::uint32_t others = 0) {
  constexpr bool with_values = view<K, V>::has_values;
  constexpr unsigned threads = tuning::tile_threads;
  constexpr unsigned warps = threads / 32;
  auto* const firsts = reinterpret_cast<std::uint64_t*>(memory);
  auto* const counts = reinterpret_cast<std::uint32_t*>(firsts + bins);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  auto* const own = counts + warp * bins;
  const unsigned begin = warp * Each * 32 + lane;

  K keys[Each];
  V values[Each];
#pragma unroll
  for (unsigned i = 0; i < Each; ++i) {
    const unsigned k = begin + i * 32;
    if (k >= part.count) continue;
    const std::size_t from = k < part.joint ? part.at + k : part.others + (k - part.joint);
    keys[i] = in.keys[from];
    if constexpr (with_values) values[i] = in.values[from];
  }
#pragma unroll 1
  for (unsigned w = threadIdx.x; w < bins * warps; w += threads) counts[w] = 0;
  __syncthreads();

  std::uint32_t found[Each];  // the bin
  unsigned ranks[Each];       // among the warp's items of the bin
#pragma unroll
  for (unsigned i = 0; i < Each; ++i) {
    const std::uint32_t asked = begin + i * 32 < part.count ? f(keys[i]) : bins;
    found[i] = asked < bins ? asked : bins;
    const unsigned same = lanes_of_bin(found[i], bins);
    const unsigned before = __popc(same & ((1U << lane) - 1));
    const std::uint32_t so_far = found[i] < bins ? own[found[i]] : 0;
    ranks[i] = so_far + before;
    __syncwarp();
    if (found[i] < bins && before == 0) own[found[i]] = so_far + __popc(same);
    __syncwarp();
  }
  __syncthreads();

  const std::uint32_t bin = threadIdx.x;
  std::uint32_t size = 0;
  if (bin < bins) {
#pragma unroll
    for (unsigned w = 0; w < warps; ++w) {
      const std::uint32_t here = counts[w * bins + bin];
      counts[w * bins + bin] = size;
      size += here;
    }
  }
  const std::uint32_t upto = inclusive_sum(size);
  const auto [smaller, kept] = sums_before<threads>(sums, upto, 31);
  if (bin < bins) firsts[bin] = runs.allocate(bin, smaller + upto - size, size);
  if (threadIdx.x == 0) runs.kept(kept);
  __syncthreads();

#pragma unroll
  for (unsigned i = 0; i < Each; ++i) {
    if (found[i] == bins || found[i] < others) continue;
    const std::size_t to = firsts[found[i]] + own[found[i]] + ranks[i];
    if constexpr (!F::safe) {  // f may contradict what it said when counting
      if (to >= out.size) continue;
    }
    out.keys[to] = keys[i];
    if constexpr (with_values) out.values[to] = values[i];
  }
}

/// The bins of a block that has some of them, from `first` on: where there are any below, these are bin 0.
template <class F>
struct bins_of_block {
  static constexpr bool safe = F::safe;
  F f;
  std::uint32_t first;
  std::uint32_t bins;   ///< of all blocks
  std::uint32_t below;  ///< 1, or 0 where there are none

  template <class K>
  __device__ std::uint32_t operator()(const K& key) const {
    const std::uint32_t bin = f(key);
    if (!safe && bin >= bins) return bins;
    return bin < first ? 0 : bin - first + below;
  }
};

/// Where the items of such a block go, and its part of the offsets.
template <class Offset>
struct block_allocator {
  Offset* offsets;  ///< of bin 0 of the block
  std::uint32_t bins;
  std::uint32_t below;
  bool last;

  __device__ std::uint64_t allocate(std::uint32_t bin, unsigned begin, std::uint32_t /*count*/) const {
    if (bin >= below) offsets[bin] = static_cast<Offset>(begin);
    return begin;
  }
  __device__ void kept(unsigned count) const {
    if (last) offsets[bins] = static_cast<Offset>(count);
  }
};

/// Splits at most Each items a thread into any number of bins, of which a block has `each`, less one that stands for
/// those below.
template <unsigned Each, class K, class V, class F, class Offset>
__global__ void __launch_bounds__(tuning::tile_threads)
    scatter_few(view<const K, const V> in, view<K, V> out, F f, std::uint32_t bins, std::uint32_t each,
                Offset* offsets) {
  __shared__ std::uint32_t sums[tuning::tile_threads / 32];
  const std::uint32_t below = blockIdx.x == 0 ? 0 : 1;
  const std::uint32_t first = blockIdx.x * (each - 1) + below;
  const std::uint32_t here = ::min(each, bins - first + below);
  block_allocator<Offset> runs{offsets + first - below, here, below, blockIdx.x + 1 == gridDim.x};
  const auto count = static_cast<unsigned>(in.size);
  split_few<Each>(shared_memory<unsigned char>(), sums, here, in, out, bins_of_block<F>{f, first, bins, below},
                  {0, 0, count, count}, runs, below);
}

}  // namespace peneira::detail
