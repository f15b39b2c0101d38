// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the CPU engines, each with the measurement that chose it: u32 keys, n = 2^27, 2 threads, on an Emerald
// Rapids (48 KiB, 2 MiB) and a Neoverse V1 (64 KiB, 1 MiB); G items/s of the scatter alone. docs/multisplit.md has the
// log.
#pragma once

#include <cstddef>

namespace peneira::tuning {

/// Items below which one thread and a plain loop win: starting a team costs about what 64 Ki items do.
inline constexpr std::size_t cpu_sequential_items = 1U << 16U;

/// Keys whose bins are computed together, in registers. Four against eight took the scatter into 256 bins from 0.49 to
/// 0.56 (V1, 1 thread); sixteen, as vectors through memory, from 0.96 to 0.71 (ER, 16 bins).
inline constexpr std::size_t cpu_batch = 4;

/// Columns of output (bins, twice for pairs) up to which items go straight to their place, though not with two bins. 16
/// bins: 1.01 straight, 0.79 through buffers; 64 bins: 0.98 and 0.80 (whole call, V1, which merges stores by itself).
/// Never on x86: 16 bins on 16 threads, 1.3 straight, 1.9 through buffers (ER).
#if defined(__x86_64__)
inline constexpr std::size_t cpu_direct_columns = 0;
#else
inline constexpr std::size_t cpu_direct_columns = 64;
#endif

/// Bytes of all buffers of a thread that are shared out as lines of the bins. 256 bins: 8 lines 0.85, 1 line 0.61 (ER);
/// 1,024 bins: 2 lines 1.03, 1 line 0.84 (V1).
inline constexpr std::size_t cpu_buffer_bytes = 128 * 1024;
/// Bins that would get fewer lines than this get one that carries its own fill count. 1,024 bins on 16 threads: 3.2 so,
/// 1.4 with 2 lines; 12,288 bins: 2.2 so, 1.9 without the count (ER). On other processors never: 4,096 bins on one
/// thread 0.24 so, 0.31 without, since the count waits for the store before it (V1).
#if defined(__x86_64__)
inline constexpr std::size_t cpu_least_lines = 4;
#else
inline constexpr std::size_t cpu_least_lines = 1;
#endif
/// More lines than this no longer help: 64 bins, 4 lines 0.73, 8 lines 0.79 (ER).
inline constexpr std::size_t cpu_most_lines = 8;

/// Bytes of output from which full buffers are streamed past the cache. 64 bins: 0.60 streamed, 0.33 not (ER).
inline constexpr std::size_t cpu_stream_bytes = 16 * 1024 * 1024;

/// Coarse bins of a split in two levels when the bins are too many to share out evenly.
inline constexpr unsigned cpu_most_coarse_bits = 11;

}  // namespace peneira::tuning
