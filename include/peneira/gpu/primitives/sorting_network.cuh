// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorting in registers: the words of a thread by a network, and those of neighbouring lanes by bitonic merges.
#pragma once

#if defined(__CUDACC__)

#include "peneira/gpu/primitives/combine.cuh"

namespace peneira::detail {

template <class Word>
__device__ __forceinline__ void put_in_order(Word& low, Word& high) {
  const Word less = ::min(low, high);
  high = ::max(low, high);
  low = less;
}

/// Sorts a thread's words: Batcher's odd-even merge sort.
template <class Word, unsigned Items>
__device__ __forceinline__ void sort_in_thread(Word (&words)[Items]) {
#pragma unroll
  for (unsigned run = 1; run < Items; run *= 2) {
#pragma unroll
    for (unsigned away = run; away >= 1; away /= 2) {
#pragma unroll
      for (unsigned low = 0; low + away < Items; ++low) {
        const unsigned from = away % run;
        const bool pairs = low >= from && (low - from) / away % 2 == 0 && low / (2 * run) == (low + away) / (2 * run);
        if (pairs) put_in_order(words[low], words[low + away]);
      }
    }
  }
}

/// Merges the words of every `lanes` lanes, a power of two. Those of either half are in order: of each lane
/// neighbouring ones. All lanes of the warp call.
template <class Word, unsigned Items>
__device__ __forceinline__ void merge_lanes(Word (&words)[Items], unsigned lanes) {
  const unsigned lane = threadIdx.x % 32;
  const auto exchange = [&](unsigned distance, bool upper, bool mirrored) {
    Word others[Items];
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      others[i] = __shfl_xor_sync(all_lanes, words[mirrored ? Items - 1 - i : i], distance);
    }
#pragma unroll
    for (unsigned i = 0; i < Items; ++i) {
      if ((others[i] < words[i]) != upper) words[i] = others[i];
    }
  };
  exchange(lanes - 1, (lane & lanes / 2) != 0, true);
#pragma unroll 8
  for (unsigned distance = lanes / 4; distance >= 1; distance /= 2) {
    exchange(distance, (lane & distance) != 0, false);
  }
#pragma unroll
  for (unsigned away = Items / 2; away >= 1; away /= 2) {
#pragma unroll
    for (unsigned low = 0; low < Items; ++low) {
      if ((low & away) == 0) put_in_order(words[low], words[low + away]);
    }
  }
}

/// Sorts the words of every `lanes` lanes, a power of two, which only the device knows.
template <class Word, unsigned Items>
__device__ __forceinline__ void sort_in_lanes(Word (&words)[Items], unsigned lanes) {
  sort_in_thread(words);
#pragma unroll 1
  for (unsigned merged = 2; merged <= lanes; merged *= 2) merge_lanes(words, merged);
}

}  // namespace peneira::detail

#endif
