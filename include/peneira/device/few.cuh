// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Few items, split by one block in the order of the input: each warp takes neighbouring items, its lanes find those of
// their bin by a ballot for each bit, and counts of its own. Straight to their places, without a tile:
//
//   warp w: rank among the items of its bin -> counts[w][bin] -> thread b runs along the warps, a scan along the bins
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/device/columns.cuh"
#include "peneira/device/tile.cuh"
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

/// Splits the items of a part, at most few_items; `memory` has few_bytes(bins).
template <class K, class V, class F, class Room>
__device__ void split_few(unsigned char* memory, std::uint32_t* sums, std::uint32_t bins,
                          const view<const K, const V>& in, const view<K, V>& out, const F& f, const tile_part& part,
                          Room& room) {
  constexpr bool with_values = view<K, V>::has_values;
  constexpr unsigned threads = tuning::tile_threads;
  constexpr unsigned warps = threads / 32;
  constexpr unsigned each = few_items / threads;
  auto* const firsts = reinterpret_cast<std::uint64_t*>(memory);
  auto* const counts = reinterpret_cast<std::uint32_t*>(firsts + bins);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  auto* const own = counts + warp * bins;
  const unsigned begin = warp * each * 32 + lane;

  K keys[each];
  V values[each];
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    const unsigned k = begin + i * 32;
    if (k >= part.count) continue;
    const std::size_t from = k < part.joint ? part.at + k : part.others + (k - part.joint);
    keys[i] = in.keys[from];
    if constexpr (with_values) values[i] = in.values[from];
  }
#pragma unroll 1
  for (unsigned w = threadIdx.x; w < bins * warps; w += threads) counts[w] = 0;
  __syncthreads();

  std::uint32_t found[each];  // the bin
  unsigned ranks[each];       // among the warp's items of the bin
#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
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
  std::uint32_t upto = size;
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t left = __shfl_up_sync(all_lanes, upto, step);
    if (lane >= step) upto += left;
  }
  const auto [smaller, kept] = sums_before<threads>(sums, upto, 31);
  if (bin < bins) firsts[bin] = room.take(bin, smaller + upto - size, size);
  if (threadIdx.x == 0) room.kept(kept);
  __syncthreads();

#pragma unroll
  for (unsigned i = 0; i < each; ++i) {
    if (found[i] == bins) continue;
    const std::size_t to = firsts[found[i]] + own[found[i]] + ranks[i];
    if constexpr (!F::safe) {  // f may contradict what it said when counting
      if (to >= out.size) continue;
    }
    out.keys[to] = keys[i];
    if constexpr (with_values) out.values[to] = values[i];
  }
}

}  // namespace peneira::detail
