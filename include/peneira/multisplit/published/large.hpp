// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// large: each item goes straight to its place.
//
//   slice of a block --f--> bin --cursors[bin]++ in shared memory--> out, an item at a time
//
// The block's cursors come from stage 1 (histograms.hpp). Nothing gathers the writes: with many bins each touches a
// sector of 32 bytes of its own. Where shared memory does not hold a cursor for every bin, the block goes through its
// slice again for each group of bins that it does hold. Reads each key twice (once more a round) and each value once;
// writes each item once, scattered.
//
// Cordeiro, Nunan Zola: both papers that histograms.hpp names.
#pragma once

#include "peneira/multisplit/published/histograms.hpp"

namespace peneira::multisplit_strategies {

#if defined(__CUDACC__)

namespace published_kernels {

template <class K, class V, class F, class Cursor>
__global__ void __launch_bounds__(most_threads)
    scatter_items(view<const K, const V> in, view<K, V> out, F f, const std::uint64_t* positions, std::size_t slice,
                  std::size_t at_once) {
  auto* const cursors = reinterpret_cast<Cursor*>(shared_bytes());
  const slice_of_block mine = my_slice(in.size, slice);
  const std::uint32_t bins = f.bins();
  for (std::size_t first = 0; first < bins; first += at_once) {
    const group_of_bins group(first, at_once, bins);
    for (std::uint32_t b = threadIdx.x; b < group.size; b += blockDim.x) {
      cursors[b] = static_cast<Cursor>(positions[group.entry(b)]);
    }
    __syncthreads();
    for (std::size_t at = mine.begin + threadIdx.x; at < mine.end; at += blockDim.x) {
      const K key = in.keys[at];
      const std::uint32_t number = group.number_of(detail::bin_of(f, key));
      if (number >= group.size) continue;
      const std::size_t to = atomicAdd(&cursors[number], Cursor{1});
      if (to < in.size) {  // beyond it only if f contradicts what it said when counting
        out.keys[to] = key;
        if constexpr (view<K, V>::has_values) out.values[to] = in.values[at];
      }
    }
    __syncthreads();
  }
}

}  // namespace published_kernels

#endif

struct large : two_stages {
  static constexpr std::string_view name = "large";
  static constexpr std::string_view about = "published: each item straight to its place; any number of bins";

  static std::string refuses(const multisplit_problem& problem, const device& machine) {
    return refuse_all(problem, machine);
  }

  static parameters decide(const multisplit_problem& problem, const device& machine) {
    const std::size_t bytes = cursor_bytes(problem);
    return two_stages::decide(problem, machine, "scatter_items", {bytes, shared_of(problem, machine) / bytes});
  }

#if defined(__CUDACC__)
  template <class K, class V, class F, class Offset>
  static void run(const gpu& on, const parameters& p, view<const K, const V> in, view<K, V> out, const F& f,
                  Offset* offsets, bool checked) {
    two_stages::run<K, V>(on, p, in, f, offsets, checked, [&](const std::uint64_t* positions, auto cursor) {
      detail::launch(on, p.stage_two, published_kernels::scatter_items<K, V, F, decltype(cursor)>, in, out, f,
                     positions, p.slice, p.bins_at_once);
    });
  }
#endif
};

}  // namespace peneira::multisplit_strategies
