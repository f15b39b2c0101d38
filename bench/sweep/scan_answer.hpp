// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether some results are the scan of some items.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "peneira/ops.hpp"

namespace peneira::bench::sweep {

/// Sums of floats, of items from 0 on, may be off by what adding them one by one rounds away.
template <class T, class Op>
bool is_scan(const T* in, const T* out, std::size_t n, const Op& op, bool inclusive) {
  constexpr bool rounds = std::is_floating_point_v<T> && std::is_same_v<Op, plus>;
  T all = op.template identity<T>();
  for (std::size_t i = 0; i < n; ++i) {
    const T next = op(all, in[i]);
    const T wanted = inclusive ? next : all;
    const T bound = rounds ? static_cast<T>(1e-8) * wanted : T{};
    if (rounds ? !(std::abs(static_cast<double>(out[i]) - static_cast<double>(wanted)) <= static_cast<double>(bound))
               : out[i] != wanted) {
      return false;
    }
    all = next;
  }
  return true;
}

}  // namespace peneira::bench::sweep
