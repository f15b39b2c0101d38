// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The options of a sort over ranks, as numbers: those that order its keys, and one that must be the same on all ranks.
#pragma once

#include "peneira/ranks/calls.hpp"
#include "peneira/ranks/cut_bins.hpp"
#include "peneira/sort.hpp"

namespace peneira::detail {

/// The number that orders the keys of a sort.
template <class K>
key_number<K> number_for(const sort_options& options) {
  const unsigned last = options.last_bit == 0 ? 8 * sizeof(K) : options.last_bit;
  return {order_of<K>(options.descending), {options.first_bit, last - options.first_bit}};
}

/// What must be the same on all ranks.
template <class K, class V>
std::uint64_t sort_signature(const sort_options& options) {
  const auto any_order = static_cast<std::uint64_t>(options.equal_keys == order::any);
  return hash_numbers({type_number<K>(), type_number<V>(), std::uint64_t{options.descending}, any_order,
                       options.first_bit, options.last_bit});
}

}  // namespace peneira::detail
