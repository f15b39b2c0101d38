// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies from global to shared memory that go on while a warp computes.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstddef>
#include <cstdint>

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

// Copies of many bytes that one thread begins and all wait for, where the device has them.

#if __CUDA_ARCH__ >= 900
inline constexpr bool can_copy_in_bulk = true;
#else
inline constexpr bool can_copy_in_bulk = false;
#endif

/// Some copies that are waited for together, once. Addresses and bytes are multiples of 16. No block may end while one
/// is under way.
class bulk_copies {
 public:
  __device__ explicit bulk_copies(std::uint64_t* barrier)
      : barrier_(static_cast<std::uint32_t>(__cvta_generic_to_shared(barrier))) {}

  /// By the thread that begins all copies; others may wait once they have met it.
  __device__ void expect(std::uint32_t bytes) const {
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier_) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier_), "r"(bytes) : "memory");
#endif
  }
  __device__ void begin(void* to_shared, const void* from, std::uint32_t bytes) const {
#if __CUDA_ARCH__ >= 900
    const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(to_shared));
    asm volatile(
        "{ .reg .b64 once; createpolicy.fractional.L2::evict_first.b64 once, 1.0;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], once; "
        "}" ::"r"(to),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier_)
        : "memory");
#endif
  }
  __device__ void wait() const {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{ .reg .pred there;\n"
        "again: mbarrier.try_wait.parity.shared::cta.b64 there, [%0], 0;\n"
        "@!there bra again; }" ::"r"(barrier_)
        : "memory");
#endif
  }

 private:
  std::uint32_t barrier_;
};

}  // namespace peneira::detail
