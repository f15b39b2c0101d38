// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// What a level of a sort splits by, and how a sample of the keys chooses it. Evenly spread keys are split by the
// highest bits of their distance from the lowest. Skewed keys would mostly share those bits: they are split by octaves,
// the number of bits of their distance from the pivot, the densest place of the sample, and by the more bits below the
// more samples an octave has.
//
//   evenly    |---|---|---|---|---|---|---|---|
//   octaves   |-------|---|-|-||p||-|-|---|-------|          each divided again, as its samples ask for
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "peneira/cpu/scatter/classify.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/hash.hpp"
#include "peneira/sort/cpu/ranks.hpp"

namespace peneira::detail {

/// The bins of keys whose distance from a pivot has some number of bits; none and one are the same octave.
struct octave {
  std::uint32_t shift = 0;
  std::uint32_t base = 0;  ///< added to the shifted distance
};
/// All octaves from the pivot on upwards, the farthest first, then those below it.
template <class U>
inline constexpr std::size_t table_size = std::size_t{2} * std::numeric_limits<U>::digits;
template <class U>
using octave_table = std::array<octave, table_size<U>>;

/// The bin of a level.
template <class Rank>
struct level_digit {
  using number = typename Rank::number;
  Rank rank;
  number low = 0;  ///< or the pivot of the octaves
  unsigned shift = 0;
  std::uint32_t count = 1;
  const octave* octaves = nullptr;  ///< if the level is split so
  std::uint32_t pivot_bin = 0;      ///< with octaves: the bin of the pivot alone

  [[nodiscard]] std::uint32_t bins() const { return count; }
  /// Whether each bin has one rank.
  [[nodiscard]] bool all_bits() const { return octaves == nullptr && shift == 0; }
  /// Whether this bin has.
  [[nodiscard]] bool is_exact(std::uint32_t bin) const { return octaves != nullptr && bin == pivot_bin; }
  template <class K>
  std::uint32_t operator()(const K& key) const {
    return octaves == nullptr ? even(rank(key)) : skewed(rank(key));
  }
  template <std::size_t Count, class K>
  void many(const K* keys, std::uint32_t* to) const {
    if (octaves == nullptr) [[likely]] {
      PENEIRA_UNROLL(8)
      for (std::size_t k = 0; k < Count; ++k) to[k] = even(rank(keys[k]));
    } else {
      PENEIRA_UNROLL(8)
      for (std::size_t k = 0; k < Count; ++k) to[k] = skewed(rank(keys[k]));
    }
  }

  [[nodiscard]] std::uint32_t even(number x) const {
    return static_cast<std::uint32_t>(static_cast<number>(x - low) >> shift);
  }
  /// Nothing is to be predicted: below the pivot the bits of the distance are flipped.
  [[nodiscard]] std::uint32_t skewed(number x) const {
    const auto below = static_cast<number>(-static_cast<number>(x < low));
    const auto distance = static_cast<number>(static_cast<number>(x - low) ^ below);
    const octave in = octaves[octave_of(x)];
    const auto flipped = static_cast<std::uint32_t>(-static_cast<std::uint32_t>(x < low));  // whatever the key's width
    return in.base + (static_cast<std::uint32_t>(distance >> in.shift) ^ flipped);
  }
  [[nodiscard]] std::size_t octave_of(number x) const {
    constexpr unsigned width = std::numeric_limits<number>::digits;
    const auto below = static_cast<number>(-static_cast<number>(x < low));
    const auto distance = static_cast<number>(static_cast<number>(x - low) ^ below);
    return static_cast<std::size_t>(std::countl_zero(static_cast<number>(distance | 1U))) + (below & width);
  }
};
template <class Rank>
inline constexpr bool never_misses<level_digit<Rank>> = true;
template <class F, class KeyRank>
inline constexpr bool never_misses<level_digit<record_rank<F, KeyRank>>> = false;  // the caller's own function
template <class Rank>
inline constexpr bool is_level<level_digit<Rank>> = true;
template <class Rank>
inline constexpr bool is_sort_level<level_digit<Rank>> = Rank::of_whole_items;

/// Where sample s of n items lies: somewhere in a slice of its own, so that rows of equal length are no trap.
inline std::size_t somewhere(std::size_t n, std::size_t s, std::size_t samples) {
  const auto [begin, end] = slice(n, static_cast<unsigned>(s), static_cast<unsigned>(samples));
  return begin == end ? std::min(begin, n - 1) : begin + mix64(s) % (end - begin);
}

/// Ranks of keys from all over a part, ascending.
template <class U>
struct level_sample {
  static constexpr std::size_t size = 256;
  std::array<U, size> rank;

