// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A set of keys that many threads fill, each of which gets a number: lists of those with the same place, whose heads a
// hash names. Whether all keys fit, and how long the lists are, depends on the keys alone, not on who comes first.
#pragma once

#include "peneira/gpu/primitives/combine.cuh"
#include "peneira/group_keys.hpp"
#include "peneira/tuning/gpu_group.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// A hash of a key's bits, for its place in a set: its highest bits.
template <class U>
PENEIRA_HD constexpr std::uint32_t place_hash(U bits) {
  if constexpr (sizeof(U) <= 4) {
    return bits * 0x9E3779B1U;
  } else {
    return static_cast<std::uint32_t>(group_hash(bits) >> 32U);
  }
}

/// Link numbers keys: 16 bits in the shared memory of a block, 32 in global memory. `most` stands for no key.
template <class U, class Link>
struct group_set {
  static constexpr Link busy = static_cast<Link>(~Link{0});  ///< a list that somebody links a key to

  U* keys;  ///< in shared memory one more than there can be
  Link* next;
  Link* heads;           ///< a power of two of them
  std::uint32_t* count;  ///< of keys; more than `most`: they do not fit
  std::uint32_t most;
  std::uint32_t shift;  ///< of a hash, to a head

  /// One of several sets that lie side by side, with so many heads each.
  [[nodiscard]] __device__ group_set at(std::uint32_t number, std::uint32_t sizes) const {
    const std::size_t before = std::size_t{number} * most;
    return {keys + before, next + before, heads + std::size_t{number} * sizes, count + number, most, shift};
  }
  /// The numbers of keys; `most` of those that are not there. A whole warp calls, and nobody inserts meanwhile.
  template <unsigned Rows>
  __device__ void find(const U (&wanted)[Rows], std::uint32_t (&numbers)[Rows]) const {
    std::uint32_t open = 0;
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) numbers[r] = heads[place_hash(wanted[r]) >> shift];
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) open |= keys[numbers[r]] != wanted[r] ? 1U << r : 0;
    while (__any_sync(all_lanes, open != 0)) {
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
        if ((open >> r & 1U) != 0 && numbers[r] != most) numbers[r] = next[numbers[r]];
      }
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
        if ((open >> r & 1U) == 0) continue;
        if (numbers[r] == most || keys[numbers[r]] == wanted[r]) open &= ~(1U << r);
      }
    }
  }
  /// The number of a key that is put in where it is not there; `most` where the set is full.
  __device__ std::uint32_t insert(U key) const {
    std::uint32_t number = most;
    while (!try_to_insert(key, number)) {
    }
    return number;
  }
  /// The same, unless somebody else holds the list.
  __device__ bool try_to_insert(U key, std::uint32_t& number) const {
    if (look(count) > most) return true;
    Link* const head = heads + (place_hash(key) >> shift);
    const Link first = look(head);
    if (first == busy) return false;
    fence();
    unsigned others = 0;
    for (Link at = first; at != most; at = look(next + at)) {
      if (look(keys + at) == key) {
        number = at;
        return true;
      }
      ++others;
    }
    if (others == tuning::tables_chain) {
      atomicMax(count, most + 1);
      return true;
    }
    if (swapped(head, first, busy) != first) return false;
    number = link(head, first, key);
    return true;
  }

 private:
  /// What others may write meanwhile is read and written by atomics alone; only who holds a list writes.
  template <class T>
  __device__ static T swapped(T* at, T wanted, T value) {
    if constexpr (sizeof(T) == sizeof(unsigned long long)) {
      return atomicCAS(reinterpret_cast<unsigned long long*>(at), wanted, value);
    } else if constexpr (sizeof(T) == sizeof(unsigned short)) {
      return atomicCAS(reinterpret_cast<unsigned short*>(at), wanted, value);
    } else {
      return atomicCAS(at, wanted, value);
    }
  }
  template <class T>
  __device__ static T look(T* at) {
    return swapped(at, T{}, T{});
  }
  template <class T>
  __device__ static void put(T* at, T value) {
    swapped(at, look(at), value);
  }
  __device__ static void fence() {
    if constexpr (sizeof(Link) == sizeof(std::uint16_t)) {
      __threadfence_block();
    } else {
      __threadfence();
    }
  }
  /// A new key before the first of a list that is held.
  __device__ std::uint32_t link(Link* head, Link first, U key) const {
    const std::uint32_t number = atomicAdd(count, 1U);
    const bool fits = number < most;
    if (fits) {
      put(keys + number, key);
      put(next + number, first);
    }
    fence();
    swapped(head, busy, fits ? static_cast<Link>(number) : first);
    return fits ? number : most;
  }
};

}  // namespace peneira::detail

#endif
