// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// histograms: stage 1 of the published strategies, which is the same for all of them, and what both stages decide.
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
// The text says that a thread takes a contiguous part of the slice; here a block's threads take neighbours and step on
// together, so that loads are coalesced, as the papers ask for.
//
// Cordeiro, Nunan Zola: Superando Limites no Multiparticionamento em GPU (mrBins), section 4; and Multiparticionamento
// de Dados em GPU (Multipartition), 2025. The limits of the papers (361 bins, 12,288 bins, 32 bits) are gone.
#pragma once

#include <algorithm>

#include "peneira/bins.hpp"
#include "peneira/gpu/primitives/scan.cuh"
#include "peneira/multisplit/problem.hpp"
#include "peneira/strategy.hpp"
#include "peneira/tuning/gpus.hpp"
#include "peneira/view.hpp"

namespace peneira::multisplit_strategies {

/// Shared memory that a block may take, less than which makes no sense as a limit.
inline constexpr std::size_t least_shared = 1024;

/// Why a problem's limits cannot be kept to.
inline std::string refuse_limits(const multisplit_problem& problem, const device& machine) {
  const std::size_t limit = problem.published.shared_bytes;
  if (limit == 0 || (limit >= least_shared && limit <= machine.shared_per_block)) return {};
  return "got limits.shared_bytes = " + std::to_string(limit) + ", but a block takes from " +
         std::to_string(least_shared) + " to " + std::to_string(machine.shared_per_block) + " bytes";
}

/// What all of Cordeiro and Nunan Zola's refuse.
inline std::string refuse_all(const multisplit_problem& problem, const device& machine) {
  if (problem.within_bin == order::stable) return "does not keep the input order; ask for order::any";
  return refuse_limits(problem, machine);
}

/// Shared memory that a block may take.
inline std::size_t shared_of(const multisplit_problem& problem, const device& machine) {
  return problem.published.shared_bytes == 0 ? machine.shared_per_block : problem.published.shared_bytes;
}

/// Bytes of a block's position in the output: 32 bits, as in the papers, where they can count the items.
inline std::size_t cursor_bytes(const multisplit_problem& problem) {
  return problem.items <= 0xFFFFFFFFU ? sizeof(unsigned) : sizeof(unsigned long long);
}

/// What all of them decide.
struct two_stages {
  struct parameters {
    std::size_t slice = 0;
    std::size_t counters = 0;
    std::size_t counted_at_once = 0;
    std::size_t bins_at_once = 0;
    std::size_t rounds = 0;
    std::size_t cursor_bytes = 0;
    step count;
    detail::scan_steps scan;
    step write_offsets;
    step stage_two;

    static constexpr std::tuple fields{
        detail::field{&parameters::slice, "slice", "items of a block"},
        detail::field{&parameters::counters, "counters", "of all bins and blocks"},
        detail::field{&parameters::counted_at_once, "counted at once", "bins whose counters fit shared memory"},
        detail::field{&parameters::bins_at_once, "bins at once", "that stage 2 has room for in shared memory"},
        detail::field{&parameters::rounds, "rounds", "times that stage 2 goes through its slice"},
        detail::field{&parameters::cursor_bytes, "cursor bytes", "of a position in the output"},
        detail::members{&parameters::count, &parameters::scan, &parameters::write_offsets, &parameters::stage_two},
    };
  };

