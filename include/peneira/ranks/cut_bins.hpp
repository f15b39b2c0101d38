// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The bins that a sort over ranks splits into: between ascending numbers of keys.
//
//   borders       b0        b1 = b0 + 1     b2
//   bins     0    |    1    |       2       |    3          bin 1 has one key alone
//
// As sample sort with bins for equal keys has them (Axtmann, Witt, Ferizovic, Sanders: In-place parallel super scalar
// samplesort, 2017), but only for keys that a sample repeats: a split into three bins takes less than one into five.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "peneira/cpu/lines.hpp"
#include "peneira/key_order.hpp"

namespace peneira::detail {

/// The number that orders a key.
template <class K>
struct key_number {
  using number = bits_of<K>;
  key_order<number> by;
  bit_range<number> part;

  PENEIRA_HD number operator()(const K& key) const { return part(by(raw_bits(key))); }
  [[nodiscard]] number most() const { return part(static_cast<number>(~number{0})); }
  /// Whether equal numbers are equal keys.
  [[nodiscard]] bool whole() const { return part.count == key_order<number>::width; }
};

/// Ascending numbers that differ, none of them 0, at each of which a bin begins; and the same as a search tree: the
/// children of node b are 2 b and 2 b + 1. What it lacks of a full one are the highest number there is.
template <class U>
class bin_borders {
 public:
  explicit bin_borders(std::vector<U> borders) : sorted_(std::move(borders)), count_(sorted_.size()) {
    while ((std::size_t{1} << levels_) <= count_) ++levels_;
    sorted_.resize(std::size_t{1} << levels_, std::numeric_limits<U>::max());
    tree_.resize(std::size_t{1} << levels_);
    fill(1, 0, (std::size_t{1} << levels_) - 1);
  }

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t bins() const { return count_ + 1; }
  [[nodiscard]] unsigned levels() const { return levels_; }
  [[nodiscard]] const U* tree() const { return tree_.data(); }
  [[nodiscard]] const U* sorted() const { return sorted_.data(); }
  [[nodiscard]] U operator[](std::size_t j) const { return sorted_[j]; }
  /// The least and the greatest number of a bin, where `most` is that of all.
  [[nodiscard]] U low(std::size_t bin) const { return bin == 0 ? U{0} : sorted_[bin - 1]; }
  [[nodiscard]] U high(std::size_t bin, U most) const {
    return bin == count_ ? most : static_cast<U>(sorted_[bin] - 1);
  }

 private:
  void fill(std::size_t node, std::size_t first, std::size_t last) {
    if (first >= last) return;
    const std::size_t middle = first + (last - first) / 2;
    tree_[node] = sorted_[middle];
    fill(2 * node, first, middle);
    fill(2 * node + 1, middle + 1, last);
  }

  std::vector<U> sorted_;  ///< padded
  std::vector<U> tree_;
  std::size_t count_;
  unsigned levels_ = 0;
};

/// Bins between borders. Few are held against every border, several keys at a time; nothing is a branch that could go
/// either way.
template <class K>
class cut_bins {
 public:
  using number = bits_of<K>;

  cut_bins(const key_number<K>& of, const bin_borders<number>& borders)
      : of_(of),
        tree_(borders.tree()),
        sorted_(borders.sorted()),
        levels_(borders.levels()),
        count_(static_cast<std::uint32_t>(borders.size())) {}

  [[nodiscard]] std::uint32_t bins() const { return count_ + 1; }
  std::uint32_t operator()(const K& key) const {
    std::uint32_t bin = 0;
    many<1>(&key, &bin);
    return bin;
  }
  template <std::size_t Count>
  [[gnu::always_inline]] void many(const K* keys, std::uint32_t* to) const {
    switch (levels_) {
      case 0:
        std::fill_n(to, Count, 0);
        return;
      case 1:
        return hold_against<Count, 1>(keys, to);
      case 2:
        return hold_against<Count, 3>(keys, to);
      case 3:
        return hold_against<Count, 7>(keys, to);
      default:
        if (levels_ == 4 && holds_against_15) return hold_against<Count, 15>(keys, to);
        return search<Count>(keys, to);
    }
  }

 private:
  /// Whether that takes less than a search. ns a key on a Sapphire Rapids, held and searched: 1.0 and 2.3 of 4 bytes,
  /// 2.0 and 3.0 of 8; 4.0 and 3.1 of 8 where vectors have 16 bytes. Of 7 borders it does everywhere.
#if defined(__AVX512F__)
  static constexpr bool holds_against_15 = true;
#else
  static constexpr bool holds_against_15 = sizeof(number) <= 4;
#endif

  /// What lacks to a full tree is no border, though the highest key is not less than it.
  template <std::size_t Count, std::size_t Borders>
  [[gnu::always_inline]] void hold_against(const K* keys, std::uint32_t* to) const {
    number border[Borders];
    for (std::size_t j = 0; j < Borders; ++j) border[j] = sorted_[j];
    const auto last = static_cast<number>(count_);
    number below[Count];
    for (std::size_t k = 0; k < Count; ++k) {
      const number x = of_(keys[k]);
      number passed = 0;
      PENEIRA_UNROLL(16)
      for (std::size_t j = 0; j < Borders; ++j) passed = static_cast<number>(passed + (border[j] <= x ? 1 : 0));
      below[k] = std::min(passed, last);
    }
    for (std::size_t k = 0; k < Count; ++k) to[k] = static_cast<std::uint32_t>(below[k]);
  }
  /// Searches that wait for one another's loads at once.
  template <std::size_t Count>
  [[gnu::always_inline]] void search(const K* keys, std::uint32_t* to) const {
    number x[Count];
    std::uint32_t node[Count];
    for (std::size_t k = 0; k < Count; ++k) x[k] = of_(keys[k]);
    for (std::size_t k = 0; k < Count; ++k) node[k] = 1;
    for (unsigned level = 0; level < levels_; ++level) {
      for (std::size_t k = 0; k < Count; ++k) {
        node[k] = 2 * node[k] + static_cast<std::uint32_t>(tree_[node[k]] <= x[k]);
      }
    }
    for (std::size_t k = 0; k < Count; ++k) to[k] = std::min(node[k] - (1U << levels_), count_);
  }

  key_number<K> of_;
  const number* tree_;
  const number* sorted_;
  unsigned levels_;
  std::uint32_t count_;
};

template <class K>
inline constexpr bool never_misses<cut_bins<K>> = true;

}  // namespace peneira::detail
