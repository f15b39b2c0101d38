// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What keys are compared by, their ranks, and what one look at an array finds out about them. A rank is made of one
// key, or of the keys of a pack at once.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>

#include "peneira/cpu/simd/packs.hpp"
#include "peneira/key_order.hpp"
#include "peneira/ops.hpp"

namespace peneira::detail {

/// Of integers: the ordered number, and of it the bits that count, where they are.
template <class U>
struct flipped_rank {
  using number = U;
  static constexpr bool of_whole_items = true;  ///< what it is made of is all of a key, which packs hold
  U flip = 0;
  U kept = std::numeric_limits<U>::max();

  /// Whether all bits count, and equal ranks are equal keys.
  [[nodiscard]] bool whole() const { return kept == std::numeric_limits<U>::max(); }
  /// The highest that a rank can be.
  [[nodiscard]] U most() const { return kept; }

  template <class K>
  U operator()(const K& key) const {
    return static_cast<U>((raw_bits(key) ^ flip) & kept);
  }
  /// The key of a rank that is the whole ordered number.
  template <class K>
  [[nodiscard]] K back(U number_of_key) const {
    return key_of_bits<K>(static_cast<U>(number_of_key ^ flip));
  }
  void pack_of(typename pack<U>::vector& x) const { x = (x ^ flip) & kept; }
};

/// Of any key: some bits of the ordered number, as the lowest.
template <class U>
struct part_rank {
  using number = U;
  static constexpr bool of_whole_items = true;
  key_order<U> by;
  bit_range<U> part;

  [[nodiscard]] bool whole() const { return part.count == key_order<U>::width; }
  [[nodiscard]] U most() const {
    return static_cast<U>(std::numeric_limits<U>::max() >> (key_order<U>::width - part.count));
  }

  template <class K>
  U operator()(const K& key) const {
    return part(by(raw_bits(key)));
  }
  /// The key of a rank that is the whole ordered number.
  template <class K>
  [[nodiscard]] K back(U number_of_key) const {
    return key_of_bits<K>(by.back(number_of_key));
  }
  void pack_of(typename pack<U>::vector& x) const {
    using vector = typename pack<U>::vector;
    const vector negative = vector{} - (x >> static_cast<U>(key_order<U>::width - 1));
    x = ((x ^ (negative & by.flip_negative) ^ by.flip) + by.add) >> static_cast<U>(part.first);
    x &= most();
  }
};

/// The order that a rank of whole keys is of.
template <class U>
key_order<U> order_of_rank(const flipped_rank<U>& rank) {
  return {0, rank.flip, 0};
}
template <class U>
key_order<U> order_of_rank(const part_rank<U>& rank) {
  return rank.by;
}

/// Of a record: that of the key which a function gives.
template <class F, class KeyRank>
struct record_rank {
  using number = typename KeyRank::number;
  static constexpr bool of_whole_items = false;
  const F* key_of = nullptr;
  KeyRank rank{};

  [[nodiscard]] static bool whole() { return false; }  // records of equal keys may differ
  [[nodiscard]] number most() const { return rank.most(); }

