// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows of any number of columns, whose types are known when it runs, as words of 64 bits that compare as the rows do:
// the layout of peneira/sort/cpu/column_words.hpp. Rows that fit one word are keys of a group-by, too, and their
// columns can be read back from it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <peneira/sort/cpu/column_words.hpp>
#include <vector>

#include "order.hpp"
#include "types.hpp"

namespace peneira::python {

/// One column. `merged`: both zeros are one key, and all NaNs are.
struct row_column {
  const void* keys;
  type of;
  bool descending;
  bool merged;
  const std::uint8_t* is_null;  ///< a byte a row, or nullptr
  bool nulls_first;
};

/// What keys of a column are compared by.
template <class U>
struct column_rank {
  detail::key_order<U> by;
  bool merges;

  explicit column_rank(const row_column& of)
      : by(order_of_bits<U>(of.of, of.descending)), merges(of.merged && is_float(of.of)) {}

  U operator()(U raw) const {
    if (merges) {
      const auto magnitude = static_cast<U>(raw & (static_cast<U>(~U{0}) >> 1U));
      if (magnitude == 0) raw = 0;
      if (magnitude > infinity<U>) raw = quiet_nan<U>;
    }
    return by(raw);
  }
};

class row_words {
 public:
  /// Looks at all keys, by some threads; 0: as many as there are.
  row_words(std::vector<row_column> columns, std::size_t rows, unsigned threads);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_.size(); }
  [[nodiscard]] unsigned bits() const { return used_; }
  [[nodiscard]] unsigned words() const { return used_ == 0 ? 1 : (used_ + 63) / 64; }
  /// Whether a word is all that a row has, and there is room in it for so many bits more.
  [[nodiscard]] bool has_room(unsigned bits) const { return used_ + bits <= 64; }
  [[nodiscard]] const row_column& column(std::size_t i) const { return columns_[i]; }

  /// The words of rows from `first` on, and of some rows.
  void write(unsigned word, std::size_t first, std::size_t n, std::uint64_t* to) const {
    write_rows(word, n, to, [first](std::size_t i) { return first + i; });
  }
  template <class Position>
  void write(unsigned word, const Position* rows, std::size_t n, std::uint64_t* to) const {
    write_rows(word, n, to, [rows](std::size_t i) { return static_cast<std::size_t>(rows[i]); });
  }

  /// Word `word` of all rows, to words of 4 or 8 bytes, by some threads.
  void write_all(unsigned word, void* to, unsigned word_bytes, unsigned threads) const;
  /// The keys of a column from the one word of some rows, and whether they are null.
  void read_back(std::size_t column, const void* words, unsigned word_bytes, std::size_t n, void* keys,
                 std::uint8_t* is_null) const;
  /// Which row comes where; positions are of 4 or 8 bytes.
  void argsort(void* positions, unsigned position_bytes, unsigned threads) const;

 private:
  static constexpr std::size_t block = 1024;

  void look_at(std::size_t column, unsigned threads);
  void add(unsigned column, unsigned bits, bool of_nulls);

  template <class Row>
  void write_rows(unsigned word, std::size_t n, std::uint64_t* to, const Row& row) const {
    for (std::size_t i = 0; i < n; i += block) {  // so that words stay in the cache from column to column
      const std::size_t size = std::min(block, n - i);
      std::fill_n(to + i, size, 0);
      for (const detail::word_piece& piece : pieces_) {
        if (piece.word == word) add_piece(piece, size, to + i, [&](std::size_t k) { return row(i + k); });
      }
    }
  }
  template <class Row>
  void add_piece(const detail::word_piece& piece, std::size_t n, std::uint64_t* to, const Row& row) const {
    const row_column& of = columns_[piece.column];
    const auto append = [&](std::size_t k, std::uint64_t bits) {
      to[k] = (piece.bits == 64 ? 0 : to[k] << piece.bits) | bits;
    };
    if (piece.of_nulls) {
      for (std::size_t k = 0; k < n; ++k) append(k, (of.is_null[row(k)] != 0) != of.nulls_first ? 1 : 0);
      return;
    }
    const std::uint64_t mask = ~std::uint64_t{0} >> (64 - piece.bits);
    with_width(width_of(of.of), [&]<class U>(U) {
      const column_rank<U> rank(of);
      const auto low = static_cast<U>(low_[piece.column]);
      const auto* const keys = static_cast<const U*>(of.keys);
      for (std::size_t k = 0; k < n; ++k) {
        const std::size_t r = row(k);
        const std::uint64_t distance = static_cast<U>(rank(keys[r]) - low);
        append(k, of.is_null != nullptr && of.is_null[r] != 0 ? 0 : (distance >> piece.shift) & mask);
      }
    });
  }

  std::vector<row_column> columns_;
  std::size_t rows_;
  std::vector<std::uint64_t> low_;
  std::vector<detail::word_piece> pieces_;
  unsigned used_ = 0;
};

}  // namespace peneira::python
