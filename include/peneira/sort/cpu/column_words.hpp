// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of several columns as words of 64 bits that compare as the rows do: of each column the distance of its key's
// rank from the lowest there, in as many bits as the farthest has, and before it a bit that tells nulls.
//
//   row   [null|a - lowest a|b - lowest b|null|c ...     word 0
//         ... - lowest c|d - lowest d]                   word 1
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <tuple>
#include <utility>

#include "peneira/columns.hpp"
#include "peneira/cpu/team.hpp"
#include "peneira/sort/cpu/ranks.hpp"

namespace peneira::detail {

/// A part of the bits of a column, as a word has it.
struct word_piece {
  unsigned column = 0;
  unsigned word = 0;
  unsigned shift = 0;  ///< bits of the column below it
  unsigned bits = 0;
  bool of_nulls = false;  ///< the bit that tells nulls
};

template <class... Columns>
class column_words {
  static constexpr std::size_t count = sizeof...(Columns);
  static constexpr std::size_t block = 1024;
  using all_columns = std::index_sequence_for<Columns...>;

 public:
  /// Looks at all keys, by some threads.
  column_words(const column_set<Columns...>& set, unsigned threads) : set_(set) { look(threads, all_columns{}); }

  /// Words of a row.
  [[nodiscard]] unsigned words() const { return used_ == 0 ? 1 : (used_ + 63) / 64; }

  /// Whether a word is all that a row has, and there is room in it for so many bits more.
  [[nodiscard]] bool has_room(unsigned bits) const { return used_ + bits <= 64; }

  /// The most words that rows of columns of so many bits can have, each with a bit for nulls.
  static constexpr unsigned most_words() {
    return static_cast<unsigned>((((sizeof(typename decltype(Columns::keys)::key_type) * 8 + 1) + ...) + 63) / 64);
  }

  /// The words of rows from `first` on.
  void write(unsigned word, std::size_t first, std::size_t n, std::uint64_t* to) const {
    write_rows(word, n, to, [first](std::size_t i) { return first + i; });
  }
  /// The words of some rows.
  template <class Position>
  void write(unsigned word, const Position* rows, std::size_t n, std::uint64_t* to) const {
    write_rows(word, n, to, [rows](std::size_t i) { return static_cast<std::size_t>(rows[i]); });
  }

 private:
  template <std::size_t... I>
  void look(unsigned threads, std::index_sequence<I...> /*all*/) {
    (look_at<I>(threads), ...);
  }
  template <std::size_t I>
  void look_at(unsigned threads) {
    const auto& of = std::get<I>(set_.all);
    const auto rank = rank_of<I>();
    using number = typename decltype(rank)::number;
    extent<number> found;
    std::mutex join;
    on_each(threads, [&](unsigned m) {
      const auto [begin, end] = slice(set_.rows, m, threads);
      const auto mine = extent_of(of.keys.keys + begin, end - begin, rank);
      const std::lock_guard lock(join);
      found.join(mine);
    });
    low_[I] = found.low;
    if (of.is_null != nullptr) add(I, 1, true);
    add(I, found.bits(), false);
  }
  /// Puts bits of a column behind those before, into two words if need be.
  void add(unsigned column, unsigned bits, bool of_nulls) {
    while (bits != 0) {
      const unsigned now = std::min(bits, 64 - used_ % 64);
      bits -= now;
      pieces_[many_++] = {column, used_ / 64, bits, now, of_nulls};
      used_ += now;
    }
  }
  template <std::size_t I>
  [[nodiscard]] auto rank_of() const {
    const auto& of = std::get<I>(set_.all);
    using key = typename decltype(of.keys)::key_type;
    return part_rank<bits_of<key>>{order_of<key>(of.descending), {}};
  }

  template <class Row>
  void write_rows(unsigned word, std::size_t n, std::uint64_t* to, const Row& row) const {
    for (std::size_t i = 0; i < n; i += block) {  // so that words stay in the cache from column to column
      const std::size_t size = std::min(block, n - i);
      std::fill_n(to + i, size, 0);
      for (unsigned p = 0; p < many_; ++p) {
        if (pieces_[p].word != word) continue;
        add_piece(
            pieces_[p], size, to + i, [&row, i](std::size_t k) { return row(i + k); }, all_columns{});
      }
    }
  }
  template <class Row, std::size_t... I>
  void add_piece(const word_piece& piece, std::size_t n, std::uint64_t* to, const Row& row,
                 std::index_sequence<I...> /*all*/) const {
    static_cast<void>(((piece.column == I && (add_bits<I>(piece, n, to, row), true)) || ...));
  }
  template <std::size_t I, class Row>
  void add_bits(const word_piece& piece, std::size_t n, std::uint64_t* to, const Row& row) const {
    const auto of = std::get<I>(set_.all);
    const auto append = [&](std::size_t k, std::uint64_t bits) {
      to[k] = (piece.bits == 64 ? 0 : to[k] << piece.bits) | bits;
    };
    if (piece.of_nulls) {
      for (std::size_t k = 0; k < n; ++k) append(k, is_null<I>(of, row(k)) != of.nulls_are_first ? 1 : 0);
      return;
    }
    const auto rank = rank_of<I>();
    using number = typename decltype(rank)::number;
    const auto low = static_cast<number>(low_[I]);
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - piece.bits);
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t r = row(k);
      const std::uint64_t distance = static_cast<number>(rank(of.keys.keys[r]) - low);
      append(k, is_null<I>(of, r) ? 0 : (distance >> piece.shift) & mask);
    }
  }
  template <std::size_t I, class Column>
  static bool is_null(const Column& of, std::size_t row) {
    if constexpr (requires { of.is_null[row] != 0; }) {
      return of.is_null != nullptr && of.is_null[row] != 0;
    } else {
      return false;
    }
  }

  column_set<Columns...> set_;
  std::array<std::uint64_t, count> low_{};
  std::array<word_piece, 3 * count> pieces_{};
  unsigned many_ = 0;
  unsigned used_ = 0;
};

}  // namespace peneira::detail
