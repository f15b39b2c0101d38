// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Keys as bits, and products that are wider than their factors.
#pragma once

#include "peneira/config.hpp"

namespace peneira::detail {

/// The unsigned integer as wide as T.
template <std::size_t Bytes>
struct unsigned_of;
template <>
struct unsigned_of<1> {
  using type = std::uint8_t;
};
template <>
struct unsigned_of<2> {
  using type = std::uint16_t;
};
template <>
struct unsigned_of<4> {
  using type = std::uint32_t;
};
template <>
struct unsigned_of<8> {
  using type = std::uint64_t;
};
template <class T>
using bits_of = typename unsigned_of<sizeof(T)>::type;

__extension__ typedef unsigned __int128 uint128;  // NOLINT(modernize-use-using): __extension__ takes no using

/// The high half of a 64 by 64 bit product.
PENEIRA_HD
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<uint128>(a) * b) >> 64U);
}

/// The high half of a 32 by 32 bit product.
PENEIRA_HD inline std::uint32_t multiply_high_half(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  return __umulhi(a, b);
#else
  return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32U);
#endif
}

/// The high half of a 32 by 64 bit product, by two of 32 by 32 bit, as vectors have them.
PENEIRA_HD inline std::uint32_t multiply_high_32_in_halves(std::uint32_t a, std::uint64_t b) {
  const std::uint32_t low = multiply_high_half(a, static_cast<std::uint32_t>(b));
  return static_cast<std::uint32_t>((std::uint64_t{a} * static_cast<std::uint32_t>(b >> 32U) + low) >> 32U);
}
/// The same, in halves where a wide multiplication is slow (Neoverse, GPUs).
PENEIRA_HD inline std::uint32_t multiply_high_32(std::uint32_t a, std::uint64_t b) {
#if defined(__x86_64__) && !defined(__CUDA_ARCH__)
  return static_cast<std::uint32_t>(multiply_high(a, b));
#else
  return multiply_high_32_in_halves(a, b);
#endif
}

}  // namespace peneira::detail
