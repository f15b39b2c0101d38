// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What calls.hpp promises, to be instantiated.
#pragma once

#include "tests/sort/gpu/calls.hpp"

namespace peneira::test {

template <class K, class V>
void call_sort(const gpu& on, view<const K, const V> in, view<K, V> out, const sort_options& options) {
  sort(on, in, out, options);
}

template <class K, class P>
void call_argsort(const gpu& on, view<const K> keys, view<P> positions, const sort_options& options) {
  argsort(on, keys, positions, options);
}

/// Their types, to name what is instantiated.
template <class K, class V>
using sort_call = void(const gpu&, view<const K, const V>, view<K, V>, const sort_options&);
template <class K, class P>
using argsort_call = void(const gpu&, view<const K>, view<P>, const sort_options&);

}  // namespace peneira::test
