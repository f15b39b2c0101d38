// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include "peneira/config.hpp"

namespace peneira::reference {

/// Item i of out is what lies at its position in `in`.
template <class T, class Position>
void gather(const T* in, const Position* positions, std::size_t count, T* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = in[positions[i]];
}

/// Item i of `in` goes to its position in out.
template <class T, class Position>
void scatter(const T* in, const Position* positions, std::size_t count, T* out) {
  for (std::size_t i = 0; i < count; ++i) out[positions[i]] = in[i];
}

}  // namespace peneira::reference
