// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sorts of sort.hpp. Each width is compiled in a file of its own.
#pragma once

#include <peneira/sort.hpp>

#include "sort.hpp"

namespace peneira::python {

/// The bits of infinity, of an IEEE 754 number as wide as U.
template <class U>
inline constexpr U infinity = static_cast<U>(sizeof(U) == 2   ? 0x7C00ULL
                                             : sizeof(U) == 4 ? 0x7F800000ULL
                                                              : 0x7FF0000000000000ULL);

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
    case type::time:
      by = detail::order_of_signed<U>();
      by.add = static_cast<U>(-1);  // the lowest of all becomes the highest
      break;
    default:
      break;
  }
  return descending ? detail::reversed(by) : by;
}

template <class U, class V>
void sort_with(const sort_call& call) {
  cpu on{.threads = call.threads};
  const view<const U, const V> in{static_cast<const U*>(call.keys), static_cast<const V*>(call.values), call.size};
  const view<U, V> out{static_cast<U*>(call.out_keys), static_cast<V*>(call.out_values), call.size};
  detail::sort_in_order<sort_cpu_strategies>(on, in, out, order_of_bits<U>(call.of, call.descending), {});
}

template <class U>
void sort_bits(const sort_call& call) {
  switch (call.value_bytes) {
    case 0:
      return sort_with<U, no_value>(call);
    case 4:
      return sort_with<U, std::uint32_t>(call);
    case 8:
      return sort_with<U, std::uint64_t>(call);
    default:
      refuse_code("value");
  }
}

template <class U, class P>
void argsort_into(const argsort_call& call) {
  cpu on{.threads = call.threads};
  const view<const U> keys{static_cast<const U*>(call.keys), nullptr, call.size};
  const view<P> positions{static_cast<P*>(call.positions), nullptr, call.size};
  detail::argsort_in_order(on, keys, positions, order_of_bits<U>(call.of, call.descending), {});
}

template <class U>
void argsort_bits(const argsort_call& call) {
  if (call.position_bytes == 4) return argsort_into<U, std::uint32_t>(call);
  argsort_into<U, std::uint64_t>(call);
}

}  // namespace peneira::python
