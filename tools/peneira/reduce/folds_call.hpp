// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The one call of the library that all reductions of files make.
#pragma once

#include <vector>

#include "peneira/segmented_reduce.hpp"
#include "tools/peneira/reduce/folds.hpp"

namespace peneira::tool {

/// The results of an operator, one a segment.
template <class Result, class T, class Op>
std::vector<Result> fold_items(const fold_call& call, item_row<T> row, const Op& op) {
  std::vector<Result> results(call.offsets.size() - 1);
  segmented_reduce(cpu{.threads = call.threads}, items(row.data, row.size), call.offsets, results, op,
                   {.strategy = call.strategy});
  return results;
}

}  // namespace peneira::tool
