// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of gpu_multisplit beyond 256 bins: the bin of every item is its label, labels are sorted by the bits that
// bins have, and what goes along with a label tells the item.
//
//   keys --label_items--> (bin, key or index) --sort--> --write_label_offsets--> offsets
//                                                       --gather_items---------> out, where indices went along
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "peneira/bins.hpp"
#include "peneira/view.hpp"

namespace peneira::multisplit_strategies::published_kernels {

#if defined(__CUDACC__)

/// The label of an item that has no bin: it is sorted behind all others.
__device__ inline std::uint32_t label_of(std::uint32_t bin, std::uint32_t bins) {
  return bin < bins ? bin : bins;
}

/// Keys go along as their bits, where Carried has their size and `index` is not asked for.
template <class Carried, class K, class F>
__global__ void label_items(const K* keys, std::size_t n, F f, bool index, std::uint32_t* labels, Carried* carried) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const std::uint32_t bins = f.bins();
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; at < n; at += stride) {
    const K key = keys[at];
    labels[at] = label_of(detail::bin_of(f, key), bins);
    if (index) {
      carried[at] = static_cast<Carried>(at);
    } else if constexpr (sizeof(K) == sizeof(Carried)) {
      std::memcpy(&carried[at], &key, sizeof(K));
    }
  }
}

/// offsets[b] is where the first label of b or more is. Runs for n + 1 places: behind the last is one of no bin. The
/// bins of a gap are written by one thread, which takes long where few items are in millions of bins.
template <class Offset>
__global__ void write_label_offsets(const std::uint32_t* labels, std::size_t n, std::uint32_t bins, Offset* offsets) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; at <= n; at += stride) {
    const std::uint64_t first = at == 0 ? 0 : std::uint64_t{labels[at - 1]} + 1;
    const std::uint64_t last = at == n ? bins : labels[at];
    for (std::uint64_t b = first; b <= last; ++b) offsets[b] = static_cast<Offset>(at);
  }
}

template <class Index, class K, class V>
__global__ void gather_items(view<const K, const V> in, view<K, V> out, const std::uint32_t* labels,
                             const Index* indices, std::uint32_t bins) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t at = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; at < in.size; at += stride) {
    if (labels[at] >= bins) continue;
    const std::size_t from = indices[at];
    out.keys[at] = in.keys[from];
    if constexpr (view<K, V>::has_values) out.values[at] = in.values[from];
  }
}

#endif

}  // namespace peneira::multisplit_strategies::published_kernels
