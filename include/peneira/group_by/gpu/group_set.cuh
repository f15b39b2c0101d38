// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// A set of keys that many threads fill, each of which gets a number: lists of those with the same place, whose heads a
// hash names. Whether all keys fit, and how long the lists are, depends on the keys alone, not on who comes first.
#pragma once

#include "peneira/group_keys.hpp"
#include "peneira/tuning/gpu_group.hpp"

#if defined(__CUDACC__)

namespace peneira::detail {

/// Link numbers keys: 16 bits in shared memory, 32 in global.
template <class U, class Link>
struct group_set {
  static constexpr Link none = static_cast<Link>(~Link{0});
  static constexpr Link busy = none - 1;

  U* keys;
  Link* next;
  Link* heads;           ///< a power of two of them
  std::uint32_t* count;  ///< of keys; more than `most`: they do not fit
  std::uint32_t most;
  std::uint32_t shift;  ///< of a hash, to a head

  /// The number of a key; `none` where it is not there. Nobody inserts meanwhile.
  [[nodiscard]] __device__ Link find(U key) const {
    Link at = heads[group_hash(key) >> shift];
    while (at != none && keys[at] != key) at = next[at];
    return at;
  }
  /// The number of a key that is put in where it is not there; `none` where the set is full.
  __device__ Link insert(U key) const {
    Link* const head = heads + (group_hash(key) >> shift);
    while (look(*count) <= most) {
      const Link first = look(*head);
      if (first == busy) continue;
      __threadfence();
      unsigned others = 0;
      for (Link at = first; at != none; at = look(next[at])) {
        if (look(keys[at]) == key) return at;
        ++others;
      }
      if (others == tuning::tables_chain) atomicMax(count, most + 1);
      if (others < tuning::tables_chain && atomicCAS(head, first, busy) == first) return link(head, first, key);
    }
    return none;
  }

 private:
  template <class T>
  __device__ static T look(const T& at) {
    return *static_cast<const volatile T*>(&at);
  }
  /// A new key before the first of a list that is held.
  __device__ Link link(Link* head, Link first, U key) const {
    const std::uint32_t number = atomicAdd(count, 1U);
    const bool fits = number < most;
    if (fits) {
      keys[number] = key;
      next[number] = first;
    }
    __threadfence();
    *static_cast<volatile Link*>(head) = fits ? static_cast<Link>(number) : first;
    return fits ? static_cast<Link>(number) : none;
  }
};

}  // namespace peneira::detail

#endif
