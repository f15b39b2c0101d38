// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// buffer_global (buffer+global in the paper): like buffer_per_bin, but a thread that finds its buffer full writes its
// item straight to the output instead of waiting.
//
//   item --> buffer of its bin --32 items, one warp--> out
//        \__ full: at the block's cursor of the bin ___/
//
// So many items of one bin cost one pass each, and as they go to neighbouring places, the memory gathers them. Reads
// each key twice and each value once, writes each item once.
//
// Cordeiro, Nunan Zola: mrBins, section 4, iii (see histograms.hpp).
#pragma once

#include "peneira/multisplit/published/buffers.hpp"

namespace peneira::multisplit_strategies {

namespace published_kernels {

struct write_past_the_buffer {
  static constexpr std::string_view kernel = "fill_or_scatter";

#if defined(__CUDACC__)
  template <class K, class V, class Cursor>
  __device__ static void run(const buffers<K, V, Cursor>& held, bool to_be_inserted, std::uint32_t b, const K& key,
                             view<const K, const V> in, std::size_t at, view<K, V> out) {
    bool filled = false;
    if (to_be_inserted) {
      const unsigned slot = held.put(b, key, in, at);
      filled = slot == buffer_items - 1;
      if (slot >= buffer_items) {
        const std::size_t to = atomicAdd(&held.cursors[b], Cursor{1});
        if (to < out.size) {  // beyond it only if f contradicts what it said when counting
          out.keys[to] = key;
          if constexpr (view<K, V>::has_values) out.values[to] = in.values[at];
        }
      }
    }
    __syncthreads();
    held.flush_filled(filled, b, out);
    __syncthreads();
  }
#endif
};

}  // namespace published_kernels

struct buffer_global : fills_buffers<published_kernels::write_past_the_buffer> {
  static constexpr std::string_view name = "buffer_global";
  static constexpr std::string_view about = "published: like buffer_per_bin, but past a full buffer straight to memory";
};

}  // namespace peneira::multisplit_strategies
