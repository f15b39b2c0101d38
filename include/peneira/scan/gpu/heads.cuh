// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where segments begin, as the kernel that scans tiles asks it: nowhere but at the first item, at every so many items,
// or where a bit is set. A scan by segments is one of values that know whether a segment begins among their items.
#pragma once

#include <cstddef>
#include <cstdint>

#include "peneira/config.hpp"

namespace peneira::detail {

/// Bytes of what tiles of a segmented scan tell each other, no less than those of begun<Result>.
constexpr std::size_t begun_bytes(std::size_t result_bytes) {
  return (result_bytes + 15) / 16 * 16 + 16;
}

/// Bits of the heads of segments, in words.
constexpr std::size_t head_words(std::size_t items) {
  return (items + 31) / 32;
}

#if defined(__CUDACC__)

/// Items combined, from the last segment on that begins among them.
template <class Result>
struct begun {
  Result value;
  std::uint32_t begins;  ///< whether one does
};

/// The operator on such values. Associative, where Op is, and never commutative.
template <class Op>
struct within_segments {
  Op op;

  template <class Result>
  __device__ begun<Result> operator()(const begun<Result>& a, const begun<Result>& b) const {
    return {b.begins != 0 ? b.value : op(a.value, b.value), a.begins | b.begins};
  }
  template <class Begun>
  __device__ Begun identity() const {
    return {op.template identity<decltype(Begun::value)>(), 0};
  }
};

/// One segment: all items.
struct no_heads {
  template <class Result>
  using value = Result;
  static constexpr bool segmented = false;
};

/// Segments of one size.
struct even_heads {
  template <class Result>
  using value = begun<Result>;
  static constexpr bool segmented = true;
  std::size_t size;

  /// Heads among `Count` items from one on, a bit each.
  template <unsigned Count>
  [[nodiscard]] __device__ std::uint32_t among(std::size_t first) const {
    std::size_t place = first % size;
    std::uint32_t bits = 0;
#pragma unroll
    for (unsigned k = 0; k < Count; ++k) {
      if (place == 0) bits |= 1U << k;
      place = place + 1 == size ? 0 : place + 1;
    }
    return bits;
  }
  [[nodiscard]] __device__ bool writes(std::size_t /*item*/) const {
    return true;
  }
};

/// Segments that offsets bound, whose heads were marked.
template <class Offset>
struct marked_heads {
  template <class Result>
  using value = begun<Result>;
  static constexpr bool segmented = true;
  const std::uint32_t* bits;
  const Offset* offsets;
  std::size_t segments;

  /// A group lies within a word: its items are a power of two, and it begins at a multiple of them.
  template <unsigned Count>
  [[nodiscard]] __device__ std::uint32_t among(std::size_t first) const {
    return bits[first / 32] >> (first % 32);
  }
  /// Whether an item is in any segment.
  [[nodiscard]] __device__ bool writes(std::size_t item) const {
    return item >= static_cast<std::size_t>(offsets[0]) && item < static_cast<std::size_t>(offsets[segments]);
  }
};

/// Sets the bit of the first item of every segment that is not empty, and of the first behind the last.
template <class Offset>
__global__ void mark_heads(const Offset* offsets, std::size_t segments, std::size_t items, std::uint32_t* bits) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t s = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; s <= segments; s += stride) {
    const auto at = static_cast<std::size_t>(offsets[s]);
    if (at < items) atomicOr(bits + at / 32, 1U << (at % 32));
  }
}

/// Clears the bits of all heads.
template <class Word = std::uint32_t>
__global__ void clear_heads(Word* words, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t w = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; w < count; w += stride) words[w] = 0;
}

#endif

}  // namespace peneira::detail
