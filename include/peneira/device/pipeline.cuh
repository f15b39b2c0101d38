// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies from global to shared memory that go on while a block computes.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstddef>
#include <cstdint>

#include "peneira/device/group.cuh"
#include "peneira/tuning/gpu.hpp"

namespace peneira::detail {

/// Begins to copy one item of 4, 8 or 16 bytes.
template <class T>
__device__ void copy_later(T* to_shared, const T* from) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  __pipeline_memcpy_async(to_shared, from, sizeof(T));
}

/// Begins to copy 16 aligned bytes that are read only once: the cache may forget them first.
__device__ inline void copy_once_later(void* to_shared, const void* from) {
#if __CUDA_ARCH__ >= 800
  std::uint64_t policy = 0;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to_shared))),
               "l"(from), "l"(policy)
               : "memory");
#else
  __pipeline_memcpy_async(to_shared, from, 16);
#endif
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

/// A stream of chunks that pass through a ring in shared memory. A block counts everything from the beginning of its
/// first chunk, which may lie a little before the array, so that chunks begin at multiples of 16 bytes.
template <class T, unsigned ChunkSize>
class chunk_ring {
 public:
  static constexpr unsigned size = ChunkSize;
  static constexpr unsigned stages = tuning::ordered_stages;

  /// Of an array of n items those from `first` to before `last`.
  __device__ chunk_ring(const T* array, std::size_t n, std::size_t first, std::size_t last, void* shared)
      : ring_(reinterpret_cast<T*>(shared)) {
    const auto address = reinterpret_cast<std::uintptr_t>(array);
    const bool can_align = address % 16 % sizeof(T) == 0 && (16 % sizeof(T) == 0 || address % 16 == 0);
    const std::size_t shift = can_align ? address % 16 / sizeof(T) : 0;
    base_ = (first + shift) / size * size - shift;
    from_ = array + static_cast<std::ptrdiff_t>(base_);
    valid_ = base_ + size < size ? static_cast<unsigned>(0 - base_) : 0;
    end_ = static_cast<unsigned>(::min(n - base_, std::size_t{0xFFFFFFFFU}));
    last_ = static_cast<unsigned>(last - base_);
    whole_ = can_align ? end_ : 0;
  }
  /// Where counting begins, in the array.
  [[nodiscard]] __device__ std::size_t base() const { return base_; }
  [[nodiscard]] __device__ unsigned last() const { return last_; }
  /// The present chunk, and where it begins.
  [[nodiscard]] __device__ T* chunk() const { return ring_ + slot_ * size; }
  [[nodiscard]] __device__ unsigned begin() const { return begin_; }

  /// Begins to load one more chunk, if there is room and need.
  __device__ void ask() {
    if (asked_ >= last_ || asked_ - begin_ >= stages * size) return;
    T* const to = ring_ + asked_slot_ * size;
    if (asked_ >= valid_ && asked_ + size <= whole_) {
#pragma unroll
      for (unsigned k = 0; k < size * sizeof(T) / 16; k += tuning::ordered_threads) {
        const unsigned word = k + threadIdx.x;
        if (word >= size * sizeof(T) / 16) break;
        copy_once_later(reinterpret_cast<uint4*>(to) + word, reinterpret_cast<const uint4*>(from_ + asked_) + word);
      }
    } else {
      for (unsigned k = threadIdx.x; k < size; k += tuning::ordered_threads) {
        if (asked_ + k >= valid_ && asked_ + k < end_) to[k] = from_[asked_ + k];
      }
    }
    asked_ += size;
    asked_slot_ = asked_slot_ + 1 == stages ? 0 : asked_slot_ + 1;
  }
  /// On to the next chunk.
  __device__ void advance() {
    begin_ += size;
    slot_ = slot_ + 1 == stages ? 0 : slot_ + 1;
  }

 private:
  T* ring_;
  const T* from_;  // of the first chunk
  std::size_t base_;
  unsigned valid_;  // the array begins here
  unsigned end_;    // the array ends here
  unsigned whole_;  // chunks up to here can be loaded by words
  unsigned last_;
  unsigned begin_ = 0;
  unsigned slot_ = 0;
  unsigned asked_ = 0;
  unsigned asked_slot_ = 0;
};

}  // namespace peneira::detail
