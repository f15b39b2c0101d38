// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The truth that tests, benchmarks and readers check against.
#pragma once

#include <map>

#include "peneira/group_keys.hpp"

namespace peneira::reference {

/// The groups of some items, in ascending order of their keys: to each the results of its items, in their order.
template <class Result, class K, class T, class Op>
std::map<detail::bits_of<K>, Result> group_by(const K* keys, const T* values, std::size_t n, const Op& op) {
  const auto by = detail::order_of<K>(false);
  std::map<detail::bits_of<K>, Result> groups;  // by the number that orders keys
  for (std::size_t i = 0; i < n; ++i) {
    const auto key = by(detail::group_bits(keys[i]));
    auto& all = groups.try_emplace(key, op.template identity<Result>()).first->second;
    all = op(all, detail::lifted<Result>(op, values[i], i));
  }
  return groups;
}

}  // namespace peneira::reference
