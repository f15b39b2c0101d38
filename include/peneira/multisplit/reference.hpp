// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include <vector>

#include "peneira/bins.hpp"
#include "peneira/view.hpp"

namespace peneira::reference {

/// Multisplit in a dozen lines: count, scan, scatter.
template <class K, class V, class F, class Offset>
void multisplit(view<const K, const V> in, view<K, V> out, const F& f, Offset* offsets) {
  std::vector<std::size_t> next(std::size_t{f.bins()} + 1);
  for (std::size_t i = 0; i < in.size; ++i) ++next[detail::bin_of(f, in.keys[i]) + std::size_t{1}];
  for (std::size_t b = 0; b < f.bins(); ++b) next[b + 1] += next[b];
  for (std::size_t b = 0; b <= f.bins(); ++b) offsets[b] = static_cast<Offset>(next[b]);
  for (std::size_t i = 0; i < in.size; ++i) {
    const std::size_t to = next[detail::bin_of(f, in.keys[i])]++;
    out.keys[to] = in.keys[i];
    if constexpr (view<K, V>::has_values) out.values[to] = in.values[i];
  }
}

}  // namespace peneira::reference
