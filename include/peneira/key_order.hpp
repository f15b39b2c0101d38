// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of keys as the order of unsigned numbers: every key type maps to an unsigned number of its size, one to
// one, so that smaller numbers come first. Sorts then know unsigned numbers only.
//
//   unsigned   x
//   signed     x with its sign bit flipped
//   float      -inf .. -0, +0 .. +inf, NaN, whatever its sign: the usual trick, turned so that negative NaN is last
//   descending all bits flipped at the end
#pragma once

#include <cstring>
#include <limits>
#include <type_traits>

#include "peneira/bins.hpp"

#if defined(__CUDACC__) || __has_include(<cuda_fp16.h>)
struct __half;         // NOLINT(bugprone-reserved-identifier): NVIDIA's names
struct __nv_bfloat16;  // NOLINT(bugprone-reserved-identifier)
#endif

namespace peneira {

/// The bits of infinity of a floating-point key type: a sign, an exponent and a fraction, from the highest bit down, as
/// IEEE 754 and bfloat16 have them. 0: K is no such type. There are float and double, 16-bit numbers where the compiler
/// has them (_Float16, std::float16_t, std::bfloat16_t, __fp16), and CUDA's __half and __nv_bfloat16. A type of yours
/// with such bits becomes a key when this is specialised for it, as by
/// `template <> inline constexpr std::uint64_t pn::infinity_bits<my_half> = 0x7C00;`.
template <class K>
inline constexpr std::uint64_t infinity_bits = 0;
template <>
inline constexpr std::uint64_t infinity_bits<float> = 0x7F80'0000;
template <>
inline constexpr std::uint64_t infinity_bits<double> = 0x7FF0'0000'0000'0000;
#if defined(__STDCPP_FLOAT16_T__) || (defined(__clang__) && defined(__FLT16_MANT_DIG__))
template <>
inline constexpr std::uint64_t infinity_bits<_Float16> = 0x7C00;
#endif
#if defined(__STDCPP_BFLOAT16_T__)
template <>
inline constexpr std::uint64_t infinity_bits<decltype(0.0bf16)> = 0x7F80;
#endif
#if defined(__ARM_FP16_FORMAT_IEEE) && !defined(__CUDACC__)
template <>
inline constexpr std::uint64_t infinity_bits<__fp16> = 0x7C00;
#endif
#if defined(__CUDACC__) || __has_include(<cuda_fp16.h>)
template <>
inline constexpr std::uint64_t infinity_bits<__half> = 0x7C00;
template <>
inline constexpr std::uint64_t infinity_bits<__nv_bfloat16> = 0x7F80;
#endif

namespace detail {

template <class K>
inline constexpr bool is_float_key = infinity_bits<K> != 0;

}  // namespace detail

/// What keys of a sort can be: integers and enums of 8 to 64 bits, and floating-point numbers of 16 to 64.
template <class K>
concept sort_key = detail::is_integer<K> || detail::is_float_key<K>;

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
  std::memcpy(static_cast<void*>(&key), &bits, sizeof(K));  // a void*: __half is a class with a protected member
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
  if constexpr (is_float_key<K>) {
    by = order_of_floats<bits>(static_cast<bits>(infinity_bits<K>));
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
