// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// slices: the plainest stable multisplit of a GPU. Each warp owns a contiguous slice and a column of counters.
//
//   slice of warp w --count_slices--> counts[bin][w] --scan--> positions --scatter_slices--> out
//
// Lanes of a warp with the same bin find each other (match), the first of them moves the warp's counter for all, and
// their order among themselves is their rank: so the order of the input is kept. Reads each item twice and writes it
// once, but in small pieces, and the counters live in global memory: right for every size, item and number of bins, not
// fast.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "peneira/bins.hpp"
#include "peneira/device/scan.cuh"
#include "peneira/multisplit/problem.hpp"
#include "peneira/view.hpp"

namespace peneira::multisplit_strategies {

#if defined(__CUDACC__)

namespace slices_kernels {

/// The bin of an item, with all lanes of the warp that share it. Lanes without an item, and items whose bin is out of
/// range, share the bin that no item has.
template <class F, class K>
__device__ std::uint32_t find_peers(const F& f, const K* keys, std::size_t at, std::size_t end, std::uint32_t bins,
                                    unsigned& peers, bool& missed) {
  constexpr std::uint32_t nowhere = 0xFFFFFFFFU;
  std::uint32_t bin = at < end ? detail::bin_of(f, keys[at]) : nowhere;
  missed = at < end && bin >= bins;
  if (bin >= bins) bin = nowhere;
  peers = __match_any_sync(0xFFFFFFFFU, bin);
  return bin;
}

struct slice_of_warp {
  std::size_t begin;
  std::size_t end;
  std::size_t number;
};

__device__ inline slice_of_warp my_slice(std::size_t n, std::size_t slices) {
  const std::size_t number = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const std::size_t share = (n + slices - 1) / slices;
  const std::size_t begin = number * share < n ? number * share : n;
  return {begin, begin + share < n ? begin + share : n, number};
}

template <class K, class V, class F>
__global__ void count_slices(view<const K, const V> in, F f, std::uint64_t* counts, std::size_t slices,
                             unsigned long long* misses) {
  const slice_of_warp mine = my_slice(in.size, slices);
  if (mine.number >= slices) return;
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t bins = f.bins();
  for (std::size_t first = mine.begin; first < mine.end; first += 32) {
    unsigned peers = 0;
    bool missed = false;
    const std::uint32_t bin = find_peers(f, in.keys, first + lane, mine.end, bins, peers, missed);
    if (bin < bins && lane == static_cast<unsigned>(__ffs(peers)) - 1)
      counts[bin * slices + mine.number] += __popc(peers);
    if (missed) atomicAdd(misses, 1ULL);
    __syncwarp();
  }
}

template <class K, class V, class F>
__global__ void scatter_slices(view<const K, const V> in, view<K, V> out, F f, std::uint64_t* positions,
                               std::size_t slices) {
  const slice_of_warp mine = my_slice(in.size, slices);
  if (mine.number >= slices) return;
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t bins = f.bins();
  for (std::size_t first = mine.begin; first < mine.end; first += 32) {
    const std::size_t at = first + lane;
    unsigned peers = 0;
    bool missed = false;
    const std::uint32_t bin = find_peers(f, in.keys, at, mine.end, bins, peers, missed);
    const int leader = __ffs(peers) - 1;
    std::uint64_t position = 0;
    if (bin < bins && lane == static_cast<unsigned>(leader)) {
      position = positions[bin * slices + mine.number];
      positions[bin * slices + mine.number] = position + __popc(peers);
    }
    position = __shfl_sync(0xFFFFFFFFU, position, leader) + __popc(peers & ((1U << lane) - 1));
    if (bin < bins && position < in.size) {  // beyond it only if f contradicts what it said when counting
      out.keys[position] = in.keys[at];
      if constexpr (view<K, V>::has_values) out.values[position] = in.values[at];
    }
    __syncwarp();
  }
}

template <class Offset>
__global__ void write_offsets(const std::uint64_t* positions, std::size_t slices, std::size_t bins, Offset* offsets) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; b <= bins; b += stride) {
    offsets[b] = static_cast<Offset>(positions[b * slices]);
  }
}

}  // namespace slices_kernels

#endif

struct slices {
  static constexpr std::string_view name = "slices";
  static constexpr std::string_view about = "each warp owns a slice and a column of counters; any size, item and bins";

  static std::string refuses(const multisplit_problem& /*problem*/, const device& /*machine*/) { return {}; }

  static plan make_plan(const multisplit_problem& problem, const device& machine) {
    constexpr std::uint32_t threads = 256;
    constexpr std::size_t warps_a_block = threads / 32;
    constexpr std::size_t least_items = 1024;  // of a slice
    // Counters of all warps together take no more entries than twice the items, or 4 Mi where the items are few.
    const std::size_t entries = std::max<std::size_t>(std::size_t{1} << 22U, 2 * problem.items);
    const std::size_t resident = static_cast<std::size_t>(machine.sms) * 8 * warps_a_block;
    const std::size_t wanted = std::min(resident, problem.items / least_items);
    const std::size_t slices = std::clamp<std::size_t>(entries / problem.bins, 1, std::max<std::size_t>(1, wanted));
    const std::size_t counts = problem.bins * slices + 1;
    const std::uint64_t blocks = (slices + warps_a_block - 1) / warps_a_block;

    plan p;
    p.set("slices", slices);
    p.set("counters", counts);
    p.steps.push_back({"count_slices", blocks, threads});
    detail::plan_scan(p, counts);
    p.steps.push_back({"write_offsets", std::min<std::uint64_t>(problem.bins / threads + 1, 1U << 16U), threads});
    p.steps.push_back({"scatter_slices", blocks, threads});
    p.reserve<std::uint64_t>(counts);
    p.reserve<std::uint64_t>(detail::scan_tiles_of(counts));
    p.reserve<std::uint64_t>(1);
    return p;
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const plan& made, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    namespace kernels = slices_kernels;
    const std::size_t slices = made.get("slices");
    const std::size_t entries = made.get("counters");
    detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
    auto* const counts = memory.take<std::uint64_t>(entries);
    auto* const sums = memory.take<std::uint64_t>(detail::scan_tiles_of(entries));
    auto* const misses = memory.take<unsigned long long>(1);

    detail::check(cudaMemsetAsync(counts, 0, entries * sizeof(*counts), on.stream), "cudaMemsetAsync");
    detail::check(cudaMemsetAsync(misses, 0, sizeof(*misses), on.stream), "cudaMemsetAsync");
    detail::launch(on, made.at("count_slices"), kernels::count_slices<K, V, F>, in, f, counts, slices, misses);
    detail::scan_exclusive(on, made, counts, entries, sums);
    detail::launch(on, made.at("write_offsets"), kernels::write_offsets<Offset>, counts, slices, f.bins(), offsets);
    detail::launch(on, made.at("scatter_slices"), kernels::scatter_slices<K, V, F>, in, out, f, counts, slices);
    if (checked) detail::report_misses(on, misses, f.bins());
  }
#endif
};

}  // namespace peneira::multisplit_strategies
