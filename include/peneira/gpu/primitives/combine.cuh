// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Combining a value a thread: over the lanes of a warp and over the warps of a block, always in their order, so that
// the operator need only be associative and the result has the same bits on every run.
#pragma once

#include <cstring>
#include <type_traits>

#include "peneira/ops.hpp"

namespace peneira::detail {

inline constexpr unsigned all_lanes = 0xFFFFFFFFU;

/// The value of the lane that is so many above (down) or below (up), where a lane that has none gets its own; or of one
/// lane (to_all).
enum class direction { down, up, to_all };
template <direction Way, class T>
__device__ T shuffled(const T& value, unsigned lane) {
  constexpr std::size_t words = (sizeof(T) + 3) / 4;
  std::uint32_t word[words] = {};
  std::memcpy(word, &value, sizeof(T));
#pragma unroll
  for (std::size_t w = 0; w < words; ++w) {
    if constexpr (Way == direction::down) word[w] = __shfl_down_sync(all_lanes, word[w], lane);
    if constexpr (Way == direction::up) word[w] = __shfl_up_sync(all_lanes, word[w], lane);
    if constexpr (Way == direction::to_all) word[w] = __shfl_sync(all_lanes, word[w], static_cast<int>(lane));
  }
  T other;
  std::memcpy(&other, word, sizeof(T));
  return other;
}

/// An inclusive scan: what this lane and those before it hold in sum, of every `Lanes` neighbours. Of every `Each`
/// lanes, which hold the same, one counts.
template <unsigned Lanes = 32, unsigned Each = 1, class T>
__device__ __forceinline__ T inclusive_sum(T value) {
  const unsigned lane = threadIdx.x % Lanes;
#pragma unroll
  for (unsigned step = Each; step < Lanes; step *= 2) {
    const T left = __shfl_up_sync(all_lanes, value, step, Lanes);
    if (lane >= step) value += left;
  }
  return value;
}

#if __CUDA_ARCH__ >= 800
inline constexpr bool can_reduce_warps = true;
#else
inline constexpr bool can_reduce_warps = false;
#endif

/// Whether one instruction combines the lanes of a warp.
template <class T, class Op>
inline constexpr bool has_warp_instruction = std::is_integral_v<T> && sizeof(T) == 4 &&
                                             (std::is_same_v<Op, plus> || std::is_same_v<Op, min> ||
                                              std::is_same_v<Op, max> || std::is_same_v<Op, bit_and> ||
                                              std::is_same_v<Op, bit_or> || std::is_same_v<Op, bit_xor>);
template <class Op, class T>
__device__ T warp_instruction(T value) {
  if constexpr (std::is_same_v<Op, plus>) return __reduce_add_sync(all_lanes, value);
  if constexpr (std::is_same_v<Op, min>) return __reduce_min_sync(all_lanes, value);
  if constexpr (std::is_same_v<Op, max>) return __reduce_max_sync(all_lanes, value);
  const auto bits = static_cast<unsigned>(value);
  if constexpr (std::is_same_v<Op, bit_and>) return static_cast<T>(__reduce_and_sync(all_lanes, bits));
  if constexpr (std::is_same_v<Op, bit_or>) return static_cast<T>(__reduce_or_sync(all_lanes, bits));
  return static_cast<T>(__reduce_xor_sync(all_lanes, bits));
}

/// The values of all lanes, for all lanes.
template <class Op>
__device__ std::uint32_t combine_lanes(std::uint32_t value) {
  static_assert(has_warp_instruction<std::uint32_t, Op>);
  if constexpr (can_reduce_warps) {
    return warp_instruction<Op>(value);
  } else {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) value = Op{}(value, __shfl_xor_sync(all_lanes, value, step));
    return value;
  }
}

/// The bits of a word that any lane has, for all lanes.
__device__ inline std::uint64_t bits_of_lanes(std::uint64_t bits) {
  return combine_lanes<bit_or>(static_cast<std::uint32_t>(bits)) |
         std::uint64_t{combine_lanes<bit_or>(static_cast<std::uint32_t>(bits >> 32U))} << 32U;
}

/// The bits that any thread of the block has. All threads call, and meet before they call again.
__device__ inline std::uint64_t bits_of_all(std::uint64_t bits) {
  __shared__ unsigned long long of_all;
  if (threadIdx.x == 0) of_all = 0;
  __syncthreads();
  const std::uint64_t of_warp = bits_of_lanes(bits);
  if (threadIdx.x % 32 == 0) atomicOr(&of_all, of_warp);
  __syncthreads();
  return of_all;
}

/// In the first lane of every `Lanes`, all values of those.
template <unsigned Lanes = 32, class T, class Op>
__device__ T combine_warp(T value, const Op& op) {
  constexpr bool by_instruction = Lanes == 32 && has_warp_instruction<T, Op> && can_reduce_warps;
  if constexpr (by_instruction) {
    value = warp_instruction<Op>(value);
  } else {
#pragma unroll
    for (unsigned step = 1; step < Lanes; step *= 2) value = op(value, shuffled<direction::down>(value, step));
  }
  return value;
}

/// The values of the lanes up to this one, from the last on that is a beginner, a bit a lane, or else from the first.
template <class T, class Op>
__device__ T combine_runs(T value, std::uint32_t beginners, const Op& op) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint32_t upto = beginners & (all_lanes >> (31 - lane));
  const unsigned first = upto == 0 ? 0 : 31 - __clz(upto);
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const T below = shuffled<direction::up>(value, step);
    if (lane >= first + step) value = op(below, value);
  }
  return value;
}

/// Room for a value a warp.
template <class T, unsigned Threads>
struct alignas(T) warp_values {
  unsigned char bytes[Threads / 32 * sizeof(T)];

  __device__ T* get() { return reinterpret_cast<T*>(bytes); }
};

/// In thread 0, all values of the block. `room` is in shared memory and free again after the next __syncthreads().
template <unsigned Threads, class T, class Op>
__device__ T combine_block(T value, const Op& op, warp_values<T, Threads>& room) {
  constexpr unsigned warps = Threads / 32;
  static_assert(warps <= 32 && (warps & (warps - 1)) == 0);
  __syncwarp();  // lanes that are not together by now would take a slow way through each shuffle
  value = combine_warp(value, op);
  if (threadIdx.x % 32 == 0) room.get()[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    if constexpr (warps <= 8 && warps * sizeof(T) <= 64) {  // every lane reads them all, which takes fewer steps
      T all[warps];
#pragma unroll
      for (unsigned w = 0; w < warps; ++w) all[w] = room.get()[w];
#pragma unroll
      for (unsigned left = warps / 2; left != 0; left /= 2) {
#pragma unroll
        for (unsigned w = 0; w < left; ++w) all[w] = op(all[2 * w], all[2 * w + 1]);
      }
      value = all[0];
    } else if constexpr (has_warp_instruction<T, Op> && can_reduce_warps) {
      value = threadIdx.x < warps ? room.get()[threadIdx.x] : op.template identity<T>();
      value = combine_warp(value, op);
    } else {
      value = room.get()[threadIdx.x % warps];
      value = combine_warp<warps>(value, op);
    }
  }
  return value;
}

}  // namespace peneira::detail