  template <class Record>
  number operator()(const Record& record) const {
    return rank(std::invoke(*key_of, record));
  }
};

/// Calls use(rank) with what keys of a type are compared by. The order of integers only flips bits.
template <class K, class U, class Use>
[[gnu::always_inline]] inline void with_rank(const key_order<U>& by, const bit_range<U>& part, const Use& use) {
  if constexpr (is_float_key<K>) {
    use(part_rank<U>{by, part});
  } else {
    use(flipped_rank<U>{by.flip, static_cast<U>(part_rank<U>{by, part}.most() << part.first)});
  }
}

/// The packs of ranks of some keys, one behind the other.
template <std::size_t Packs, class K, class Rank>
[[gnu::always_inline]] inline void load_ranks(const K* keys, const Rank& rank,
                                              std::array<pack<typename Rank::number>, Packs>& to) {
  using p = pack<typename Rank::number>;
  PENEIRA_UNROLL(4)
  for (std::size_t k = 0; k < Packs; ++k) {
    std::memcpy(&to[k].lane, keys + k * p::lanes, pack_bytes);
    rank.pack_of(to[k].lane);
  }
}

/// Whether some bit is set in a pack.
template <class T>
[[gnu::always_inline]] inline bool any_bit(const typename pack<T>::mask& mask) {
  std::array<std::uint64_t, pack_bytes / 8> words;
  std::memcpy(words.data(), &mask, pack_bytes);
  std::uint64_t all = 0;
  for (const std::uint64_t word : words) all |= word;
  return all != 0;
}

/// Keys that are looked at together.
inline constexpr std::size_t look_packs = 4;
template <class U>
inline constexpr std::size_t look_keys = look_packs* pack<U>::lanes;

/// How neighbours may follow each other.
enum class follows { never_falls, never_rises, always_falls };

/// Whether one of look_keys + 1 keys does not follow the one before it so.
template <follows How = follows::never_falls, class K, class Rank>
[[gnu::always_inline]] inline bool any_breaks(const K* keys, const Rank& rank) {
  using p = pack<typename Rank::number>;
  std::array<p, look_packs> x;
  std::array<p, look_packs> next;
  load_ranks(keys, rank, x);
  load_ranks(keys + 1, rank, next);
  typename p::mask breaks{};
  PENEIRA_UNROLL(4)
  for (std::size_t k = 0; k < look_packs; ++k) {
    if constexpr (How == follows::never_falls) breaks |= p::less(next[k], x[k]);
    if constexpr (How == follows::never_rises) breaks |= p::less(x[k], next[k]);
    if constexpr (How == follows::always_falls) breaks |= ~p::less(next[k], x[k]);
  }
  return any_bit<typename Rank::number>(breaks);
}

/// What an array was found to be.
template <class U>
struct extent {
  U low = std::numeric_limits<U>::max();
  U high = 0;
  bool sorted = true;

  [[nodiscard]] unsigned bits() const {
    return high <= low ? 0 : static_cast<unsigned>(std::bit_width(static_cast<U>(high - low)));
  }
  void join(const extent& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    sorted = sorted && other.sorted;
  }
};

/// The lowest and the highest rank, and whether all ascend.
template <class K, class Rank>
extent<typename Rank::number> extent_of(const K* keys, std::size_t n, const Rank& rank) {
  using number = typename Rank::number;
  using p [[maybe_unused]] = pack<number>;
  extent<number> found;
  std::size_t i = 0;
  if constexpr (!Rank::of_whole_items) {
  } else if (n > look_keys<number>) {
    std::array<p, look_packs> low;
    std::array<p, look_packs> high;
    low.fill(p::all(found.low));
    high.fill(p::all(0));
    typename p::mask falls{};
    for (; i + look_keys<number> < n; i += look_keys<number>) {
      std::array<p, look_packs> x;
      std::array<p, look_packs> next;
      load_ranks(keys + i, rank, x);
      load_ranks(keys + i + 1, rank, next);
      PENEIRA_UNROLL(4)
      for (std::size_t k = 0; k < look_packs; ++k) {
        low[k] = p::combine(min{}, low[k], x[k]);
        high[k] = p::combine(max{}, high[k], x[k]);
        falls |= p::less(next[k], x[k]);
      }
    }
    found = {fold(min{}, low), fold(max{}, high), !any_bit<number>(falls)};
  }
  for (; i < n; ++i) {
    const number x = rank(keys[i]);
    found.join({x, x, i + 1 == n || !(rank(keys[i + 1]) < x)});
  }
  return found;
}

/// Whether all keys follow each other so. Ends at the first that does not.
template <follows How, class K, class Rank>
bool all_follow(const K* keys, std::size_t n, const Rank& rank) {
  constexpr std::size_t step = look_keys<typename Rank::number>;
  std::size_t i = 0;
  if constexpr (Rank::of_whole_items) {
    for (; i + step < n; i += step) {
      if (any_breaks<How>(keys + i, rank)) return false;
    }
  }
  for (; i + 1 < n; ++i) {
    const auto x = rank(keys[i]);
    const auto next = rank(keys[i + 1]);
    if (How == follows::never_falls ? next < x : How == follows::never_rises ? x < next : !(next < x)) return false;
  }
  return true;
}

}  // namespace peneira::detail
