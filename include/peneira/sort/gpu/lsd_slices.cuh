// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// An LSD radix sort in one launch, each block with a slice of the items: each pass splits all of them by a digit, their
// order kept.
//
//   block k counts the digits of its slice -> publishes its histogram -> adds up those of all: where its runs begin
//   -> splits its slice, tile by tile -> all wait -> the next digit
//
// The first count finds the bits in which keys differ; digits are cut from these alone.
#pragma once

#include "peneira/gpu/exchange/block_histograms.cuh"
#include "peneira/gpu/scatter/pass_buffers.cuh"
#include "peneira/gpu/scatter/slice_histogram.cuh"
#include "peneira/sort/gpu/msd_records.cuh"
#include "peneira/tuning/gpu.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/grid_barrier.cuh"
#include "peneira/gpu/primitives/block_sums.cuh"
#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/gpu/runtime.cuh"
#include "peneira/gpu/scatter/tile_scatter.cuh"
#endif

namespace peneira::detail {

/// What the blocks of a sort by slices share.
struct sort_passes {
  std::uint32_t* rows;            ///< of each block: the histogram of its slice
  unsigned long long* differing;  ///< the bits in which keys differ from the first; zero before
  std::uint32_t* arrived;         ///< for the barrier; zero before
  const std::uint32_t* chosen;    ///< 1: to sort at all; nullptr: likewise
  std::uint32_t counter_sets;     ///< of a tile
};

#if defined(__CUDACC__)

/// The digit of an ordered key.
template <class U>
struct pass_digit {
  unsigned shift;
  std::uint32_t mask;

  __device__ static pass_digit of(const bit_range<U>& part, unsigned number) {
    const unsigned bits = ::min(part.count - number * tuning::level_bits, tuning::level_bits);
    return {part.first + number * tuning::level_bits, (1U << bits) - 1};
  }
  __device__ std::uint32_t operator()(U ordered) const { return static_cast<std::uint32_t>(ordered >> shift) & mask; }
};

/// The digits of some bits of ordered keys, as passes with look-back take them.
template <class U>
struct key_digits {
  static constexpr unsigned most = sizeof(U);
  static constexpr bool safe = true;
  key_order<U> order;
  bit_range<U> part;

  [[nodiscard]] __device__ unsigned count() const { return (part.count + tuning::level_bits - 1) / tuning::level_bits; }
  [[nodiscard]] __device__ U to(U raw) const { return order(raw); }
  [[nodiscard]] __device__ U from(U ordered) const { return order.back(ordered); }
  [[nodiscard]] __device__ pass_digit<U> of(unsigned number) const { return pass_digit<U>::of(part, number); }
  template <class Visit>
  __device__ __forceinline__ void visit(U raw, Visit&& visit) const {
    const U ordered = order(raw);
#pragma unroll
    for (unsigned d = 0; d < most; ++d) {
      if (d < count()) visit(d, of(d)(ordered));
    }
  }
};

/// Digits that cover some bits: each begins at the lowest bit that is left.
struct digits_left {
  std::uint64_t bits;

