// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of keys by their bits, as a value: one compiled code serves all types of a width.
#pragma once

#include <peneira/key_order.hpp>
#include <peneira/place.hpp>
#include <type_traits>

#include "types.hpp"

namespace peneira::python {

/// The bits of infinity, of an IEEE 754 number as wide as U.
template <class U>
inline constexpr U infinity = static_cast<U>(sizeof(U) == 2   ? 0x7C00ULL
                                             : sizeof(U) == 4 ? 0x7F800000ULL
                                                              : 0x7FF0000000000000ULL);
/// The same of the NaN that is not a number in the usual way.
template <class U>
inline constexpr U quiet_nan = static_cast<U>(sizeof(U) == 2   ? 0x7E00ULL
                                              : sizeof(U) == 4 ? 0x7FC00000ULL
                                                               : 0x7FF8000000000000ULL);

inline bool is_float(type of) {
  return of == type::f16 || of == type::bf16 || of == type::f32 || of == type::f64;
}

/// The order of keys of a type as NumPy has it: NaN, and what is not a time, come last.
template <class U>
detail::key_order<U> order_of_bits(type of, bool descending) {
  detail::key_order<U> by;
  switch (of) {
    case type::i8:
    case type::i16:
    case type::i32:
    case type::i64:
      by = detail::order_of_signed<U>();
      break;
    case type::f16:
    case type::f32:
    case type::f64:
      by = detail::order_of_floats<U>(infinity<U>);
      break;
    case type::bf16:
      by = detail::order_of_floats<U>(static_cast<U>(0x7F80));
      break;
    case type::time:
      by = detail::order_of_signed<U>();
      by.add = static_cast<U>(-1);  // the lowest of all becomes the highest
      break;
    default:
      break;
  }
  return descending ? detail::reversed(by) : by;
}

/// The bits of a key in an order that does more than flip some of them.
template <class U>
struct ordered_bits {
  U bits;
};

/// Calls use(K{}) with what keys of a type are sorted as: U, the fastest on a CPU where their order only flips bits,
/// and on a GPU as fast as any.
template <class U, class Place, class Use>
void with_keys(type of, const Use& use) {
  if constexpr (sizeof(U) != 1 && std::is_same_v<Place, cpu>) {
    if (is_float(of) || of == type::time) return use(ordered_bits<U>{});
  }
  use(U{});
}

}  // namespace peneira::python

template <class U>
inline constexpr std::uint64_t peneira::infinity_bits<peneira::python::ordered_bits<U>> = peneira::python::infinity<U>;
