// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A segmented sort by counting ranks: the place of an item is the number of keys of its segment that come before it.
// Every block has all keys and offsets in its shared memory, and looks at all offsets before it writes; a warp places
// one item after the other.
#pragma once

#include <type_traits>

#include "peneira/sort/gpu/enumeration.cuh"

#if defined(__CUDACC__)

namespace peneira::detail {

/// The segment that an item is of, where there are several: the last one that begins no later.
__device__ inline unsigned segment_of(const std::uint32_t* begins, unsigned count, unsigned item) {
  unsigned low = 0;
  unsigned high = count - 1;
  while (low < high) {
    const unsigned middle = (low + high + 1) / 2;
    if (begins[middle] <= item) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/// Whether some offset descends or runs past the items. All threads of the block call.
template <class Segments>
__device__ bool any_wrong(const Segments& segments, std::size_t count, std::size_t items) {
  bool wrong = false;
  for (std::size_t s = threadIdx.x; s < count; s += blockDim.x) {
    wrong = wrong || segments.begin(s) > segments.end(s) || segments.end(s) > items;
  }
  return __syncthreads_or(wrong ? 1 : 0) != 0;
}

/// Places `of_block` items a block. In place for a single block, which then has read all that it writes.
template <class U, class V, class Segments>
__global__ void __launch_bounds__(enumeration_shape::threads)
    sort_segments_by_counting(view<const U, const V> in, view<U, V> out, key_order<U> by, bit_range<U> part,
                              Segments segments, unsigned count, unsigned of_block) {
  constexpr bool with_values = view<U, V>::has_values;
  using word = std::conditional_t<(sizeof(U) <= 4), std::uint32_t, std::uint64_t>;
  auto* const keys = shared_memory<word>();
  const auto size = static_cast<unsigned>(in.size);
  auto* const begins = reinterpret_cast<std::uint32_t*>(keys + size);
  const unsigned first = blockIdx.x * of_block;
  const unsigned end = ::min(first + of_block, size);
  const unsigned own = first + threadIdx.x;  // that this thread writes
  wait_for_kernels_before();
  let_next_kernel_start();

  U key{};
  [[maybe_unused]] V value{};
  if (own < end) {
    key = in.keys[own];
    if constexpr (with_values) value = in.values[own];
  }
#pragma unroll 4
  for (unsigned p = threadIdx.x; p < size; p += blockDim.x) keys[p] = word{part(by(in.keys[p]))};
  for (unsigned s = threadIdx.x; s < count; s += blockDim.x) {
    begins[s] = static_cast<std::uint32_t>(segments.begin(s));
    if (s + 1 == count) begins[count] = static_cast<std::uint32_t>(segments.end(s));
  }
  if (any_wrong(segments, count, in.size)) return;

  __shared__ std::uint32_t places[enumeration_shape::threads];
  for (unsigned item = first + threadIdx.x / 32; item < end; item += blockDim.x / 32) {
    const word mine = keys[item];
    const unsigned segment = segment_of(begins, count, item);
    const unsigned from = begins[segment];
    const unsigned to = begins[segment + 1];
    std::uint32_t before = 0;
    for (unsigned p = from + threadIdx.x % 32; p < to; p += 32) {
      const word other = keys[p];
      before += other < mine || (other == mine && p < item) ? 1 : 0;
    }
    before = combine_lanes<plus>(before);
    if (threadIdx.x % 32 == 0) places[item - first] = from <= item && item < to ? from + before : size;
  }
  __syncthreads();
  if (own >= end || places[threadIdx.x] == size) return;
  out.keys[places[threadIdx.x]] = key;
  if constexpr (with_values) out.values[places[threadIdx.x]] = value;
}

}  // namespace peneira::detail

#endif
