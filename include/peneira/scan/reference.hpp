// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include "peneira/ops.hpp"

namespace peneira::reference {

/// The items from begin to before end, each result from the one before it; returns all of them combined. In place where
/// out is items.
template <class T, class Result, class Op>
Result scan(const T* items, std::size_t begin, std::size_t end, Result before, Result* out, const Op& op,
            bool inclusive) {
  for (std::size_t i = begin; i < end; ++i) {
    const Result after = op(before, detail::lifted<Result>(op, items[i], i));
    out[i] = inclusive ? after : before;
    before = after;
  }
  return before;
}

/// Each segment by itself. `segments` gives segment s as begin(s) and end(s), which are valid.
template <class T, class Segments, class Result, class Op>
void segmented_scan(const T* items, const Segments& segments, std::size_t count, Result* out, const Op& op,
                    bool inclusive) {
  for (std::size_t s = 0; s < count; ++s) {
    scan(items, segments.begin(s), segments.end(s), op.template identity<Result>(), out, op, inclusive);
  }
}

}  // namespace peneira::reference