  template <class K, class Rank>
  static level_sample of(const K* keys, std::size_t n, const Rank& rank) {
    level_sample sample;
    for (std::size_t s = 0; s < size; ++s) sample.rank[s] = rank(keys[somewhere(n, s, size)]);
    std::sort(sample.rank.begin(), sample.rank.end());
    return sample;
  }

  [[nodiscard]] extent<U> seen() const { return {rank.front(), rank.back(), false}; }

  /// Samples that are equal to another one before.
  [[nodiscard]] std::size_t repeated() const {
    std::size_t found = 0;
    for (std::size_t s = 1; s < size; ++s) found += rank[s] == rank[s - 1] ? 1U : 0U;
    return found;
  }

  /// Where most samples lie close together.
  [[nodiscard]] U densest() const {
    constexpr std::size_t close = 8;
    std::size_t best = 0;
    for (std::size_t s = 1; s + close < size; ++s) {
      if (rank[s + close] - rank[s] < rank[best + close] - rank[best]) best = s;
    }
    return rank[best + close / 2];
  }

  /// Samples in bins that have at least so many of them, and of more than one key: what is to be split again.
  template <class Rank>
  [[nodiscard]] std::size_t crowded(const level_digit<Rank>& digit, std::size_t many) const {
    std::size_t found = 0;
    for (std::size_t begin = 0; begin < size;) {
      const auto bin = [&](U x) { return digit.octaves == nullptr ? digit.even(x) : digit.skewed(x); };
      std::size_t end = begin + 1;
      while (end < size && bin(rank[end]) == bin(rank[begin])) ++end;
      if (end - begin >= many && rank[begin] != rank[end - 1]) found += end - begin;
      begin = end;
    }
    return found;
  }
};

/// The octaves around the densest place of a sample, with about `bins` bins, at least one each.
template <class Rank, class U = typename Rank::number>
level_digit<Rank> octaves_of(const Rank& rank, const level_sample<U>& sample, std::uint32_t bins,
                             octave_table<U>& table) {
  constexpr unsigned width = std::numeric_limits<U>::digits;
  level_digit<Rank> digit{rank, sample.densest(), 0, 0, table.data(), 0};
  std::array<std::uint32_t, table_size<U>> samples{};
  for (const U x : sample.rank) ++samples[digit.octave_of(x)];
  const auto add = [&](unsigned bits, bool below) {
    const std::size_t at = width - bits + (below ? width : 0);
    const auto wanted = static_cast<unsigned>(std::bit_width(std::uint64_t{samples[at]} * bins / sample.size));
    const unsigned used = std::min(bits - 1, wanted == 0 ? 0 : wanted - 1);
    const std::uint32_t first = bits == 1 ? 0 : 1U << used;  // of the shifted distances
    const std::uint32_t many = bits == 1 ? 2 : 1U << used;
    table[at] = {bits - 1 - used, below ? digit.count + first + many : digit.count - first};
    digit.count += many;
  };
  for (unsigned bits = width; bits != 0; --bits) add(bits, true);
  digit.pivot_bin = digit.count;
  for (unsigned bits = 1; bits <= width; ++bits) add(bits, false);
  return digit;
}

}  // namespace peneira::detail
