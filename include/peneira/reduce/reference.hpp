// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include "peneira/ops.hpp"

namespace peneira::reference {

/// The items from begin to before end, combined from the first to the last.
template <class Result, class T, class Op>
Result reduce(const T* items, std::size_t begin, std::size_t end, const Op& op) {
  auto all = op.template identity<Result>();
  for (std::size_t i = begin; i < end; ++i) all = op(all, detail::lifted<Result>(op, items[i], i));
  return all;
}

}  // namespace peneira::reference
