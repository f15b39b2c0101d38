// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a sort over ranks asks of keys in device memory: those of a sample, and the bins between borders.
#pragma once

#if defined(__CUDACC__)
#include "peneira/bins.hpp"
#include "peneira/gpu/runtime.cuh"
#include "peneira/ranks/cuts.hpp"

namespace peneira::detail {

/// The bins of cut_bins, for a GPU: borders lie in device memory.
template <class K>
struct device_cut_bins {
  key_number<K> of;
  splitters<bits_of<K>> borders;

  [[nodiscard]] PENEIRA_HD std::uint32_t bins() const { return borders.bins(); }
  PENEIRA_HD std::uint32_t operator()(const K& key) const { return borders(of(key)); }
};
template <class K>
inline constexpr bool never_misses<device_cut_bins<K>> = true;

/// The numbers of a rank's keys that are in the sample.
template <class K>
__global__ void take_rank_sample(const K* keys, std::size_t items, key_number<K> of, bits_of<K>* sample,
                                 std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) sample[i] = of(keys[sample_place(i, count, items)]);
}

inline step take_rank_sample_step(std::size_t count) {
  constexpr std::size_t threads = 256;
  return {"take_rank_sample", (count + threads - 1) / threads, threads};
}

}  // namespace peneira::detail

#endif
