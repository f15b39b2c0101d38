// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include "peneira/reduce/reference.hpp"

namespace peneira::reference {

/// Each segment by itself. `segments` gives segment s as begin(s) and end(s), which are valid.
template <class T, class Segments, class Result, class Op>
void segmented_reduce(const T* items, const Segments& segments, std::size_t count, Result* results, const Op& op) {
  for (std::size_t s = 0; s < count; ++s) results[s] = reduce<Result>(items, segments.begin(s), segments.end(s), op);
}

}  // namespace peneira::reference
