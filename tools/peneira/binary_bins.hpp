// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The bin functions that `peneira split` offers for binary items, at either place.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "peneira/bins.hpp"

namespace peneira::tool {

enum class bin_kind { range, hash, digit, splitters };

/// All that any of them needs.
template <class T>
struct bin_request {
  bin_kind kind = bin_kind::range;
  std::uint32_t bins = 1;
  T lo{};
  T hi{};
  unsigned shift = 0;
  unsigned bits = 8;
  std::vector<T> splitters;
};

/// Calls run(in, out, f) with the bin function that was asked for. `splitters` are by.splitters where f will run. A
/// digit, and the hash of an integer, look at bits alone, so that signed and unsigned items share one function.
template <class T, class Run>
void with_bins(const bin_request<T>& by, const T* splitters, const T* in, T* out, Run&& run) {
  using bits = pn::detail::bits_of<T>;
  const auto* const in_bits = reinterpret_cast<const bits*>(in);
  auto* const out_bits = reinterpret_cast<bits*>(out);
  switch (by.kind) {
    case bin_kind::range:
      return run(in, out, ranges<T>(by.bins, by.lo, by.hi));
    case bin_kind::splitters:
      return run(in, out, peneira::splitters<T>(splitters, by.splitters.size()));
    case bin_kind::digit:
      return run(in_bits, out_bits, digit(by.shift, by.bits));
    case bin_kind::hash:
      if constexpr (std::is_floating_point_v<T>) {
        return run(in, out, hashed(by.bins));
      } else {
        return run(in_bits, out_bits, hashed(by.bins));
      }
  }
}

}  // namespace peneira::tool
