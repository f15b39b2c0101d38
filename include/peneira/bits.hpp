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

/// Whether a * b < c * d, exactly.
PENEIRA_HD inline bool product_below(std::uint64_t a, std::uint32_t b, std::uint64_t c, std::uint32_t d) {
#if defined(__CUDA_ARCH__)  // two multiplications each, where the compiler would make products of 128 bits of them
  struct product {
    std::uint64_t low;   // 32 bits
    std::uint64_t rest;  // 64
  };
  const auto multiply = [](std::uint64_t x, std::uint32_t y) {
    const std::uint64_t low = std::uint64_t{static_cast<std::uint32_t>(x)} * y;
    return product{low & 0xFFFFFFFFU, std::uint64_t{static_cast<std::uint32_t>(x >> 32U)} * y + (low >> 32U)};
  };
  const product left = multiply(a, b);
  const product right = multiply(c, d);
  return left.rest < right.rest || (left.rest == right.rest && left.low < right.low);
#else
  return static_cast<uint128>(a) * b < static_cast<uint128>(c) * d;
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
