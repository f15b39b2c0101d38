// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Bin functions of other calls than multisplit, so that what they get wrong is told in the name of that call.
#pragma once

#include <string_view>
#include <type_traits>

#include "peneira/cpu/scatter/classify.hpp"

namespace peneira::detail {

/// A bin function that may miss, of the call that Call::name names.
template <class Call, class F>
struct bins_of_call {
  F f;

  [[nodiscard]] std::uint32_t bins() const { return f.bins(); }
  template <std::size_t Count, class Key>
  [[gnu::always_inline]] void many(const Key* keys, std::uint32_t* to) const {
    fill_bins<Count>(f, keys, to);
  }
  template <class Key>
  PENEIRA_HD auto operator()(const Key& key) const {
    return f(key);
  }
};
template <class Call, class F>
inline constexpr std::string_view call_of<bins_of_call<Call, F>> = Call::name;

/// A bin function as a call hands it to the engines: one that cannot miss as it is.
template <class Call, class F>
auto called_by(const F& f) {
  if constexpr (never_misses<F>) {
    return f;
  } else {
    return bins_of_call<Call, F>{f};
  }
}

}  // namespace peneira::detail
