// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of keys as the order of unsigned numbers: every key type maps to an unsigned number of its size, one to
// one, so that smaller numbers come first. Sorts then know unsigned numbers only.
//
//   unsigned   x
//   signed     x with its sign bit flipped
//   float      -inf .. -0, +0 .. +inf, NaN, whatever its sign: the usual trick, turned so that negative NaN ends up
//   last descending all bits flipped at the end
#pragma once

#include <cstring>
#include <limits>
#include <type_traits>

#include "peneira/bins.hpp"

namespace peneira {

/// What keys of a sort can be: integers and enums of 8 to 64 bits, float and double.
template <class K>
concept sort_key = detail::is_integer<K> || std::is_same_v<K, float> || std::is_same_v<K, double>;

namespace detail {

/// The bits of a key.
template <class K>
PENEIRA_HD bits_of<K> raw_bits(const K& key) {
  bits_of<K> bits{};
  std::memcpy(&bits, &key, sizeof(K));
  return bits;
}
/// The key of those bits.
template <class K>
PENEIRA_HD K key_of_bits(bits_of<K> bits) {
  K key{};
  std::memcpy(&key, &bits, sizeof(K));
  return key;
}

/// The order of keys whose bits are U, as numbers that a kernel takes along: one code serves all key types of a size.
template <class U>
struct key_order {
  static_assert(std::is_unsigned_v<U>);
  static constexpr unsigned width = std::numeric_limits<U>::digits;

  U flip_negative = 0;  ///< flipped where the highest bit is set; never the highest itself
  U flip = 0;           ///< flipped in every key
  U add = 0;            ///< then added

  /// The ordered number of a key's bits.
  PENEIRA_HD constexpr U operator()(U raw) const {
    return static_cast<U>(static_cast<U>(raw ^ (negative(raw) & flip_negative) ^ flip) + add);
  }
  /// And back.
  [[nodiscard]] PENEIRA_HD constexpr U back(U ordered) const {
    const auto flipped = static_cast<U>(static_cast<U>(ordered - add) ^ flip);
    return static_cast<U>(flipped ^ (negative(flipped) & flip_negative));  // its highest bit is that of the key
  }
  /// The same order of numbers less `base`.
  [[nodiscard]] PENEIRA_HD constexpr key_order less(U base) const {
    return {flip_negative, flip, static_cast<U>(add - base)};
  }
  /// Whether it flips the same bits of every key, and does no more: the order of integers.
  [[nodiscard]] PENEIRA_HD constexpr bool only_flips() const { return flip_negative == 0 && add == 0; }
  /// Whether numbers are their own order.
  [[nodiscard]] PENEIRA_HD constexpr bool plain() const { return flip_negative == 0 && flip == 0 && add == 0; }

 private:
  PENEIRA_HD static constexpr U negative(U raw) { return static_cast<U>(-static_cast<U>(raw >> (width - 1))); }
};

/// The order of integers in two's complement.
template <class U>
constexpr key_order<U> order_of_signed() {
  key_order<U> by;
  by.flip = static_cast<U>(U{1} << (key_order<U>::width - 1));
  return by;
}

/// The order of IEEE 754 numbers, of which `infinity` are the bits of infinity.
template <class U>
constexpr key_order<U> order_of_floats(U infinity) {
  constexpr auto sign = static_cast<U>(U{1} << (key_order<U>::width - 1));
  key_order<U> by;
  by.flip_negative = static_cast<U>(~sign);
  by.flip = sign;
  by.add = static_cast<U>((infinity | sign) + 1);  // less what -inf is flipped to: it becomes 0
  return by;
}

/// The exact reverse of an order: all bits of the number flipped; those of a sum are those of the other sign, less one.
template <class U>
constexpr key_order<U> reversed(const key_order<U>& by) {
  return {by.flip_negative, static_cast<U>(~by.flip), static_cast<U>(-by.add)};
}

/// The order of keys of type K.
template <sort_key K>
constexpr auto order_of(bool descending) {
  using bits = bits_of<K>;
  key_order<bits> by;
  if constexpr (std::is_floating_point_v<K>) {
    by = order_of_floats<bits>(static_cast<bits>(sizeof(K) == 4 ? 0x7F800000ULL : 0x7FF0000000000000ULL));
  } else if constexpr (std::is_signed_v<number_of<K>>) {
    by = order_of_signed<bits>();
  }
  return descending ? reversed(by) : by;
}

/// The part of the ordered number that counts: the bits from `first` on, of which there are `count`.
template <class U>
struct bit_range {
  unsigned first = 0;
  unsigned count = std::numeric_limits<U>::digits;

  PENEIRA_HD constexpr U operator()(U ordered) const {
    const auto low = static_cast<U>(ordered >> first);
    return count >= std::numeric_limits<U>::digits ? low : static_cast<U>(low & ((U{1} << count) - 1));
  }
};

}  // namespace detail
}  // namespace peneira