  /// What stage 2 holds in shared memory.
  struct held {
    std::size_t bytes_a_bin;
    std::size_t most_bins;  ///< where there are more, it goes through the slice again for each group of so many
  };
  static parameters decide(const multisplit_problem& problem, const device& machine, std::string_view stage_two,
                           const held& of_stage_two) {
    const std::size_t bins = problem.bins;
    parameters p;
    p.counted_at_once = std::min<std::size_t>(bins, shared_of(problem, machine) / sizeof(unsigned));
    p.bins_at_once = std::min(bins, of_stage_two.most_bins);
    p.rounds = (bins + p.bins_at_once - 1) / p.bins_at_once;
    p.cursor_bytes = cursor_bytes(problem);
    const std::size_t shared = p.bins_at_once * of_stage_two.bytes_a_bin;
    const std::size_t fit = std::max<std::size_t>(1, machine.shared_per_sm / (shared + reserved));
    const std::uint32_t threads = fit >= 4 ? 512 : 1024;
    const std::size_t together = std::min<std::size_t>(fit, tuning::threads_a_processor(machine.arch) / threads);
    const std::size_t resident = static_cast<std::size_t>(machine.sms) * together;
    p.slice = slice_of(problem, resident);
    const std::size_t blocks = std::max<std::size_t>(1, (problem.items + p.slice - 1) / p.slice);
    p.counters = bins * blocks + 1;
    p.count = {"count_bins", blocks, threads, p.counted_at_once * sizeof(unsigned)};
    p.scan = detail::scan_steps::of(p.counters);
    p.write_offsets = {"write_offsets", std::min<std::uint64_t>(bins / 256 + 1, 1U << 16U), 256};
    p.stage_two = {stage_two, blocks, threads, shared};
    return p;
  }

  struct arrays {
    std::uint64_t* counts;  ///< of the bins and blocks; then where they go
    std::uint64_t* sums;    ///< for their scan
  };
  template <class Memory>
  static arrays lay_out(Memory& memory, const parameters& p) {
    arrays a{};
    a.counts = memory.template take<std::uint64_t>(p.counters);
    a.sums = memory.template take<std::uint64_t>(detail::scan_tiles_of(p.counters));
    return a;
  }

#if defined(__CUDACC__)
  /// Runs stage 1, then launches stage 2 by launch_stage_two(positions, cursor), where the cursor's type is the
  /// unsigned integer that was chosen for positions.
  template <class K, class V, class F, class Offset, class Launch>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, const F& f, Offset* offsets,
                  bool checked, Launch&& launch_stage_two);
#endif

 private:
  static constexpr std::size_t reserved = 1024;  ///< bytes of shared memory that a resident block costs beside its own
  static constexpr std::size_t least_items = 2048;  ///< of a slice
  static constexpr std::size_t aligned_items = 128;

  /// Items of a block. The matrix of counts takes no more entries than twice the items, or 4 Mi where the items are
  /// few, but one for each bin. A slice is short enough for counters of 32 bits.
  static std::size_t slice_of(const multisplit_problem& problem, std::size_t resident) {
    const std::size_t most_entries = std::max<std::size_t>(std::size_t{1} << 22U, 2 * problem.items);
    const std::size_t wanted = std::min({resident, problem.items / least_items + 1, most_entries / problem.bins});
    const std::size_t parts = std::max({std::size_t{1}, wanted, (problem.items >> 31U) + 1});
    const std::size_t share = (problem.items + parts - 1) / parts;
    return std::max<std::size_t>(1, (share + aligned_items - 1) / aligned_items) * aligned_items;
  }
};

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

template <class Count, class Offset>
__global__ void write_offsets(const Count* positions, std::size_t blocks, std::size_t bins, Offset* offsets) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t b = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; b <= bins; b += stride) {
    offsets[b] = static_cast<Offset>(positions[b * blocks]);
  }
}

}  // namespace published_kernels

template <class K, class V, class F, class Offset, class Launch>
void two_stages::run(const gpu& on, const parameters& p, view<const K, const V> in, const F& f, Offset* offsets,
                     bool checked, Launch&& launch_stage_two) {
  const detail::temporary<two_stages> a(on, p);
  std::uint64_t* const last = a.counts + p.counters - 1;
  detail::check(cudaMemsetAsync(last, 0, sizeof(*last), on.stream), "cudaMemsetAsync");
  detail::launch(on, p.count, published_kernels::count_bins<K, F>, in.keys, in.size, f, a.counts, p.slice,
                 p.counted_at_once);
  detail::scan_exclusive(on, p.scan, a.counts, p.counters, a.sums);
  detail::launch(on, p.write_offsets, published_kernels::write_offsets<std::uint64_t, Offset>, a.counts, p.count.grid,
                 f.bins(), offsets);
  if (p.cursor_bytes == sizeof(unsigned)) {
    launch_stage_two(a.counts, 0U);
  } else {
    launch_stage_two(a.counts, 0ULL);
  }
  if (checked) detail::report_dropped(on, last, in.size, f.bins());
}

#endif

}  // namespace peneira::multisplit_strategies
