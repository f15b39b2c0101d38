// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The places of a block's keys in the order of one digit, which keeps their order otherwise.
//
//   each warp counts the digits of its keys -> thread b: digit b of all warps, one after the other, and all digits
//   before
//   -> each warp: lanes with the same digit find one another by a ballot for each bit, and go on from what was before
//
// CUB ranks so, too, but including it takes longer than compiling a sort.
#pragma once

#include <type_traits>

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

#if defined(__CUDACC__)

/// Calls visit(i) for the first `count` of a thread's items, Each at a time: one code serves every count that is a
/// multiple of that, and the same for all threads.
template <int Items, int Each, class Visit>
__device__ __forceinline__ void for_items(int count, Visit&& visit) {
  static_assert(Items % Each == 0);
#pragma unroll
  for (int some = 0; some < Items; some += Each) {
    if (Each != Items && some >= count) break;
#pragma unroll
    for (int i = some; i < some + Each; ++i) visit(i);
  }
}

/// Lies in shared memory. A warp's keys are in the order of the input when its lanes have neighbours: item i of lane l
/// is number 32 * i + l.
template <unsigned Threads>
struct block_ranks {
  static constexpr unsigned bits = 8;  ///< of a digit at most
  static constexpr unsigned bins = 1U << bits;
  static constexpr unsigned warps = Threads / 32;
  static_assert(Threads >= bins && Threads % 32 == 0);

  std::uint32_t counts[warps][bins];
  std::uint32_t sums[bins / 32];

  /// Finds the ranks of the first `count` keys of each thread, Each at a time. Thread b calls tell(how many keys have
  /// the digit b) as soon as it knows, and gets where those begin. All threads call, and meet before they call again.
  template <int Each, int Items, class U, class Digit, class Tell>
  __device__ __forceinline__ std::uint32_t find(const U (&keys)[Items], std::uint32_t (&ranks)[Items], int count,
                                                const Digit& digit, Tell&& tell) {
    std::uint32_t* const own = clear();
    for_items<Items, Each>(count, [&](int i) { atomicAdd(&own[digit(keys[i])], 1U); });
    __syncthreads();
    const std::uint32_t begin = add_up(tell);
    for_items<Items, Each>(count, [&](int i) {
      const std::uint32_t bin = digit(again(keys[i]));
      const unsigned same = lanes_of(bin);
      const int last = 31 - __clz(static_cast<int>(same));
      const unsigned upto = __popc(same & (2U << lane()) - 1);  // of lane 31 all: 2 << 31 is 0
      std::uint32_t before = 0;
      if (static_cast<int>(lane()) == last) before = atomicAdd(&own[bin], upto);
      ranks[i] = __shfl_sync(all_lanes, before, last) + upto - 1;
    });
    return begin;
  }

  /// The same for few keys, of which it need not be known soon how many have a digit.
  template <int Items, class U, class Digit>
  __device__ __forceinline__ std::uint32_t find(const U (&keys)[Items], std::uint32_t (&ranks)[Items],
                                                const Digit& digit) {
    std::uint32_t* const own = clear();
    __syncthreads();  // after which the compiler knows that lanes are together, or ballots take three times the code
#pragma unroll
    for (int i = 0; i < Items; ++i) {
      const std::uint32_t bin = digit(keys[i]);
      const unsigned same = lanes_of(bin);
      const unsigned upto = __popc(same & (2U << lane()) - 1);
      const std::uint32_t before = own[bin];
      __syncwarp();
      if (same >> lane() == 1) own[bin] = before + upto;  // the last lane of those
      __syncwarp();
      ranks[i] = before + upto - 1;
    }
    __syncthreads();
    const std::uint32_t begin = add_up([](std::uint32_t) {});
#pragma unroll
    for (int i = 0; i < Items; ++i) ranks[i] += own[digit(keys[i])];
    return begin;
  }

 private:
  __device__ static unsigned lane() {
    return threadIdx.x % 32;
  }

  /// The same key, of which the compiler does not know it: digits are found again then, instead of kept in registers.
  template <class U>
  __device__ static U again(U key) {
    std::conditional_t<sizeof(U) == 8, std::uint64_t, std::uint32_t> bits_of_key = key;
    if constexpr (sizeof(U) == 8) {
      asm volatile("" : "+l"(bits_of_key));
    } else {
      asm volatile("" : "+r"(bits_of_key));
    }
    return static_cast<U>(bits_of_key);
  }
  /// The counts of this warp, set to zero.
  __device__ std::uint32_t* clear() {
    std::uint32_t* const own = counts[threadIdx.x / 32];
#pragma unroll
    for (unsigned b = 0; b < bins; b += 32) own[b + lane()] = 0;
    __syncwarp();
    return own;
  }
  /// Turns counts into what comes before each warp's keys of a digit; thread b gets where digit b begins.
  template <class Tell>
  __device__ __forceinline__ std::uint32_t add_up(Tell&& tell) {
    const unsigned bin = threadIdx.x;
    std::uint32_t of_warps[warps];
    std::uint32_t all = 0;
    if (bin < bins) {
#pragma unroll
      for (unsigned w = 0; w < warps; ++w) {
        of_warps[w] = counts[w][bin];
        all += of_warps[w];
      }
      tell(all);
    }
    const std::uint32_t upto = inclusive_sum(all);
    if (bin < bins && lane() == 31) sums[bin / 32] = upto;
    __syncthreads();
    std::uint32_t begin = upto - all;
    if (bin < bins) {
#pragma unroll
      for (unsigned w = 0; w < bins / 32; ++w) begin += w < bin / 32 ? sums[w] : 0;
      std::uint32_t next = begin;
#pragma unroll
      for (unsigned w = 0; w < warps; ++w) {
        counts[w][bin] = next;
        next += of_warps[w];
      }
    }
    __syncthreads();
    return begin;
  }
  /// The lanes whose digit is this one's. In PTX, since the compiler makes twice as many instructions of a ballot.
  __device__ __forceinline__ static unsigned lanes_of(std::uint32_t bin) {
    unsigned same = all_lanes;
#pragma unroll
    for (unsigned bit = 0; bit < bits; ++bit) {
      unsigned alike = 0;  // in this bit
      asm volatile(
          "{ .reg .pred set; .reg .b32 here; and.b32 here, %1, %2; setp.ne.b32 set, here, 0;"
          " vote.sync.ballot.b32 %0, set, 0xFFFFFFFF; @!set not.b32 %0, %0; }"
          : "=r"(alike)
          : "r"(bin), "r"(1U << bit));
      same &= alike;
    }
    return same;
  }
};

#endif

}  // namespace peneira::detail
