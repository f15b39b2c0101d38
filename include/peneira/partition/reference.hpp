// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include "peneira/config.hpp"
#include "peneira/view.hpp"

namespace peneira::reference {

/// The items of part 0, then those of part 1, ...: part_of(key) says which is a key's, of `ways`.
template <class K, class V, class PartOf, class Count>
void partition(view<const K, const V> in, view<K, V> out, unsigned ways, const PartOf& part_of, Count* counts) {
  std::size_t to = 0;
  for (unsigned part = 0; part < ways; ++part) {
    const std::size_t begin = to;
    for (std::size_t i = 0; i < in.size; ++i) {
      if (part_of(in.keys[i]) != part) continue;
      out.keys[to] = in.keys[i];
      if constexpr (view<K, V>::has_values) out.values[to] = in.values[i];
      ++to;
    }
    counts[part] = static_cast<Count>(to - begin);
  }
}

}  // namespace peneira::reference
