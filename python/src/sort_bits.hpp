// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sorts of sort.hpp. Each width is compiled in a file of its own, for a CPU and for a GPU.
#pragma once

#include <peneira/sort.hpp>

#include "order.hpp"
#include "sort.hpp"

namespace peneira::python {

template <class U, class V, class Place>
void sort_with(const Place& on, const sort_call& call) {
  with_keys<U, Place>(call.of, [&]<class K>(K) {
    const view<const K, const V> in{static_cast<const K*>(call.keys), static_cast<const V*>(call.values), call.size};
    const view<K, V> out{static_cast<K*>(call.out_keys), static_cast<V*>(call.out_values), call.size};
    detail::sort_in_order<detail::sort_strategies_at<Place>>(on, in, out, order_of_bits<U>(call.of, call.descending),
                                                             {});
  });
}

template <class U, class Place>
void sort_bits(const Place& on, const sort_call& call) {
  switch (call.value_bytes) {
    case 0:
      return sort_with<U, no_value>(on, call);
    case 4:
      return sort_with<U, std::uint32_t>(on, call);
    case 8:
      return sort_with<U, std::uint64_t>(on, call);
    default:
      refuse_code("value");
  }
}

template <class U, class P, class Place>
void argsort_into(const Place& on, const argsort_call& call) {
  const view<P> positions{static_cast<P*>(call.positions), nullptr, call.size};
  with_keys<U, Place>(call.of, [&]<class K>(K) {
    const view<const K> keys{static_cast<const K*>(call.keys), nullptr, call.size};
    detail::argsort_in_order(on, keys, positions, order_of_bits<U>(call.of, call.descending), {});
  });
}

template <class U, class Place>
void argsort_bits(const Place& on, const argsort_call& call) {
  if (call.position_bytes == 4) return argsort_into<U, std::uint32_t>(on, call);
  argsort_into<U, std::uint64_t>(on, call);
}

}  // namespace peneira::python
