// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// One value in shared or global memory that many threads combine theirs into, in whatever order they come.
#pragma once

#include <cstring>
#include <type_traits>

#include "peneira/ops.hpp"

namespace peneira::detail {

/// Whether values of a type can be combined by atomics: they fill a word of 4 or 8 bytes and are aligned to it.
template <class T>
inline constexpr bool fits_atomics = (sizeof(T) == 4 || sizeof(T) == 8) && alignof(T) == sizeof(T);

/// Whether the hardware, or else the compiler, has an atomic instruction for the operator.
template <class T, class Op>
inline constexpr bool has_atomic_instruction = std::is_integral_v<T>&& fits_atomics<T> &&
                                               (std::is_same_v<Op, plus> || std::is_same_v<Op, min> ||
                                                std::is_same_v<Op, max> || std::is_same_v<Op, bit_and> ||
                                                std::is_same_v<Op, bit_or> || std::is_same_v<Op, bit_xor>);

template <std::size_t Bytes>
using atomic_word = std::conditional_t<Bytes == 4, unsigned, unsigned long long>;

template <class Op, class T>
__device__ void atomic_instruction(T* at, T value) {
  using word = atomic_word<sizeof(T)>;
  using number = std::conditional_t<!std::is_signed_v<T>, word, std::conditional_t<sizeof(T) == 4, int, long long>>;
  auto* const bits = reinterpret_cast<word*>(at);
  if constexpr (std::is_same_v<Op, plus>) atomicAdd(bits, static_cast<word>(value));
  if constexpr (std::is_same_v<Op, min>) atomicMin(reinterpret_cast<number*>(at), static_cast<number>(value));
  if constexpr (std::is_same_v<Op, max>) atomicMax(reinterpret_cast<number*>(at), static_cast<number>(value));
  if constexpr (std::is_same_v<Op, bit_and>) atomicAnd(bits, static_cast<word>(value));
  if constexpr (std::is_same_v<Op, bit_or>) atomicOr(bits, static_cast<word>(value));
  if constexpr (std::is_same_v<Op, bit_xor>) atomicXor(bits, static_cast<word>(value));
}

/// *at = op(*at, value), as if no other thread came between; by an instruction, or else by compare-and-swap. The
/// operator must be commutative.
template <class T, class Op>
__device__ void atomic_combine(T* at, const T& value, const Op& op) {
  static_assert(fits_atomics<T>);
  if constexpr (has_atomic_instruction<T, Op>) {
    atomic_instruction<Op>(at, value);
  } else {
    using word = atomic_word<sizeof(T)>;
    auto* const bits = reinterpret_cast<word*>(at);
    word seen = *static_cast<const volatile word*>(bits);
    while (true) {
      T now;
      std::memcpy(&now, &seen, sizeof(T));
      const T both = op(now, value);
      word wanted;
      std::memcpy(&wanted, &both, sizeof(T));
      if (wanted == seen) return;  // nothing to add, whatever others have added since
      const word found = atomicCAS(bits, seen, wanted);
      if (found == seen) return;
      seen = found;
    }
  }
}

}  // namespace peneira::detail
