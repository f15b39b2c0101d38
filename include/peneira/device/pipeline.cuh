// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies from global to shared memory that go on while a block computes.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstddef>
#include <cstdint>

namespace peneira::detail {

/// Begins to copy one item of 4, 8 or 16 bytes.
template <class T>
__device__ void copy_later(T* to_shared, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  __pipeline_memcpy_async(to_shared, from, sizeof(T));
}

/// Ends a batch of such copies.
__device__ inline void end_batch() {
  __pipeline_commit();
}

/// Until all of this thread's batches but the last `Pending` have arrived; others see them after a __syncthreads().
template <unsigned Pending>
__device__ void wait_for_batches() {
  __pipeline_wait_prior(Pending);
}

}  // namespace peneira::detail
