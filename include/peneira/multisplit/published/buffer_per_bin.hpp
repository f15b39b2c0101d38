// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// buffer_per_bin (buffer-per-warp in the earlier paper): a buffer of 32 items for every bin in shared memory; a thread
// that finds its buffer full waits until a warp has written it out, and tries again.
//
//   item --> buffer of its bin --32 items, one warp--> out
//     ^_____________| full: again after the flush
//
// Writes are gathered: 32 neighbours at once. Many items of one bin queue for its buffer, 32 of them a turn. Reads each
// key twice and each value once, writes each item once.
//
// Cordeiro, Nunan Zola: mrBins, Algorithm 1 (see histograms.hpp).
#pragma once

#include "peneira/multisplit/published/buffers.hpp"

namespace peneira::multisplit_strategies {

namespace published_kernels {

/// The inner loop of Algorithm 1.
struct wait_for_room {
  static constexpr std::string_view kernel = "fill_buffers";

#if defined(__CUDACC__)
  template <class K, class V, class Cursor>
  __device__ static void run(const buffers<K, V, Cursor>& held, bool to_be_inserted, std::uint32_t b, const K& key,
                             view<const K, const V> in, std::size_t at, view<K, V> out) {
    do {
      bool filled = false;
      if (to_be_inserted) {
        const unsigned slot = held.put(b, key, in, at);
        to_be_inserted = slot >= buffer_items;
        filled = slot == buffer_items - 1;
      }
      __syncthreads();
      held.flush_filled(filled, b, out);
    } while (__syncthreads_or(static_cast<int>(to_be_inserted)) != 0);
  }
#endif
};

}  // namespace published_kernels

struct buffer_per_bin : fills_buffers<published_kernels::wait_for_room> {
  static constexpr std::string_view name = "buffer_per_bin";
  static constexpr std::string_view former_name = "buffer_per_warp";  ///< in the earlier paper
  static constexpr std::string_view about = "published: a buffer of 32 items a bin in shared memory; a full one waits";
};

}  // namespace peneira::multisplit_strategies
