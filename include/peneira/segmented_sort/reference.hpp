// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include "peneira/segments.hpp"
#include "peneira/sort/reference.hpp"

namespace peneira::reference {

/// A stable sort of each segment. What belongs to none is not written.
template <sort_key K, class V, class Segments>
void segmented_sort(view<const K, const V> in, const Segments& segments, std::size_t count, view<K, V> out,
                    const sort_options& options = {}) {
  for (std::size_t s = 0; s < count; ++s) {
    const std::size_t begin = segments.begin(s);
    const std::size_t size = segments.end(s) - begin;
    sort(in.part(begin, size), out.part(begin, size), options);
  }
}

}  // namespace peneira::reference
