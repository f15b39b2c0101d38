// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A multisplit in any order without a histogram first: a sample estimates where bins begin, tiles are written there,
// and what then lies outside its bin is moved once more.
//
//   guessed   |---- 0 ----|------ 1 ------|--- 2 ---|     what does not fit goes to a spare array
//   counted   |----- 0 -----|----- 1 -----|--- 2 ---|     known at the end, since tiles count in passing
//             strays:        11                           go to the spare array, and from there to the holes of bin 1
//
// If strays are too many for the spare array the input, which is still there, is split again, by the counts that are
// known by then.
#pragma once

#include "peneira/bins.hpp"
#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/scatter/ballot_scatter.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/gpu/scatter/tile_scatter.cuh"
#include "peneira/multisplit/gpu/sample.hpp"
#include "peneira/multisplit/gpu/scatter_pass.cuh"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// What the kernels of a sampled multisplit share. Arrays are of a word a bin.
struct sampled_pass {
  std::uint32_t bins;
  std::uint32_t counter_sets;   ///< of a tile
  std::size_t spare;            ///< items that the spare array has room for
  unsigned long long* sampled;  ///< items of the sample; zero at first, as the next three
  unsigned long long* counted;  ///< items of the input
  unsigned long long* placed;   ///< items that found their place at last
  unsigned long long* strayed;  ///< a single word: items in the spare array after the first move
  unsigned long long* strays;   ///< and those that have to go there
  unsigned long long* filled;   ///< of a bin whose items were more than guessed: how many are where it was guessed
  std::uint64_t* guessed;       ///< where each bin was guessed to begin, and the end
  std::uint64_t* starts;        ///< where each bin begins, and the end
  bin_holes* holes;             ///< of each bin
};

static __global__ void clear_counts(unsigned long long* words, std::uint32_t count) {
  let_next_kernel_start();
  for (std::uint32_t w = threadIdx.x; w < count; w += blockDim.x) words[w] = 0;
}

/// Counts the bins of a sample: of every `lines` lines of 8 groups one, which differs.
template <class K, class F>
__global__ void __launch_bounds__(tuning::count_threads)
    sample_bins(const K* keys, std::size_t items, std::uint32_t lines, F f, std::uint32_t bins,
                unsigned long long* sampled) {
  auto* const counts = shared_memory<std::uint32_t>();
  let_next_kernel_start();
  for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  constexpr int group = items_of_16_bytes(sizeof(K));
  constexpr unsigned batch = 4;
  const bool aligned = aligned_for<K, group>(keys);
  const std::size_t groups = sampled_items(items, lines, sizeof(K)) / group;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; first < groups;
       first += batch * threads) {
    alignas(16) K some[batch][group];
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      const std::size_t g = first + j * threads < groups ? first + j * threads : first;
      const std::size_t stratum = g / groups_of_sampled_line;
      const K* const at =
          keys + (sampled_line(stratum, lines) * groups_of_sampled_line + g % groups_of_sampled_line) * group;
      if (aligned) {
        copy_group<group>(some[j], at);
      } else {
        for (int i = 0; i < group; ++i) some[j][i] = at[i];
      }
    }
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      if (first + j * threads >= groups) continue;
#pragma unroll
      for (int i = 0; i < group; ++i) {
        const std::uint32_t bin = f(some[j][i]);
        if (F::safe || bin < bins) atomicAdd(&counts[bin], 1U);
      }
    }
  }
  __syncthreads();
  wait_for_kernels_before();
  for (std::uint32_t b = threadIdx.x; b < bins; b += blockDim.x) {
    if (counts[b] != 0) atomicAdd(&sampled[b], std::uint64_t{counts[b]});
  }
}

/// The first `of` of `all` items of the sample stand for so many of the input. Never descends as `of` ascends.
__device__ inline std::uint64_t guess_from(std::uint64_t of, std::uint64_t all, std::size_t items) {
  if (of == all) return items;
  const double share = static_cast<double>(items) / static_cast<double>(all);
  const auto guess = static_cast<std::uint64_t>(static_cast<double>(of) * share);
  return guess < items ? guess : items;
}

using scan_of_bins = block_sums<tuning::tile_threads>;

