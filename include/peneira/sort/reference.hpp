// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "peneira/key_order.hpp"
#include "peneira/sort/problem.hpp"
#include "peneira/view.hpp"

namespace peneira::reference {

/// Where each item of a sorted array comes from: keys[positions[0]] is the first. Equal keys keep their order.
template <sort_key K>
std::vector<std::size_t> argsort(const K* keys, std::size_t n, const sort_options& options = {}) {
  const auto by = detail::order_of<K>(options.descending);
  const unsigned last = options.last_bit == 0 ? 8 * sizeof(K) : options.last_bit;
  const detail::bit_range<detail::bits_of<K>> part{options.first_bit, last - options.first_bit};
  const auto rank = [&](std::size_t i) { return part(by(detail::raw_bits(keys[i]))); };
  std::vector<std::size_t> positions(n);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::stable_sort(positions.begin(), positions.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return positions;
}

/// A stable sort, by way of the positions.
template <sort_key K, class V>
void sort(view<const K, const V> in, view<K, V> out, const sort_options& options = {}) {
  const std::vector<std::size_t> from = argsort(in.keys, in.size, options);
  const std::vector<K> keys(in.keys, in.keys + in.size);  // the output may be the input
  for (std::size_t i = 0; i < in.size; ++i) out.keys[i] = keys[from[i]];
  if constexpr (view<K, V>::has_values) {
    const std::vector<V> values(in.values, in.values + in.size);
    for (std::size_t i = 0; i < in.size; ++i) out.values[i] = values[from[i]];
  }
}

}  // namespace peneira::reference
