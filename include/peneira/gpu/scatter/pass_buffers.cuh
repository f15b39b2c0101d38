// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Where items are while passes move them back and forth, and what is counted of them.
#pragma once

#include "peneira/tuning/gpu.hpp"
#include "peneira/view.hpp"

namespace peneira::detail {

/// Bins of a pass at most.
inline constexpr std::uint32_t pass_bins = 1U << tuning::level_bits;

/// The arrays that items can lie in.
enum class sort_buffer : std::uint32_t { in, between, out };

/// Counts or positions, of 32 bits where that is enough.
struct level_counts {
  void* words;
  bool wide;

  PENEIRA_HD static std::size_t bytes(std::size_t count, bool wide) { return count * (wide ? 8 : 4); }
  /// Those from there on.
  [[nodiscard]] PENEIRA_HD level_counts from(std::size_t at) const {
    return {static_cast<unsigned char*>(words) + bytes(at, wide), wide};
  }
#if defined(__CUDACC__)
  [[nodiscard]] __device__ std::uint64_t get(std::size_t at) const {
    return wide ? static_cast<const std::uint64_t*>(words)[at] : static_cast<const std::uint32_t*>(words)[at];
  }
  __device__ void set(std::size_t at, std::uint64_t value) const {
    if (wide) {
      static_cast<std::uint64_t*>(words)[at] = value;
    } else {
      static_cast<std::uint32_t*>(words)[at] = static_cast<std::uint32_t>(value);
    }
  }
  /// Returns what was there before.
  [[nodiscard]] __device__ std::uint64_t add(std::size_t at, std::uint32_t more) const {
    return wide ? atomicAdd(static_cast<unsigned long long*>(words) + at, std::uint64_t{more})
                : atomicAdd(static_cast<std::uint32_t*>(words) + at, more);
  }
#endif
};

/// Keys and values in each of the arrays.
template <class U, class V>
struct sort_arrays {
  view<const U, const V> in;
  view<U, V> between;
  view<U, V> out;

  /// Of keys that have the bits of U.
  template <class K>
  static sort_arrays of(const view<const K, const V>& in, const item_arrays& between, const view<K, V>& out) {
    return {{reinterpret_cast<const U*>(in.keys), in.values, in.size},
            between.as<U, V>(in.size),
            {reinterpret_cast<U*>(out.keys), out.values, in.size}};
  }
  [[nodiscard]] PENEIRA_HD view<const U, const V> from(sort_buffer where) const {
    return where == sort_buffer::in ? in : where == sort_buffer::out ? out : between;
  }
  [[nodiscard]] PENEIRA_HD view<U, V> to(sort_buffer where) const { return where == sort_buffer::out ? out : between; }
};

#if defined(__CUDACC__)

/// The buffers that passes read and write, back and forth. The last of them writes to the output, unless there is an
/// odd number in place: what they leave elsewhere is copied.
template <class U, class V>
struct pass_buffers {
  const sort_arrays<U, V>& arrays;
  bool in_place = arrays.in.keys == arrays.out.keys;
  sort_buffer where = sort_buffer::in;
  sort_buffer to = sort_buffer::between;

  __device__ void plan(unsigned passes) {
    if (passes % 2 == 1 && !in_place) to = sort_buffer::out;
  }
  __device__ void next() {
    where = to;
    to = where == sort_buffer::out ? sort_buffer::between : sort_buffer::out;
  }
  /// Copies a block's part of the items to the output, where they are not there yet.
  template <class Index>
  __device__ void finish(Index begin, Index end) const {
    if (where == sort_buffer::out || (where == sort_buffer::in && in_place)) return;
    const view<const U, const V> from = arrays.from(where);
    for (Index i = begin + threadIdx.x; i < end; i += blockDim.x) {
      arrays.out.keys[i] = from.keys[i];
      if constexpr (view<U, V>::has_values) arrays.out.values[i] = from.values[i];
    }
  }
};

#endif

}  // namespace peneira::detail
