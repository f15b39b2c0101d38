// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a block's share of the segments needs of shared memory, as the plan and the kernel both see it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/config.hpp"
#include "peneira/device/mailbox.cuh"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// Giants of a share at most.
inline constexpr unsigned most_giants = 64;
/// Long parts that wait at most before they are taken.
inline constexpr unsigned most_long_parts = 2048;

/// Words of both lists and of how long they are, a multiple of 16 bytes.
inline constexpr std::size_t share_list_words = 4 + 3 * most_giants + most_long_parts;

/// Parts that a group of lanes takes a turn.
inline constexpr unsigned share_turn_parts = 4;

/// Shared memory that a share needs; borders of segments have so many bytes there.
PENEIRA_HD constexpr std::size_t share_bytes(std::size_t result_bytes, std::size_t border_bytes) {
  constexpr std::size_t threads = tuning::segment_threads;
  return most_giants * (threads / 32) * result_bytes + share_list_words * sizeof(std::uint32_t) +
         2 * tuning::segment_buffer_bytes + 3 * (share_turn_parts * threads + 4) * border_bytes;
}

/// Letters of what a block leaves behind: two results and 16 bytes more, as any type of that size may be aligned.
PENEIRA_HD constexpr std::size_t share_letters(std::size_t result_bytes) {
  return letters_of((2 * result_bytes + 15) / 16 * 16 + 16);
}

}  // namespace peneira::detail
