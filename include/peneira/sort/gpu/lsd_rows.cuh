// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An LSD radix sort in one launch, one tile a block: for items so few that a tile a block is enough. The histograms of
// the blocks are the rows of a matrix, which every block adds up for itself.
//
//   the bits in which keys differ -> all wait -> each block: rank the keys of its tile, publish its histogram, add up
//   those of all blocks, write -> all wait -> the next digit
//
// A tile is read once a pass, and nobody waits for more than the counts of all others. Digits are cut from the bits in
// which keys differ.
#pragma once

#include <algorithm>

#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/sort/gpu/lsd_slices.cuh"
#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/grid_barrier.cuh"
#include "peneira/gpu/primitives/async_copy.cuh"
#include "peneira/gpu/primitives/block_rank.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#endif

namespace peneira::detail {

/// The tile of a block, as plan and kernel see it.
struct row_tile {
  std::size_t key_bytes;
  std::size_t value_bytes;  ///< 0: no values
  std::size_t size;

  /// The smallest that is enough for the items where there are so many blocks; of size 0 if none is.
  static constexpr row_tile of(std::size_t key_bytes, std::size_t value_bytes, std::size_t items, std::size_t blocks) {
    const tuning::row_range range = tuning::row_items(key_bytes, value_bytes);
    for (std::size_t each = range.least; each <= range.most; each += range.step) {
      const std::size_t size = each * tuning::row_threads;
      if (items <= size * blocks) return {key_bytes, value_bytes, size};
    }
    return {key_bytes, value_bytes, 0};
  }
  /// Shared memory of a block: the keys, in whose place they are ranked before, values, and what bins have.
  [[nodiscard]] constexpr std::size_t shared() const {
    return std::max(size * key_bytes, ranking_bytes) + size * value_bytes + other_bytes;
  }
  static constexpr std::size_t ranking_bytes = 18 * 1024;
  static constexpr std::size_t other_bytes = 4 * 1024;
};
/// The tiles of all sizes, by which the kernel is compiled.
template <std::size_t KeyBytes, std::size_t ValueBytes>
struct row_shape {
  static constexpr tuning::row_range range = tuning::row_items(KeyBytes, ValueBytes);
  static constexpr int threads = tuning::row_threads;
  static constexpr int items = static_cast<int>(range.most);  ///< of a thread
  static constexpr int step = static_cast<int>(range.step);
  static constexpr std::uint32_t size = threads * items;
  static_assert(range.least % range.step == 0 && range.most % range.step == 0);
};

/// What the blocks of such a sort share.
struct row_passes {
  std::uint16_t* rows;            ///< of each block: the histogram of its tile
  unsigned long long* differing;  ///< the bits in which keys differ from the first; zero before
  std::uint32_t* arrived;         ///< for the barrier; zero before
  const std::uint32_t* chosen;    ///< 1: to sort at all; nullptr: likewise
  std::uint32_t items;            ///< of a thread
};

#if defined(__CUDACC__)

using few_rows = block_histograms<pass_bins, std::uint16_t, std::uint32_t>;

/// Shared memory of a block. Where keys are ranked they lie afterwards, as many as the tile has, and values behind
/// them.
template <unsigned Threads>
struct row_memory {
  std::uint32_t all[pass_bins];
  std::uint32_t before[pass_bins];
  std::uint32_t targets[pass_bins];  ///< where the tile's items of a bin go, less their places in the tile
  std::uint32_t warp_sums[pass_bins / 32];
  unsigned long long differing;
  alignas(16) block_ranks<Threads> ranking;

