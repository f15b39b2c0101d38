// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies from global to shared memory that go on while a warp computes.
#pragma once

#include <cuda_pipeline_primitives.h>

namespace peneira::detail {

/// Whether a T is such a word, wherever it lies.
template <class T>
inline constexpr bool can_copy_later = (sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16) && alignof(T) == sizeof(T);

/// Begins to copy an aligned word of 4, 8 or 16 bytes.
template <class Word>
__device__ void copy_later(Word* to_shared, const Word* from) {
  __pipeline_memcpy_async(to_shared, from, sizeof(Word));
}

/// Ends a batch of such copies.
__device__ inline void end_batch() {
  __pipeline_commit();
}

/// Until all of this thread's batches but the last `Pending` have arrived; others see them after they have met.
template <unsigned Pending>
__device__ void wait_for_batches() {
  __pipeline_wait_prior(Pending);
}

}  // namespace peneira::detail