/// Splits all items to where their bins were guessed to be, and counts them.
template <bool Stable, class Shape, class K, class V, class F>
__global__ void __launch_bounds__(Shape::threads, 1)
    scatter_guessed(view<const K, const V> in, view<K, V> out, F f, sampled_pass pass, view<K, V> spare) {
  __shared__ std::uint32_t sums[Shape::threads / 32];
  const tile_block<Stable, Shape, K, V> block(pass.bins, pass.counter_sets, sums);
  __shared__ scan_of_bins scan;
  static_assert(sizeof(scan) + sizeof(sums) <= tile_static_bytes);
  region_allocator<K, V> runs{{0, pass.counted}, 0, pass.filled, pass.strayed, spare, false};
  split_slice(block, in, out, f, item_range{0, in.size}, runs, [&] {
    wait_for_kernels_before();
    let_next_kernel_start();
    const std::uint32_t bin = threadIdx.x;
    const std::uint64_t own = bin < pass.bins ? pass.sampled[bin] : 0;
    std::uint64_t all = 0;
    const std::uint64_t before = scan.before(own, all);
    runs.next = bin == 0 ? 0 : guess_from(before, all, in.size);
    runs.size = guess_from(before + own, all, in.size) - runs.next;
    if (blockIdx.x == 0 && bin == 0) pass.guessed[0] = 0;
    if (blockIdx.x == 0 && bin < pass.bins) pass.guessed[bin + 1] = runs.next + runs.size;
  });
}

/// Copies what lies outside its bin to the spare array, if there is room, and publishes where bins begin.
template <class K, class V, class Offset>
__global__ void __launch_bounds__(tuning::tile_threads)
    gather_strays(view<const K, const V> out, sampled_pass pass, view<K, V> spare, std::size_t items,
                  bin_begins<Offset> begins) {
  __shared__ scan_of_bins scan;
  __shared__ std::uint64_t before[2 * tuning::tile_bins + 1];  // strays of the pieces before each
  __shared__ std::uint64_t first[2 * tuning::tile_bins];       // item of a piece
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint32_t bin = threadIdx.x;
  const std::uint64_t there = *pass.strayed;
  guessed_bin mine{};
  if (bin < pass.bins) {
    mine = {pass.guessed[bin], pass.filled[bin], 0, pass.counted[bin]};
    if (mine.count <= pass.guessed[bin + 1] - mine.guessed) mine.filled = mine.count;
  }
  std::uint64_t all = 0;
  mine.begin = scan.before(mine.count, all);
  __syncthreads();
  if (blockIdx.x == 0 && bin < pass.bins) {
    begins.publish(bin, mine.begin);
    pass.holes[bin] = bin_holes::of(mine);
  }
  if (blockIdx.x == 0 && bin == 0) begins.publish(pass.bins, all);
  const item_range left = mine.strays_before();
  const item_range right = mine.strays_behind();
  const std::uint64_t lefts = left.end - left.begin;
  std::uint64_t strays = 0;
  const std::uint64_t at = scan.before(bin < pass.bins ? lefts + (right.end - right.begin) : 0, strays);
  if (blockIdx.x == 0 && bin == 0) *pass.strays = there + strays;
  if (there + strays > pass.spare) return;
  if (bin < pass.bins) {
    before[2 * bin] = at;
    before[2 * bin + 1] = at + lefts;
    first[2 * bin] = left.begin;
    first[2 * bin + 1] = right.begin;
  }
  if (bin == 0) before[2 * pass.bins] = strays;
  __syncthreads();
  const auto from = [&](std::uint64_t s) {
    std::uint32_t low = 0;  // the last piece that begins up to s
    std::uint32_t high = 2 * pass.bins;
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      if (before[middle] <= s) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return first[low] + (s - before[low]);
  };
  constexpr unsigned batch = 4;  // in flight
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::uint64_t s = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; s < strays; s += batch * threads) {
    K keys[batch];
    V values[batch];
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      const std::uint64_t at = from(s + j * threads < strays ? s + j * threads : s);
      keys[j] = out.keys[at];
      if constexpr (view<K, V>::has_values) values[j] = out.values[at];
    }
#pragma unroll
    for (unsigned j = 0; j < batch; ++j) {
      if (s + j * threads >= strays) break;
      spare.keys[there + s + j * threads] = keys[j];
      if constexpr (view<K, V>::has_values) spare.values[there + s + j * threads] = values[j];
    }
  }
}

