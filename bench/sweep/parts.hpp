// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What partitions of the sweep go by, whether an output is one, and the positions of its gathers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "peneira/config.hpp"
#include "peneira/hash.hpp"
#include "peneira/place.hpp"
#include "peneira/view.hpp"

namespace peneira::bench::sweep {

/// Two parts: the keys below a pivot, and the others.
template <class K>
struct is_below {
  static constexpr std::uint32_t ways = 2;
  K pivot;
  PENEIRA_HD bool operator()(const K& key) const { return key < pivot; }
  [[nodiscard]] std::uint32_t part(const K& key) const { return key < pivot ? 0 : 1; }
};

/// Three parts, as a caller's function.
template <class K>
struct three_around {
  static constexpr std::uint32_t ways = 3;
  K pivot;
  PENEIRA_HD std::uint32_t operator()(const K& key) const { return (key < pivot ? 0U : 1U) + (pivot < key ? 1U : 0U); }
  [[nodiscard]] std::uint32_t part(const K& key) const { return (*this)(key); }
};

/// Whether `out` holds the parts of `in`, of so many items each; values are positions in `in`.
template <class K, class V, class F>
bool are_parts(view<const K, const V> in, view<K, V> out, const std::uint64_t* counts, const F& f, order within) {
  std::vector<std::uint64_t> next(F::ways + 1);
  for (std::size_t b = 0; b < F::ways; ++b) next[b + 1] = next[b] + counts[b];
  if (next[F::ways] != in.size) return false;
  const std::vector<std::uint64_t> begins = next;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < in.size; ++i) {
    const std::uint64_t at = next[f.part(in.keys[i])]++;
    if (at >= in.size) return false;
    if (within == order::stable) {
      if (out.keys[at] != in.keys[i]) return false;
      if constexpr (view<K, V>::has_values) {
        if (out.values[at] != in.values[i]) return false;
      }
      continue;
    }
    sum += mix64(static_cast<std::uint64_t>(in.keys[i])) - mix64(static_cast<std::uint64_t>(out.keys[i]));
    if (f.part(out.keys[at]) != f.part(in.keys[i])) return false;
    if constexpr (view<K, V>::has_values) {
      const auto from = static_cast<std::size_t>(out.values[i]);
      if (from >= in.size || in.keys[from] != out.keys[i]) return false;
      sum += mix64(~static_cast<std::uint64_t>(i)) - mix64(~static_cast<std::uint64_t>(from));
    }
  }
  for (std::size_t b = 0; b < F::ways; ++b) {
    if (next[b] != begins[b + 1]) return false;
  }
  return sum == 0;
}

/// Positions of arrays of n items: what is left of keys when they are divided by n.
template <class K>
void fill_positions(view<const K, const no_value> keys, std::size_t n, K* positions) {
  for (std::size_t i = 0; i < keys.size; ++i) positions[i] = static_cast<K>(keys.keys[i] % n);
}

}  // namespace peneira::bench::sweep
