// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Stamped slots: how the blocks of one launch pass their results to one of them, without a second launch and without a
// counter that must be zero before. A word of 8 bytes is stored together with the stamp of the call, in one store of 16
// bytes. The reader polls a slot until it finds the stamp, and then clears it, so that a graph may run again in the
// same memory. The stamp is a 64-bit number that no other call of the process has: the memory may hold anything before,
// unless it holds that very number in that very place by chance.
#pragma once

#include <atomic>
#include <cstring>
#include <random>

#include "peneira/hash.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#endif

namespace peneira::detail {

/// What one store writes.
struct alignas(16) stamped_word {
  std::uint64_t word;
  std::uint64_t stamp;
};

/// Stamped words of a slot for a value of so many bytes.
PENEIRA_HD constexpr std::size_t slot_words(std::size_t bytes) {
  return (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

/// A stamp that no other call has, and never 0.
inline std::uint64_t fresh_stamp() {
  static std::atomic<std::uint64_t> next{(std::uint64_t{std::random_device{}()} << 32U) | std::random_device{}()};
  return mix64(next.fetch_add(1, std::memory_order_relaxed)) | 1U;
}

#if defined(__CUDACC__)

/// An array of slots, each for one value of T.
template <class T>
struct stamped_slots {
  static constexpr std::size_t words = slot_words(sizeof(T));
  stamped_word* slots;
  std::uint64_t stamp;

  __device__ void publish(std::size_t slot, const T& value) const {
    std::uint64_t of_value[words] = {};
    std::memcpy(of_value, &value, sizeof(T));
#pragma unroll
    for (std::size_t k = 0; k < words; ++k) store(slots + slot * words + k, of_value[k], stamp);
  }
  /// Whether a value is published; then `value` is it, which others may look at, too. No branch depends on it, so that
  /// several slots can be looked at in the time of one.
  __device__ bool peek(std::size_t slot, T& value) const {
    std::uint64_t of_value[words];
    const bool there = poll(slot, of_value);
    std::memcpy(&value, of_value, sizeof(T));
    return there;
  }
  /// Waits until the value is published, and clears the slot.
  __device__ T collect(std::size_t slot) const {
    std::uint64_t of_value[words];
    while (!poll(slot, of_value)) {
    }
    return clear(slot, of_value);
  }
  /// The same, one slot a lane of a warp. The lanes stay converged: those that wait each for itself would not be
  /// afterwards. A lane that has no slot gets `none`.
  __device__ T collect_by_warp(std::size_t slot, bool has_slot, const T& none) const {
    if (!has_slot) slot = 0;
    std::uint64_t of_value[words];
    bool there = false;
    do {
      there = poll(slot, of_value) || !has_slot;
    } while (!__all_sync(all_lanes, there));
    return has_slot ? clear(slot, of_value) : none;
  }

 private:
  /// Reads all words of a slot at once; whether all have the stamp.
  __device__ bool poll(std::size_t slot, std::uint64_t (&of_value)[words]) const {
    bool all = true;
#pragma unroll
    for (std::size_t k = 0; k < words; ++k) {
      const stamped_word found = load(slots + slot * words + k);
      of_value[k] = found.word;
      all = all && found.stamp == stamp;
    }
    return all;
  }
  /// Clears a slot that was read, and returns its value.
  __device__ T clear(std::size_t slot, const std::uint64_t (&of_value)[words]) const {
#pragma unroll
    for (std::size_t k = 0; k < words; ++k) store(slots + slot * words + k, 0, 0);
    T value;
    std::memcpy(&value, of_value, sizeof(T));
    return value;
  }

  __device__ static void store(stamped_word* to, std::uint64_t word, std::uint64_t mark) {
    asm volatile("{ .reg .b128 both; mov.b128 both, {%1, %2}; st.relaxed.gpu.global.b128 [%0], both; }" ::"l"(to),
                 "l"(word), "l"(mark)
                 : "memory");
  }
  __device__ static stamped_word load(const stamped_word* from) {
    stamped_word found{};
    asm volatile("{ .reg .b128 both; ld.relaxed.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"
                 : "=l"(found.word), "=l"(found.stamp)
                 : "l"(from)
                 : "memory");
    return found;
  }
};

#endif

}  // namespace peneira::detail