  /// The keys of a tile of so many bytes of them, and what lies behind.
  __device__ unsigned char* keys() { return reinterpret_cast<unsigned char*>(&ranking); }
  __device__ unsigned char* values(std::uint32_t key_bytes) {
    return keys() + ::max(key_bytes, static_cast<std::uint32_t>(sizeof(ranking)));
  }
  static_assert(sizeof(block_ranks<Threads>) % 16 == 0 && sizeof(block_ranks<Threads>) <= row_tile::ranking_bytes);
};
static_assert(offsetof(row_memory<tuning::row_threads>, ranking) <= row_tile::other_bytes);

/// Finds where the tile's items of each bin go, from what all blocks have of it. `start` is where the tile has the bin.
template <class Memory>
__device__ void find_targets(Memory& shared, std::uint32_t start) {
  const unsigned bin = threadIdx.x;
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t here = bin < pass_bins ? shared.all[few_rows::place(bin)] : 0;
  const std::uint32_t upto = inclusive_sum(here);
  if (bin < pass_bins && lane == 31) shared.warp_sums[bin / 32] = upto;
  __syncthreads();
  if (bin < pass_bins) {
    std::uint32_t begin = upto - here;
#pragma unroll
    for (unsigned w = 0; w < pass_bins / 32; ++w) begin += w < bin / 32 ? shared.warp_sums[w] : 0;
    shared.targets[bin] = begin + shared.before[few_rows::place(bin)] - start;
  }
  __syncthreads();
}

template <class Shape, class U, class V>
__global__ void __launch_bounds__(Shape::threads, 1)
    sort_by_rows(sort_arrays<U, V> arrays, key_order<U> by, bit_range<U> part, row_passes pass) {
  constexpr bool with_values = view<U, V>::has_values;
  constexpr int items = Shape::items;
  constexpr int step = Shape::step;
  // Values of so many items wait in registers while counts are published.
  constexpr int held = can_copy_later<V> && 64 / sizeof(V) < items ? 64 / sizeof(V) : items;
  static_assert(!with_values || held % step == 0);
  static_assert(Shape::size < 1U << few_rows::count_bits);
  auto& shared = *shared_memory<row_memory<Shape::threads>>();
  const auto count = static_cast<int>(pass.items);
  const std::uint32_t size = Shape::threads * count;
  auto* const shared_keys = reinterpret_cast<U*>(shared.keys());
  [[maybe_unused]] auto* const shared_values = reinterpret_cast<V*>(shared.values(size * sizeof(U)));
  if (threadIdx.x == 0) shared.differing = 0;
  wait_for_kernels_before();
  let_next_kernel_start();
  if (pass.chosen != nullptr && *pass.chosen != 1) return;
  grid_barrier all_blocks(pass.arrived);
  const few_rows rows(pass.rows);
  const unsigned bin = threadIdx.x;
  const auto all = static_cast<std::uint32_t>(arrays.in.size);
  const std::uint32_t begin = blockIdx.x * size;
  const std::uint32_t here = ::min(all - begin, size);
  const unsigned mine = threadIdx.x / 32 * 32 * count + threadIdx.x % 32;  // every 32nd item of a warp's
  if (bin < pass_bins) rows.publish(bin, 0, 0);

  const U first = by(arrays.in.keys[0]);
  pass_buffers<U, V> buffers{arrays};
  digits_left left{0};
  bool found = false;  // the bits in which keys differ
  std::uint32_t parity = 1;
#pragma unroll 1
  while (true) {
    const view<const U, const V> from = arrays.from(buffers.where);
    U keys[items];
    for_items<items, step>(count, [&](int i) {  // behind the last one, keys that come last
      keys[i] = mine + i * 32 < here ? from.keys[begin + mine + i * 32] : by.back(static_cast<U>(~U{0}));
    });
    for_items<items, step>(count, [&](int i) { keys[i] = by(keys[i]); });
    if (!found) {
      found = true;
      U differ = 0;
      for_items<items, step>(count, [&](int i) { differ |= mine + i * 32 < here ? keys[i] ^ first : U{0}; });
      const std::uint64_t all_bits = (part.count >= 64 ? 0 : std::uint64_t{1} << part.count) - 1;
      const std::uint64_t both = bits_of_lanes(differ) & all_bits << part.first;
      __syncthreads();
      if (threadIdx.x % 32 == 0 && both != 0) atomicOr(&shared.differing, both);
      __syncthreads();
      if (threadIdx.x == 0 && shared.differing != 0) atomicOr(pass.differing, shared.differing);
      all_blocks.wait();
      left = {*pass.differing};
      buffers.plan(left.count());
    }
    if (left.bits == 0) break;

    const view<U, V> target = arrays.to(buffers.to);
    const pass_digit<U> digit{left.shift(), left.bins() - 1};
    if (bin < pass_bins) shared.all[bin] = 0;
    if (bin < pass_bins) shared.before[bin] = 0;
    std::uint32_t ranks[items];
    const std::uint32_t start = shared.ranking.template find<step>(
        keys, ranks, count, digit,
        [&](std::uint32_t in_tile) { rows.publish(bin, in_tile - (bin == digit.mask ? size - here : 0), parity); });
    __syncthreads();
    for_items<items, step>(count, [&](int i) { shared_keys[ranks[i]] = keys[i]; });
    if constexpr (with_values) {
      const V* const from_values = from.values + begin + mine;
      V values[held];
      if (count <= held) {
        for_items<held, step>(count, [&](int i) {
          if (mine + i * 32 < here) values[i] = from_values[i * 32];
        });
      } else if constexpr (can_copy_later<V>) {
        for_items<items, step>(count, [&](int i) {
          if (mine + i * 32 < here) copy_later(shared_values + ranks[i], from_values + i * 32);
        });
        end_batch();
      }
      rows.template add_up<Shape::threads>(parity, shared.all, shared.before);
      if (count <= held) {
        for_items<held, step>(count, [&](int i) { shared_values[ranks[i]] = values[i]; });
      } else if constexpr (can_copy_later<V>) {
        wait_for_batches<0>();
      }
    } else {
      rows.template add_up<Shape::threads>(parity, shared.all, shared.before);
    }
    __syncthreads();
    find_targets(shared, start);
#pragma unroll 1
    for (int some = 0; some < count; some += step) {
#pragma unroll
      for (int i = 0; i < step; ++i) {
        const unsigned place = (some + i) * Shape::threads + threadIdx.x;
        if (place < here) {
          const U key = shared_keys[place];
          const std::uint32_t at = shared.targets[digit(key)] + place;
          target.keys[at] = by.back(key);
          if constexpr (with_values) target.values[at] = shared_values[place];
        }
      }
    }
    left = left.next();
    buffers.next();
    if (left.bits == 0 && buffers.where == sort_buffer::out) return;
    parity = 1 - parity;
    all_blocks.wait();
  }
  buffers.finish(begin, begin + here);
}

#endif

}  // namespace peneira::detail
