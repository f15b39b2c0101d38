// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// How the blocks of one launch hand their results to one of them, without a second launch or a counter that somebody
// must have set to zero. A letter of 8 bytes travels in one store of 16 with the stamp of the call beside it;
// whoever waits for it reads until it finds the stamp, and then takes the stamp off, so that a graph may run again in
// the same memory. The stamp is a 64-bit number that no other call of the process has, so that the memory may hold
// anything before: it would have to hold that very number in that very place by chance.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>

#include "peneira/hash.hpp"

#if defined(__CUDACC__)
#include "peneira/gpu/primitives/combine.cuh"
#endif

namespace peneira::detail {

struct alignas(16) letter {
  std::uint64_t text;
  std::uint64_t stamp;
};

/// Letters that a value needs.
PENEIRA_HD constexpr std::size_t letters_of(std::size_t bytes) {
  return (bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
}

/// A stamp that no other call has, and never 0.
inline std::uint64_t fresh_stamp() {
  static std::atomic<std::uint64_t> next{(std::uint64_t{std::random_device{}()} << 32U) | std::random_device{}()};
  return mix64(next.fetch_add(1, std::memory_order_relaxed)) | 1U;
}

#if defined(__CUDACC__)

/// A row of boxes, each for one value of T.
template <class T>
struct mailbox {
  static constexpr std::size_t letters = letters_of(sizeof(T));
  letter* boxes;
  std::uint64_t stamp;

  __device__ void send(std::size_t box, const T& value) const {
    std::uint64_t text[letters] = {};
    std::memcpy(text, &value, sizeof(T));
#pragma unroll
    for (std::size_t k = 0; k < letters; ++k) write(boxes + box * letters + k, text[k], stamp);
  }
  /// Waits for the value and empties the box.
  __device__ T receive(std::size_t box) const {
    std::uint64_t text[letters];
    while (!look(box, text)) {
    }
    return take(box, text);
  }
  /// The same of a warp, whose lanes stay together: those that wait each for itself are apart afterwards. One that has
  /// no box gets `none`.
  __device__ T receive_together(std::size_t box, bool has_box, const T& none) const {
    if (!has_box) box = 0;
    std::uint64_t text[letters];
    bool there = false;
    do {
      there = look(box, text) || !has_box;
    } while (!__all_sync(all_lanes, there));
    return has_box ? take(box, text) : none;
  }

 private:
  /// Looks at all letters of a box at once; whether they are there.
  __device__ bool look(std::size_t box, std::uint64_t (&text)[letters]) const {
    bool all = true;
#pragma unroll
    for (std::size_t k = 0; k < letters; ++k) {
      const letter found = read(boxes + box * letters + k);
      text[k] = found.text;
      all = all && found.stamp == stamp;
    }
    return all;
  }
  /// Empties a box whose letters were read.
  __device__ T take(std::size_t box, const std::uint64_t (&text)[letters]) const {
#pragma unroll
    for (std::size_t k = 0; k < letters; ++k) write(boxes + box * letters + k, 0, 0);
    T value;
    std::memcpy(&value, text, sizeof(T));
    return value;
  }

  __device__ static void write(letter* to, std::uint64_t text, std::uint64_t mark) {
    asm volatile("{ .reg .b128 both; mov.b128 both, {%1, %2}; st.relaxed.gpu.global.b128 [%0], both; }" ::"l"(to),
                 "l"(text), "l"(mark)
                 : "memory");
  }
  __device__ static letter read(const letter* from) {
    letter found{};
    asm volatile("{ .reg .b128 both; ld.relaxed.gpu.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"
                 : "=l"(found.text), "=l"(found.stamp)
                 : "l"(from)
                 : "memory");
    return found;
  }
};

#endif

}  // namespace peneira::detail
