// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How large the chunks of items and of segment ends are, as the plan and the kernel both see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/config.hpp"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// Items of a thread in a chunk. Their bytes are an odd number of 16-byte words, so that threads that read their own
/// words from shared memory, each its first, each its second, never meet at a bank.
PENEIRA_HD constexpr int chunk_items(std::size_t item_bytes) {
  for (int items = 1;; ++items) {
    const std::size_t bytes = items * item_bytes;
    if (bytes % 32 == 16 && bytes >= tuning::ordered_thread_bytes) return items;
  }
}

/// Segment ends of a thread in a chunk.
PENEIRA_HD constexpr int chunk_ends(std::size_t end_bytes) {
  return static_cast<int>(tuning::ordered_end_bytes / end_bytes);
}

/// Shared memory of a block: rings of chunks of both kinds, the first result, and one for each end of a chunk.
PENEIRA_HD constexpr std::size_t chunk_shared_bytes(std::size_t item_bytes, std::size_t end_bytes,
                                                    std::size_t result_bytes) {
  constexpr std::size_t threads = tuning::ordered_threads;
  constexpr std::size_t stages = tuning::ordered_stages;
  return threads * stages * (chunk_items(item_bytes) * item_bytes + chunk_ends(end_bytes) * end_bytes) +
         (threads * chunk_ends(end_bytes) + 1) * result_bytes;
}

}  // namespace peneira::detail
