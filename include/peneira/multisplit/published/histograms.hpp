// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// histograms: stage 1 of the published strategies, which is the same for all of them, and the plan of both stages.
//
//   slice of block b --count_bins--> counts[bin][b] --scan--> positions[bin][b] --stage 2--> out
//                    (shared memory)                               \--write_offsets--> offsets
//
// Blocks are persistent: each stays for one contiguous slice of the input. The sum along the bin-major matrix is both
// sums of the papers in one: that of the global histogram (the first entry of each bin) and that down the blocks. So a
// block knows where its items of each bin go, and stage 2 needs no atomics on global memory. More bins than shared
// memory can count are counted in rounds. Reads each key once a round; 8 bytes for each bin and block are written,
// scanned and read.
//
// Cordeiro, Nunan Zola: Superando Limites no Multiparticionamento em GPU (mrBins), section 4; and Multiparticionamento
// de Dados em GPU (Multipartition), 2025. The limits of the papers (361 bins, 12,288 bins, 32 bits) are gone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "peneira/bins.hpp"
#include "peneira/gpu/primitives/scan.cuh"
#include "peneira/multisplit/problem.hpp"
#include "peneira/view.hpp"

namespace peneira::multisplit_strategies {

/// What all of them refuse.
inline std::string refuse_stable(const multisplit_problem& problem) {
  return problem.within_bin == order::stable ? "does not keep the input order; ask for order::any" : "";
}

/// Bytes of a block's position in the output: 32 bits, as in the papers, where they can count the items.
inline std::size_t cursor_bytes(const multisplit_problem& problem) {
  return problem.items <= 0xFFFFFFFFU ? sizeof(unsigned) : sizeof(unsigned long long);
}

/// A plan whose last step, stage 2, holds `bytes_a_bin` bytes of shared memory for each bin, and where they do not fit
/// for all bins, goes through the slice again for each group of as many as fit.
inline plan plan_two_stages(const multisplit_problem& problem, const device& machine, std::string_view stage_two,
                            std::size_t bytes_a_bin) {
  constexpr std::size_t reserved = 1024;     // bytes of shared memory that a resident block costs beside its own
  constexpr std::size_t sm_threads = 2048;   // that a multiprocessor keeps resident
  constexpr std::size_t least_items = 2048;  // of a slice
  constexpr std::size_t aligned_items = 128;
  const std::size_t bins = problem.bins;
  const std::size_t counted = std::min<std::size_t>(bins, machine.shared_per_block / sizeof(unsigned));
  const std::size_t at_once = std::min<std::size_t>(bins, machine.shared_per_block / bytes_a_bin);
  const std::size_t shared = at_once * bytes_a_bin;
  const std::size_t fit = std::max<std::size_t>(1, machine.shared_per_sm / (shared + reserved));
  const std::uint32_t threads = fit >= 4 ? 512 : 1024;
  const std::size_t resident = static_cast<std::size_t>(machine.sms) * std::min(fit, sm_threads / threads);

  // The matrix takes no more entries than twice the items, or 4 Mi where the items are few. A slice is short enough
  // for counters of 32 bits.
  const std::size_t most_entries = std::max<std::size_t>(std::size_t{1} << 22U, 2 * problem.items);
  const std::size_t wanted = std::min({resident, problem.items / least_items + 1, most_entries / bins});
  const std::size_t parts = std::max({std::size_t{1}, wanted, (problem.items >> 31U) + 1});
  const std::size_t share = (problem.items + parts - 1) / parts;
  const std::size_t slice = std::max<std::size_t>(1, (share + aligned_items - 1) / aligned_items) * aligned_items;
  const std::size_t blocks = std::max<std::size_t>(1, (problem.items + slice - 1) / slice);
  const std::size_t counters = bins * blocks + 1;

  plan p;
  p.set("slice", slice, "items of a block");
  p.set("counters", counters, "of all bins and blocks");
  p.set("counted at once", counted, "bins whose counters fit shared memory");
  p.set("bins at once", at_once, "that stage 2 has room for in shared memory");
  p.set("rounds", (bins + at_once - 1) / at_once, "times that stage 2 goes through its slice");
  p.set("cursor bytes", cursor_bytes(problem), "of a position in the output");
  p.steps.push_back({"count_bins", blocks, threads, counted * sizeof(unsigned)});
  detail::plan_scan(p, counters);
  p.steps.push_back({"write_offsets", std::min<std::uint64_t>(bins / 256 + 1, 1U << 16U), 256});
  p.steps.push_back({stage_two, blocks, threads, shared});
  p.reserve<std::uint64_t>(counters);
  p.reserve<std::uint64_t>(detail::scan_tiles_of(counters));
  return p;
}

#if defined(__CUDACC__)

namespace published_kernels {

/// The most threads that a plan gives to a block.
inline constexpr int most_threads = 1024;

struct slice_of_block {
  std::size_t begin;
  std::size_t end;
};

__device__ inline slice_of_block my_slice(std::size_t n, std::size_t slice) {
  const std::size_t begin = blockIdx.x * slice < n ? blockIdx.x * slice : n;
  return {begin, begin + slice < n ? begin + slice : n};
}

/// The bins from `first` on that a block works on at once. A bin before or behind them has a number, counted from
/// first in 32 bits, that is no less than `size`; so has what a function returns that misses.
struct group_of_bins {
  std::size_t first;
  std::uint32_t size;

