// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A multisplit into many bins in any order, by groups of neighbouring bins first and then each group by itself. A
// sample estimates how large each group is. The histogram of all bins is made while groups are scattered; after that
// every tile allocates its runs from the global cursors of the bins.
#pragma once

#include "peneira/bins.hpp"
#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/gpu/scatter/tile_scatter.cuh"
#include "peneira/multisplit/gpu/sample.hpp"
#include "peneira/multisplit/gpu/sampled.cuh"

namespace peneira::detail {

/// What the kernels of a split by groups share.
struct group_pass {
  std::uint32_t groups;
  std::uint32_t bins;  ///< of a group
  std::uint32_t all_bins;
  std::uint32_t counter_sets_of_groups;
  std::uint32_t counter_sets;
  std::uint32_t tables;  ///< where tables begin behind what a tile needs of shared memory, in bytes
  group_regions regions;
  unsigned long long* sampled;  ///< of each group: items in the sample; zero at first, as the next three
  unsigned long long* taken;    ///< of each group: items
  unsigned long long* strayed;  ///< a single word: items of groups that outgrew their regions
  unsigned long long* cursors;  ///< of each bin: items; then where they go
  std::uint64_t* begins;        ///< of each group: its region; and the end of all
  unsigned long long* filled;   ///< of a group that outgrew its region: how many of its items are there
  unsigned long long* again;    ///< of each group: a cursor for those that are moved again
  std::uint64_t* starts;        ///< of all bins, and the end
};

/// Splits all items by groups, each group to its region or what outgrows it to the spare array, and counts all bins.
/// Again: if that was too much for the spare array, once more, now that the sizes of groups are known.
template <bool Stable, class Shape, class K, class V, class F>
__global__ void __launch_bounds__(Shape::threads, 1)
    scatter_groups(view<const K, const V> in, view<K, V> out, F f, group_pass pass, view<K, V> spare, bool again) {
  __shared__ std::uint32_t sums[Shape::threads / 32];
  __shared__ scan_of_bins scan;
  static_assert(sizeof(scan) + sizeof(sums) <= tile_static_bytes);
  if (again) {
    wait_for_kernels_before();
    let_next_kernel_start();
    if (*pass.strayed <= spare.size) return;
  }
  const tile_block<Stable, Shape, K, V> block(pass.groups, pass.counter_sets_of_groups, sums);
  auto* const counts = reinterpret_cast<std::uint32_t*>(shared_memory<unsigned char>() + pass.tables);
  for (std::uint32_t b = threadIdx.x; b < pass.all_bins; b += Shape::threads) counts[b] = 0;
  counting_region_allocator<K, V> runs{
      {{0, again ? pass.again : pass.taken}, ~std::uint64_t{0}, pass.filled, pass.strayed, spare, false},
      shared_array{counts}};
  split_slice(block, in, out, f, item_range{0, in.size}, runs, [&] {
    if (again) return;
    wait_for_kernels_before();
    let_next_kernel_start();
    const std::uint32_t group = threadIdx.x;
    const std::uint64_t size = group < pass.groups ? pass.regions.size(pass.sampled[group]) : 0;
    std::uint64_t all = 0;
    runs.next = ::min(scan.before(size, all), std::uint64_t{out.size});
    runs.size = ::min(size, out.size - runs.next);
    if (blockIdx.x == 0 && group == 0) pass.begins[0] = 0;
    if (blockIdx.x == 0 && group < pass.groups) pass.begins[group + 1] = runs.next + runs.size;
  });
  __syncthreads();
  for (std::uint32_t b = threadIdx.x; !again && b < pass.all_bins; b += Shape::threads) {
    if (counts[b] != 0) atomicAdd(&pass.cursors[b], std::uint64_t{counts[b]});
  }
}

inline constexpr unsigned scan_bins_threads = 1024;

/// Turns the sizes of bins into cursors: where each begins. That is written to the caller's offsets, and for the groups
/// in case that they are moved again; `starts` gets a copy that stays, with the end.
template <class Offset>
__global__ void __launch_bounds__(scan_bins_threads)
    scan_bins(unsigned long long* cursors, std::uint32_t bins, unsigned group_bits, unsigned long long* again,
              std::uint64_t* starts, Offset* offsets) {
  __shared__ block_sums<scan_bins_threads> scan;
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint32_t share = (bins + scan_bins_threads - 1) / scan_bins_threads;
  const std::uint32_t begin = ::min(threadIdx.x * share, bins);
  const std::uint32_t end = ::min(begin + share, bins);
  std::uint64_t sum = 0;
  for (std::uint32_t b = begin; b < end; ++b) sum += cursors[b];
  std::uint64_t all = 0;
  std::uint64_t at = scan.before(sum, all);
  for (std::uint32_t b = begin; b < end; ++b) {
    const std::uint64_t size = cursors[b];
    cursors[b] = at;
    starts[b] = at;
    offsets[b] = static_cast<Offset>(at);
    if (b % (1U << group_bits) == 0) again[b >> group_bits] = group_regions::begin_again(b >> group_bits, at);
    at += size;
  }
  if (threadIdx.x == 0) {
    starts[bins] = all;
    offsets[bins] = static_cast<Offset>(all);
  }
}

/// Runs by global cursors that are places in the output themselves, for what a block has by itself.
struct absolute_cursor_allocator {
  static constexpr tile_schedule schedule = tile_schedule::slices;

