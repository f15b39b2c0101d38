// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Few items into many bins in one launch. Every block finds the bins of all items, and has a part of what is to be
// written:
//
//   the bins of all items, in shared memory --count those of a range of bins, sum up--> the offsets of that range
//                                           --compare an item with all others: its rank--> some of the items
//
// The same work whatever the keys are: nothing is sorted, and nobody waits for a block that has more than others.
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#include "peneira/gpu/scatter/tile_rank.cuh"
#include "peneira/multisplit/gpu/sparse_shape.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Shared memory of a block: the bins of all items, and counts of some bins.
struct sparse_memory {
  std::uint32_t* bins;  ///< as many as there are places; the last ones are no_bin
  std::uint32_t* counts;
  std::uint32_t places;

  static constexpr std::uint32_t no_bin = ~0U;

  __device__ explicit sparse_memory(std::size_t items)
      : bins(shared_memory<std::uint32_t>()),
        counts(bins + sparse_places(items)),
        places(static_cast<std::uint32_t>(sparse_places(items))) {}
};

/// Finds the bins of all items; of those that have none, no_bin.
template <class K, class F>
__device__ void find_bins(const sparse_memory& shared, const K* keys, std::uint32_t items, const F& f,
                          std::uint32_t bins) {
  constexpr unsigned at_once = 4;  // loads of a thread
  for (std::uint32_t k = threadIdx.x; k < shared.places; k += at_once * sparse_threads) {
    K some[at_once];
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      if (k + j * sparse_threads < items) some[j] = keys[k + j * sparse_threads];
    }
#pragma unroll
    for (unsigned j = 0; j < at_once; ++j) {
      const std::uint32_t at = k + j * sparse_threads;
      const std::uint32_t bin = at < items ? f(some[j]) : sparse_memory::no_bin;
      if (at < shared.places) shared.bins[at] = F::safe || bin < bins ? bin : sparse_memory::no_bin;
    }
  }
}

/// Writes where the bins from `first` to before `end` begin, of which there are counters for all. Returns how many
/// items lie before the end.
template <class Offset>
__device__ std::uint32_t write_offsets(const sparse_memory& shared, std::uint32_t first, std::uint32_t end,
                                       Offset* offsets) {
  __shared__ std::uint32_t sums[2][sparse_threads / 32];
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const std::uint32_t rows = (end - first + 31) / 32;
  for (std::uint32_t b = threadIdx.x; b < rows * 32; b += sparse_threads) shared.counts[b] = 0;
  __syncthreads();
  std::uint32_t below = 0;
  for (std::uint32_t k = threadIdx.x; k < shared.places; k += sparse_threads) {
    const std::uint32_t bin = shared.bins[k];
    below += bin < first ? 1 : 0;
    if (bin >= first && bin < end) atomicAdd(&shared.counts[bin - first], 1U);
  }
  const unsigned before = sums_before<sparse_threads>(sums[0], combine_lanes<plus>(below), 0).all;  // and all wait

  // A warp has neighbouring rows of a bin a lane.
  constexpr unsigned warps = sparse_threads / 32;
  const std::uint32_t share = (rows + warps - 1) / warps;
  const std::uint32_t begin_row = ::min(warp * share, rows);
  const std::uint32_t end_row = ::min(begin_row + share, rows);
  std::uint32_t own = 0;
  for (std::uint32_t r = begin_row; r < end_row; ++r) own += shared.counts[r * 32 + lane];
  const warp_sums of_warps = sums_before<sparse_threads>(sums[1], combine_lanes<plus>(own), 0);
  std::uint32_t next = before + of_warps.before;
  for (std::uint32_t r = begin_row; r < end_row; ++r) {
    const std::uint32_t here = shared.counts[r * 32 + lane];
    std::uint32_t upto = 0;
    if (__any_sync(all_lanes, here != 0 ? 1 : 0) != 0) upto = inclusive_sum(here);
    const std::uint32_t bin = first + r * 32 + lane;
    if (bin < end) offsets[bin] = static_cast<Offset>(next + upto - here);
    next += __shfl_sync(all_lanes, upto, 31);
  }
  __syncthreads();  // counts and sums are free again
  return before + of_warps.all;
}

/// Adds one to a count if a bin is below a limit. In PTX, since the compiler makes more than two instructions of it.
__device__ __forceinline__ void count_below(std::uint32_t& count, std::uint32_t bin, std::uint32_t limit) {
  asm("{ .reg .pred below; setp.lt.u32 below, %1, %2; @below add.u32 %0, %0, 1; }"
      : "+r"(count)
      : "r"(bin), "r"(limit));
}

/// By a warp: how many items come before item `mine`, whose bin is `bin`.
__device__ inline std::uint32_t rank_of(const sparse_memory& shared, std::uint32_t mine, std::uint32_t bin) {
  constexpr std::uint32_t step = sparse_step;
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t counts[4] = {};  // so that no addition waits for the one before
  const auto add = [&](std::uint32_t at, auto&& limit_of) {
    const uint4 some = reinterpret_cast<const uint4*>(shared.bins + at)[lane];
    count_below(counts[0], some.x, limit_of(0));
    count_below(counts[1], some.y, limit_of(1));
    count_below(counts[2], some.z, limit_of(2));
    count_below(counts[3], some.w, limit_of(3));
  };
  const std::uint32_t middle = mine / step * step;
#pragma unroll 4
  for (std::uint32_t at = 0; at < middle; at += step) {
    add(at, [&](unsigned) { return bin + 1; });  // equal ones come before
  }
  add(middle, [&](unsigned k) { return middle + 4 * lane + k < mine ? bin + 1 : bin; });
#pragma unroll 4
  for (std::uint32_t at = middle + step; at < shared.places; at += step) {
    add(at, [&](unsigned) { return bin; });
  }
  return combine_lanes<plus>(counts[0] + counts[1] + counts[2] + counts[3]);
}

/// Splits few items; a block has `each` bins, whose offsets it writes.
template <class K, class V, class F, class Offset>
__global__ void __launch_bounds__(sparse_threads)
    split_sparse(view<const K, const V> in, view<K, V> out, F f, std::uint32_t bins, std::uint32_t each,
                 Offset* offsets) {
  const sparse_memory shared(in.size);
  const auto items = static_cast<std::uint32_t>(in.size);
  find_bins(shared, in.keys, items, f, bins);
  __syncthreads();

  const std::uint32_t begin = blockIdx.x * each;
  const std::uint32_t end = bins - begin < each ? bins : begin + each;
  for (std::uint32_t first = begin; first < end;) {
    const std::uint32_t last = end - first < sparse_counts ? end : first + sparse_counts;
    const std::uint32_t upto = write_offsets(shared, first, last, offsets);
    if (last == bins && threadIdx.x == 0) offsets[bins] = static_cast<Offset>(upto);
    first = last;
  }

  constexpr unsigned warps = sparse_threads / 32;
  const bool writes = threadIdx.x % 32 == 0;
  for (std::uint32_t mine = blockIdx.x + threadIdx.x / 32 * gridDim.x; mine < items; mine += warps * gridDim.x) {
    const std::uint32_t bin = shared.bins[mine];
    if (bin == sparse_memory::no_bin) continue;
    K key;
    [[maybe_unused]] V value;
    if (writes) key = in.keys[mine];
    if constexpr (view<K, V>::has_values) {
      if (writes) value = in.values[mine];
    }
    const std::uint32_t to = rank_of(shared, mine, bin);
    if (writes) out.keys[to] = key;
    if constexpr (view<K, V>::has_values) {
      if (writes) out.values[to] = value;
    }
  }
}

}  // namespace peneira::detail