  [[nodiscard]] __device__ unsigned shift() const { return __ffsll(static_cast<long long>(bits)) - 1; }
  /// Without the lowest digit.
  [[nodiscard]] __device__ digits_left next() const {
    const unsigned end = shift() + tuning::level_bits;
    return {end >= 64 ? 0 : bits >> end << end};
  }
  [[nodiscard]] __device__ unsigned count() const {
    unsigned all = 0;
    for (digits_left left = *this; left.bits != 0; left = left.next()) ++all;
    return all;
  }
  /// Bins of the lowest digit: no more than the bits that are left ask for.
  [[nodiscard]] __device__ std::uint32_t bins() const {
    const unsigned upto = 64 - __clzll(static_cast<long long>(bits));
    return 1U << ::min(upto - shift(), tuning::level_bits);
  }
};

using slice_rows = block_histograms<pass_bins, std::uint32_t, unsigned long long>;

/// Counts the digits of a block's slice and publishes them; returns the bits in which the thread's keys differ from
/// `first`.
template <unsigned Threads, class U>
__device__ std::uint64_t count_row(const U* keys, item_range mine, const key_digit<U>& digit, U first,
                                   const slice_rows& rows, std::uint32_t parity) {
  auto* const counts = shared_memory<std::uint32_t>();
  for (std::uint32_t b = threadIdx.x; b < pass_bins; b += blockDim.x) counts[b] = 0;
  __syncthreads();
  U differ = 0;
  visit_backwards<Threads>(keys, mine, [&](U raw) {
    const U ordered = digit.by(raw);
    differ |= ordered ^ first;
    atomicAdd(&counts[static_cast<std::uint32_t>(ordered >> digit.shift) & digit.mask], 1U);
  });
  __syncthreads();
  for (std::uint32_t b = threadIdx.x; b < pass_bins; b += blockDim.x) rows.publish(b, counts[b], parity);
  __syncthreads();
  return differ;
}

/// Where the block's items of bin `threadIdx.x` go, from the histograms of all blocks.
template <unsigned Threads>
__device__ std::uint64_t first_places(const slice_rows& rows, std::uint32_t parity) {
  __shared__ block_sums<Threads> sums;
  static_assert(sizeof(sums) + Threads / 32 * sizeof(std::uint32_t) <= tile_static_bytes);
  auto* const all = shared_memory<unsigned long long>();
  auto* const before = all + pass_bins;
  for (unsigned w = threadIdx.x; w < 2 * pass_bins; w += Threads) all[w] = 0;
  __syncthreads();
  rows.add_up<Threads>(parity, all, before);
  __syncthreads();
  const bool has_bin = threadIdx.x < pass_bins;
  const unsigned place = has_bin ? slice_rows::place(threadIdx.x) : 0;
  const std::uint64_t earlier = has_bin ? before[place] : 0;
  std::uint64_t in_all = 0;
  const std::uint64_t begin = sums.before(has_bin ? all[place] : 0, in_all);
  __syncthreads();
  return begin + earlier;
}

template <class Shape, class Small, class U, class V>
__global__ void __launch_bounds__(Shape::threads, 1)
    sort_by_passes(sort_arrays<U, V> arrays, key_order<U> by, bit_range<U> part, sort_passes pass) {
  __shared__ std::uint32_t warp_counts[Shape::threads / 32];
  wait_for_kernels_before();
  let_next_kernel_start();
  if (pass.chosen != nullptr && *pass.chosen != 1) return;
  grid_barrier all_blocks(pass.arrived);
  const item_range mine = slice_of_block(arrays.in.size, blockIdx.x, gridDim.x);
  const slice_rows rows(pass.rows);
  std::uint32_t parity = 1;

  // The lowest digit of the part is counted while it is found out whether keys differ there.
  const std::uint64_t all_bits = (part.count >= 64 ? 0 : std::uint64_t{1} << part.count) - 1;
  const U first = by(arrays.in.keys[0]);
  key_digit<U> digit{by, part.first, digits_left{all_bits}.bins() - 1};
  digits_left left{0};
  bool found = false;  // the bits in which keys differ
  pass_buffers<U, V> buffers{arrays};
#pragma unroll 1
  while (true) {
    const view<const U, const V> from = arrays.from(buffers.where);
    const std::uint64_t differ = count_row<Shape::threads>(from.keys, mine, digit, first, rows, parity);
    bool counted = true;
    if (!found) {
      found = true;
      const std::uint64_t both = bits_of_lanes(differ) & all_bits << part.first;
      if (threadIdx.x % 32 == 0 && both != 0) atomicOr(pass.differing, both);
      all_blocks.wait();
      left = {*pass.differing};
      if (left.bits == 0) break;
      counted = left.shift() == part.first;
      buffers.plan(left.count());
    }
    if (counted) {
      slice_allocator runs{first_places<Shape::threads>(rows, parity)};
      const tile_block<true, Shape, U, V> block(digit.mask + 1, pass.counter_sets, warp_counts);
      __builtin_assume(block.rows <= pass_bins);  // as the plan has chosen counter sets
      split_part<slice_part::whole>(block, from, arrays.to(buffers.to), digit, mine, runs, allocator_is_ready{});
      split_beside<true, Small>(digit.mask + 1, pass.counter_sets, warp_counts, from, arrays.to(buffers.to), digit,
                                mine, whole_tiles_in<Shape>(from, mine), runs);
      all_blocks.wait();
      buffers.next();
      left = left.next();
      if (left.bits == 0) break;
    }
    digit = {by, left.shift(), left.bins() - 1};
    parity = 1 - parity;
  }
  if (buffers.where == sort_buffer::between || (buffers.where == sort_buffer::in && !buffers.in_place)) {
    const view<const U, const V> from = arrays.from(buffers.where);  // not by finish(): more instructions here
    for (std::size_t i = mine.begin + threadIdx.x; i < mine.end; i += blockDim.x) {
      arrays.out.keys[i] = from.keys[i];
      if constexpr (view<U, V>::has_values) arrays.out.values[i] = from.values[i];
    }
  }
}

#endif

}  // namespace peneira::detail