  unsigned long long* cursors;

  __device__ std::uint64_t allocate(std::uint32_t bin, unsigned /*begin*/, std::uint32_t count) const {
    return count == 0 ? 0 : atomicAdd(&cursors[bin], std::uint64_t{count});
  }
  __device__ void kept(unsigned /*count*/) const {}
};

/// Moves items of any groups to their bins, one by one: they are few. As a function of its own to which everything goes
/// by value: registers spill otherwise.
template <class K, class V, class F>
__device__ __noinline__ void scatter_strays(const view<const K, const V> strays, const view<K, V> out, const F f,
                                            unsigned long long* const cursors) {
  const unsigned lane = threadIdx.x % 32;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
#pragma unroll 1
  for (std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x - lane; first < strays.size;
       first += threads) {  // of a warp
    const std::size_t s = first + lane;
    const std::uint32_t bins = f.bins();
    const K key = strays.keys[s < strays.size ? s : first];
    const std::uint32_t asked = s < strays.size ? bin_of(f, key) : bins;
    const std::uint32_t bin = asked < bins ? asked : bins;
    const unsigned same = __match_any_sync(all_lanes, bin);
    const unsigned leader = __ffs(same) - 1;
    std::uint64_t to = 0;
    if (lane == leader && bin < bins) to = atomicAdd(&cursors[bin], static_cast<std::uint64_t>(__popc(same)));
    to = __shfl_sync(all_lanes, to, leader) + __popc(same & ((1U << lane) - 1));
    if (bin == bins || to >= out.size) continue;  // f may contradict what it said when counting
    out.keys[to] = key;
    if constexpr (view<K, V>::has_values) out.values[to] = strays.values[s];
  }
}

/// Splits each group by itself: blocks take the whole tiles of all groups round robin, then what is left of them, and
/// of the spare array.
template <bool Stable, class Shape, class K, class V, class F>
__global__ void __launch_bounds__(Shape::threads, 1)
    scatter_bins(view<const K, const V> in, view<K, V> out, F f, group_pass pass, view<const K, const V> spare) {
  __shared__ std::uint32_t sums[Shape::threads / 32];
  const tile_block<Stable, Shape, K, V> block(pass.bins, pass.counter_sets, sums);
  __shared__ scan_of_bins scan;
  static_assert(sizeof(scan) + sizeof(sums) <= tile_static_bytes);
  auto* const begins = reinterpret_cast<std::uint64_t*>(shared_memory<unsigned char>() + pass.tables);
  auto* const ends = begins + pass.groups;
  auto* const tiles = reinterpret_cast<std::uint32_t*>(ends + pass.groups);
  wait_for_kernels_before();
  let_next_kernel_start();
  const std::uint32_t mine = threadIdx.x;
  std::uint64_t own = 0;
  if (mine < pass.groups) {
    if (*pass.strayed > spare.size) {  // moved again
      const std::uint64_t start = pass.starts[mine * pass.bins];
      const std::uint64_t end = pass.starts[::min((mine + 1) * pass.bins, pass.all_bins)];
      begins[mine] = group_regions::begin_again(mine, start);
      ends[mine] = ::min(begins[mine] + (end - start), std::uint64_t{in.size});
    } else {
      const std::uint64_t taken = pass.taken[mine];
      begins[mine] = pass.begins[mine];
      ends[mine] = begins[mine] + (taken <= pass.begins[mine + 1] - begins[mine] ? taken : pass.filled[mine]);
    }
    own = (ends[mine] - begins[mine]) / Shape::size;
  }
  std::uint64_t all = 0;
  const std::uint64_t before = scan.before(own, all);
  if (mine < pass.groups) tiles[mine] = static_cast<std::uint32_t>(before);
  if (mine == 0) tiles[pass.groups] = static_cast<std::uint32_t>(all);
  __syncthreads();
  group_allocator runs{{0, pass.cursors},
                       shared_array<const std::uint64_t>(begins),
                       shared_array<const std::uint32_t>(tiles),
                       pass.bins,
                       0};
  split_slice(block, in, out, f, item_range{0, all * Shape::size}, runs);
#pragma unroll 1
  for (std::uint32_t group = (blockIdx.x + gridDim.x - tiles[pass.groups] % gridDim.x) % gridDim.x; group < pass.groups;
       group += gridDim.x) {
    const std::size_t whole = std::size_t{tiles[group + 1] - tiles[group]} * Shape::size;
    const absolute_cursor_allocator rest{pass.cursors + std::size_t{group} * pass.bins};
    split_rest(block, in, out, f, item_range{begins[group] + whole, ends[group]}, rest);
    __syncthreads();
  }
  const std::uint64_t strays = *pass.strayed;
  if (strays != 0 && strays <= spare.size) scatter_strays(spare.part(0, strays), out, f.f, pass.cursors);
}

}  // namespace peneira::detail
