// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include <algorithm>

#include "peneira/bins.hpp"
#include "peneira/ops.hpp"
#include "peneira/view.hpp"

namespace peneira::reference {

/// The items of each bin, or the sum of their weights, from the first to the last. No bin is out of range.
template <class K, class W, class F, class Count>
void histogram(view<const K, const W> in, const F& f, Count* counts) {
  std::fill_n(counts, f.bins(), Count{0});
  for (std::size_t i = 0; i < in.size; ++i) {
    Count& count = counts[detail::bin_of(f, in.keys[i])];
    if constexpr (view<K, W>::has_values) {
      count = plus{}(count, static_cast<Count>(in.values[i]));
    } else {
      ++count;
    }
  }
}

}  // namespace peneira::reference
