// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The sort of a leaf whose keys have a dozen values or so, where equal keys cannot be told apart: the values are
// counted, and written again.
//
//   chunk of keys, in registers --each known value: how many equal it--> counts --all of one value, then the next--> to
//
// Values that nobody knew yet are looked for only where the counts of a chunk do not make up all of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "peneira/cpu/simd/packs.hpp"
#include "peneira/key_order.hpp"
#include "peneira/ops.hpp"

namespace peneira::detail {

/// Counts of the values of some keys, as long as they are few.
template <class K>
class value_counts {
  using number = bits_of<K>;
  /// Of half a register where these have 64 bytes: a core that computed with all of it is slower for a while (Cascade
  /// Lake, what follows by a sixth).
  static constexpr std::size_t bytes = std::min<std::size_t>(wide_pack_bytes, 32);
  using p = pack<number, bytes>;

 public:
  static constexpr std::size_t most = 16;

  /// Counts all keys. False if there are more values.
  bool count(const K* keys, std::size_t n) {
    constexpr std::size_t chunk = 1024;  // keys that the first-level cache keeps for each value's look
    for (std::size_t i = 0; i < n; i += chunk) {
      if (!count_chunk(keys + i, std::min(chunk, n - i))) return false;
    }
    return true;
  }

  /// Writes the keys, in the order of their ranks.
  template <class Rank>
  void write(K* to, const Rank& rank) {
    std::sort(entries_.begin(), entries_.begin() + known_, [&rank](const entry& a, const entry& b) {
      return rank(key_of_bits<K>(a.value)) < rank(key_of_bits<K>(b.value));
    });
    for (std::size_t e = 0; e < known_; ++e) {
      to = std::fill_n(to, entries_[e].count, key_of_bits<K>(entries_[e].value));
    }
  }

 private:
  struct entry {
    number value;
    std::size_t count;
  };
  static constexpr std::size_t together = 4;  ///< values that are compared with what is in registers

  bool count_chunk(const K* keys, std::size_t n) {
    std::size_t counted = 0;
    std::size_t e = 0;
    for (; e + together <= known_; e += together) counted += count_values<together>(keys, n, entries_.data() + e);
    for (; e < known_; ++e) counted += count_values<1>(keys, n, entries_.data() + e);
    for (std::size_t i = 0; counted != n; ++i) {  // the others are those that nobody knows yet
      const number x = raw_bits(keys[i]);
      const bool known =
          std::any_of(entries_.begin(), entries_.begin() + known_, [x](const entry& one) { return one.value == x; });
      if (known) continue;
      if (known_ == most) return false;
      entries_[known_] = {x, 0};
      counted += count_values<1>(keys + i, n - i, &entries_[known_++]);
    }
    return true;
  }

  /// Adds to some entries how many keys have their values; how many these are in all.
  template <std::size_t Values>
  static std::size_t count_values(const K* keys, std::size_t n, entry* entries) {
    std::array<p, Values> value;
    std::array<p, Values> equal;
    for (std::size_t v = 0; v < Values; ++v) value[v] = p::all(entries[v].value);
    equal.fill(p::all(0));
    std::size_t i = 0;
    for (; i + p::lanes <= n; i += p::lanes) {
      p x;
      std::memcpy(&x.lane, keys + i, bytes);
      PENEIRA_UNROLL(4)
      for (std::size_t v = 0; v < Values; ++v) equal[v].lane -= p::ones_of(x.lane == value[v].lane);
    }
    std::size_t all = 0;
    for (std::size_t v = 0; v < Values; ++v) {
      std::size_t count = equal[v].fold(plus{});
      for (std::size_t k = i; k < n; ++k) count += std::size_t{raw_bits(keys[k]) == entries[v].value};
      entries[v].count += count;
      all += count;
    }
    return all;
  }

  std::array<entry, most> entries_;
  std::size_t known_ = 0;
};

/// Sorts `from` into `to`, which may be the same. False, and nothing is done, if there are too many values.
template <class K, class Rank>
[[gnu::noinline]] bool sort_few_values(const K* from, std::size_t n, K* to, const Rank& rank) {
  value_counts<K> values;
  if (!values.count(from, n)) return false;
  values.write(to, rank);
  return true;
}

}  // namespace peneira::detail
