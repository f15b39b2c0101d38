// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Which keys are one group: those that are equal as numbers, so both zeros are one, and all NaNs, whatever their bits.
// Sorted keys have each such group side by side (key_order.hpp).
#pragma once

#include <limits>
#include <type_traits>

#include "peneira/key_order.hpp"
#include "peneira/ops.hpp"

namespace peneira::detail {

/// Whether two keys are of one group.
template <class K>
PENEIRA_HD constexpr bool same_group(const K& a, const K& b) {
  return a == b || (is_nan(a) && is_nan(b));
}

/// The key that stands for a key's group: +0 for both zeros, the positive quiet NaN for all NaNs, itself for others.
template <class K>
PENEIRA_HD constexpr K group_key(const K& key) {
  if constexpr (std::is_floating_point_v<K>) {
    if (key == K(0)) return K(0);
    return is_nan(key) ? std::numeric_limits<K>::quiet_NaN() : key;
  } else {
    return key;
  }
}

/// The same as bits, which are equal where groups are.
template <class K>
PENEIRA_HD bits_of<K> group_bits(const K& key) {
  return raw_bits(group_key(key));
}

/// A hash of such bits whose highest bits are the best; tables and partitions take theirs from the top. It is no part
/// of the interface, as hash32 is.
template <class U>
PENEIRA_HD constexpr std::uint64_t group_hash(U bits) {
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
  if constexpr (sizeof(U) <= 4) {
    return bits * odd;
  } else {
    const std::uint64_t first = (bits ^ (bits >> 32U)) * odd;
    return (first ^ (first >> 29U)) * 0xBF58476D1CE4E5B9U;
  }
}

}  // namespace peneira::detail
