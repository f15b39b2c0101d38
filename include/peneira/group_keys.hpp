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

/// The bits of the key that stands for a key's group, which are equal where groups are: +0 for both zeros, the positive
/// quiet NaN for all NaNs, its own for others.
template <class K>
PENEIRA_HD bits_of<K> group_bits(const K& key) {
  const bits_of<K> raw = raw_bits(key);
  if constexpr (is_float_key<K>) {
    constexpr std::uint64_t infinity = infinity_bits<K>;
    constexpr auto quiet = static_cast<bits_of<K>>(infinity | ((infinity & (~infinity + 1U)) >> 1U));
    const auto size = static_cast<bits_of<K>>(raw & (static_cast<bits_of<K>>(~bits_of<K>{0}) >> 1U));  // without sign
    if (size == 0) return 0;
    return size > infinity ? quiet : raw;
  } else {
    return raw;
  }
}

/// That key.
template <class K>
PENEIRA_HD K group_key(const K& key) {
  return key_of_bits<K>(group_bits(key));
}

/// Whether two keys are of one group.
template <class K>
PENEIRA_HD bool same_group(const K& a, const K& b) {
  if constexpr (std::is_floating_point_v<K>) {
    return a == b || (is_nan(a) && is_nan(b));
  } else {
    return group_bits(a) == group_bits(b);
  }
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