/// Moves the items of the spare array to the holes of their bins; `memory` has room for 36 bytes a bin.
template <class K, class V, class F>
__device__ void fill_holes(unsigned char* memory, const sampled_pass& pass, const view<const K, const V>& spare,
                           std::uint64_t strays, const view<K, V>& out, const F& f) {
  constexpr int each = sizeof(K) <= 8 ? 16 : 4;
  constexpr unsigned most = each * tuning::tile_threads;
  const std::uint64_t share = (strays + gridDim.x - 1) / gridDim.x;
  const std::uint64_t end = ::min(strays, (blockIdx.x + 1) * share);
  auto* const holes = reinterpret_cast<bin_holes*>(memory);
  auto* const firsts = reinterpret_cast<std::uint64_t*>(holes + pass.bins);
  auto* const counts = reinterpret_cast<std::uint32_t*>(firsts + pass.bins);
  const std::uint32_t own = threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  if (own < pass.bins) {
    holes[own] = pass.holes[own];
    counts[own] = 0;
  }
  __syncthreads();
#pragma unroll 1
  for (std::uint64_t at = blockIdx.x * share; at < end; at += most) {
    const auto count = static_cast<unsigned>(::min(end - at, std::uint64_t{most}));
    K keys[each];
    std::uint32_t bins[each];
    std::uint32_t ranks[each];
#pragma unroll
    for (int i = 0; i < each; ++i) {
      const unsigned s = i * tuning::tile_threads + threadIdx.x;
      if (s < count) keys[i] = spare.keys[at + s];
    }
#pragma unroll
    for (int i = 0; i < each; ++i) {
      bins[i] = pass.bins;
      if (i * tuning::tile_threads >= count) continue;  // of all threads
      const bool real = i * tuning::tile_threads + threadIdx.x < count;
      const std::uint32_t asked = real ? f(keys[i]) : pass.bins;
      bins[i] = asked < pass.bins ? asked : pass.bins;
      const unsigned same = lanes_of_bin(bins[i], pass.bins);
      const unsigned rank = __popc(same & ((1U << lane) - 1));
      std::uint32_t so_far = 0;
      if (bins[i] < pass.bins && rank == 0) so_far = atomicAdd(&counts[bins[i]], static_cast<unsigned>(__popc(same)));
      ranks[i] = __shfl_sync(all_lanes, so_far, same == 0 ? 0 : __ffs(same) - 1) + rank;
    }
    __syncthreads();
    if (own < pass.bins && counts[own] != 0) {
      firsts[own] = atomicAdd(&pass.placed[own], std::uint64_t{counts[own]});
      counts[own] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < each; ++i) {
      if (bins[i] == pass.bins) continue;
      const std::uint64_t to = holes[bins[i]][firsts[bins[i]] + ranks[i]];
      if constexpr (!F::safe) {  // f may contradict what it said when counting
        if (to >= out.size) continue;
      }
      out.keys[to] = keys[i];
      if constexpr (view<K, V>::has_values) {
        out.values[to] = spare.values[at + i * tuning::tile_threads + threadIdx.x];
      }
    }
  }
}

/// The end: what strayed goes to its bin, or if it is too much all items are split again.
template <bool Stable, class Shape, class K, class V, class F>
__global__ void __launch_bounds__(Shape::threads, 1)
    place_strays(view<const K, const V> in, view<K, V> out, F f, sampled_pass pass, view<const K, const V> spare) {
  __shared__ std::uint32_t sums[Shape::threads / 32];
  const tile_block<Stable, Shape, K, V> block(pass.bins, pass.counter_sets, sums);
  wait_for_kernels_before();
  const std::uint64_t strays = *pass.strays;
  __syncthreads();  // counters are cleared, and may lie where holes will
  if (strays <= pass.spare) {
    fill_holes(shared_memory<unsigned char>(), pass, spare, strays, out, f);
    return;
  }
  cursor_allocator runs{threadIdx.x < pass.bins ? pass.starts[threadIdx.x] : 0, pass.placed};
  split_slice(block, in, out, f, item_range{0, in.size}, runs);
}

}  // namespace peneira::detail
