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
    bool all = false;
    while (!all) {  // every look is at all letters at once
      all = true;
#pragma unroll
      for (std::size_t k = 0; k < letters; ++k) {
        const letter found = read(boxes + box * letters + k);
        text[k] = found.text;
        all = all && found.stamp == stamp;
      }
    }
#pragma unroll
    for (std::size_t k = 0; k < letters; ++k) write(boxes + box * letters + k, 0, 0);
    T value;
    std::memcpy(&value, text, sizeof(T));
    return value;
  }

 private:
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
