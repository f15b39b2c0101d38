// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The multisplits of multisplit.hpp. Each width is compiled in a file of its own.
#pragma once

#include <peneira/multisplit.hpp>

#include "key_bins.hpp"

namespace peneira::python {

template <class U, class V, class Place>
void split_with(const Place& on, const split_call& call, const key_bins<U>& f) {
  const view<const U, const V> in{static_cast<const U*>(call.keys), static_cast<const V*>(call.values), call.size};
  const view<U, V> out{static_cast<U*>(call.out_keys), static_cast<V*>(call.out_values), call.size};
  multisplit(on, in, out, f, items(call.offsets, std::size_t{call.bins} + 1));
}

template <class U, class Place>
void split_bits(const Place& on, const split_call& call) {
  const compared_table<U, Place> table(call);
  const key_bins<U> f(call, table.data());
  switch (call.value_bytes) {
    case 0:
      return split_with<U, no_value>(on, call, f);
    case 4:
      return split_with<U, std::uint32_t>(on, call, f);
    case 8:
      return split_with<U, std::uint64_t>(on, call, f);
    default:
      refuse_code("value");
  }
}

}  // namespace peneira::python