  __device__ group_of_bins(std::size_t from, std::size_t at_once, std::size_t bins)
      : first(from), size(static_cast<std::uint32_t>(at_once < bins - from ? at_once : bins - from)) {}
  [[nodiscard]] __device__ std::uint32_t number_of(std::uint32_t bin) const {
    return bin - static_cast<std::uint32_t>(first);
  }
  /// The entry of this block in the bin-major matrix.
  [[nodiscard]] __device__ std::size_t entry(std::uint32_t number) const {
    return (first + number) * gridDim.x + blockIdx.x;
  }
};

/// The shared memory that the launch asked for.
__device__ inline unsigned char* shared_bytes() {
  extern __shared__ __align__(128) unsigned char peneira_published_shared[];
  return peneira_published_shared;
}

template <class K, class F>
__global__ void __launch_bounds__(most_threads)
    count_bins(const K* keys, std::size_t n, F f, std::uint64_t* counts, std::size_t slice, std::size_t at_once) {
  auto* const local = reinterpret_cast<unsigned*>(shared_bytes());
  const slice_of_block mine = my_slice(n, slice);
  const std::uint32_t bins = f.bins();
  for (std::size_t first = 0; first < bins; first += at_once) {
    const group_of_bins group(first, at_once, bins);
    for (std::uint32_t b = threadIdx.x; b < group.size; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (std::size_t at = mine.begin + threadIdx.x; at < mine.end; at += blockDim.x) {
      const std::uint32_t number = group.number_of(detail::bin_of(f, keys[at]));
      if (number < group.size) atomicAdd(&local[number], 1U);
    }
    __syncthreads();
    // The thread that writes a counter out is the one that clears it in the next round.
    for (std::uint32_t b = threadIdx.x; b < group.size; b += blockDim.x) counts[group.entry(b)] = local[b];
  }
}

template <class Offset>
__global__ void write_offsets(const std::uint64_t* positions, std::size_t blocks, std::size_t bins, Offset* offsets) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; b <= bins; b += stride) {
    offsets[b] = static_cast<Offset>(positions[b * blocks]);
  }
}

}  // namespace published_kernels

/// Runs stage 1, then launches stage 2 by launch_stage_two(positions, cursor), where the cursor's type is the unsigned
/// integer that the plan chose for positions.
template <class K, class V, class F, class Offset, class Launch>
void run_two_stages(const gpu& on, const plan& made, view<const K, const V> in, const F& f, Offset* offsets,
                    bool checked, Launch&& launch_stage_two) {
  const std::size_t entries = made.get("counters");
  const step& counting = made.at("count_bins");
  detail::workspace memory(detail::memory_of(on), made.temporary_bytes, on.stream);
  auto* const counts = memory.take<std::uint64_t>(entries);
  auto* const sums = memory.take<std::uint64_t>(detail::scan_tiles_of(entries));

  detail::check(cudaMemsetAsync(counts + entries - 1, 0, sizeof(*counts), on.stream), "cudaMemsetAsync");
  detail::launch(on, counting, published_kernels::count_bins<K, F>, in.keys, in.size, f, counts, made.get("slice"),
                 made.get("counted at once"));
  detail::scan_exclusive(on, made, counts, entries, sums);
  detail::launch(on, made.at("write_offsets"), published_kernels::write_offsets<Offset>, counts, counting.grid,
                 f.bins(), offsets);
  if (made.get("cursor bytes") == sizeof(unsigned)) {
    launch_stage_two(counts, 0U);
  } else {
    launch_stage_two(counts, 0ULL);
  }
  if (checked) detail::report_dropped(on, counts + entries - 1, in.size, f.bins());
}

#endif

}  // namespace peneira::multisplit_strategies
