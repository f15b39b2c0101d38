// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies from global to shared memory that go on while a warp computes.
#pragma once

#include <cuda_pipeline_primitives.h>

namespace peneira::detail {

/// Begins to copy 16 aligned bytes.
__device__ inline void copy_later(uint4* to_shared, const uint4* from) {
  __pipeline_memcpy_async(to_shared, from, sizeof(uint4));
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
