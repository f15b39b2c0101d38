// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The network of register_sort.hpp, which includes this once for each kind of vectors, in a namespace that has their
// number_vector: what a function is compiled for, PENEIRA_VECTORS, cannot depend on a template's parameter.

/// Sorts numbers in registers, as a table of which a register is a row and a lane a column:
///
///   rows --compared with each other--> columns in order --neighbours merged, 1, 2, 4 and 8 wide--> all --turned-->
///   rows
///
/// Rows are compared without moving a number; columns that are merged lie beside each other, the lower numbers to the
/// left. A number that is the k-th comes to be in column k / Rows and row k % Rows, and the table is turned at the end.
template <class U>
struct register_sort {
  using vector = number_vector<U>;
  using reg = typename vector::reg;
  static constexpr unsigned lanes = vector::lanes;
  static constexpr unsigned most_registers = vector::most_registers;
  static constexpr std::size_t most = std::size_t{most_registers} * lanes;
  static_assert(std::has_single_bit(most));

  /// The number of which half of those in some registers are lower.
  template <unsigned Registers>
  PENEIRA_VECTORS [[gnu::always_inline]] static U median(const U* from) {
    constexpr unsigned middle = Registers * lanes / 2;
    reg x[Registers];
    for (unsigned i = 0; i < Registers; ++i) {
      x[i] = vector::flipped(vector::load(from + i * lanes), vector::all(vector::bias));
    }
    sort_columns<Registers>(x);
    merge_columns<Registers, 1>(x);
    std::array<U, lanes> row;
    vector::store(row.data(), x[middle % Registers]);
    return row[middle / Registers] ^ vector::bias;
  }

  /// Sorts up to `most` keys by their numbers in an order, and writes them as the keys of another one. What is read may
  /// be of another type of that size.
  [[gnu::always_inline]] static inline void sort_few(const void* from, std::size_t n, void* to,
                                                     const key_order<U>& read, const key_order<U>& written) {
    sort_by<1>(static_cast<const U*>(from), n, static_cast<U*>(to), read, written);
  }
  /// Makes numbers of keys in some registers.
  template <unsigned Registers>
  PENEIRA_VECTORS [[gnu::always_inline]] static void numbers_of(reg* x, const key_order<U>& by) {
    if (only_flips(by)) return flip<Registers>(x, by.flip ^ vector::bias);
    const reg flip_negative = vector::all(by.flip_negative);
    const reg flip = vector::all(by.flip);
    const reg add = vector::all(by.add + vector::bias);
    PENEIRA_UNROLL(32)
    for (unsigned i = 0; i < Registers; ++i) {
      x[i] = vector::sum(vector::flipped(vector::flipped_if_negative(x[i], flip_negative), flip), add);
    }
  }
  /// And keys of numbers.
  template <unsigned Registers>
  PENEIRA_VECTORS [[gnu::always_inline]] static void keys_of(reg* x, const key_order<U>& by) {
    if (only_flips(by)) return flip<Registers>(x, by.flip ^ vector::bias);
    const reg flip_negative = vector::all(by.flip_negative);
    const reg flip = vector::all(by.flip);
    const reg subtract = vector::all(U{0} - by.add - vector::bias);
    PENEIRA_UNROLL(32)
    for (unsigned i = 0; i < Registers; ++i) {
      x[i] = vector::flipped_if_negative(vector::flipped(vector::sum(x[i], subtract), flip), flip_negative);
    }
  }

 private:
  /// Whether an order is that of integers; dates, of which one value comes last, have something added.
  static bool only_flips(const key_order<U>& by) { return by.flip_negative == 0 && by.add == 0; }
  template <unsigned Registers>
  PENEIRA_VECTORS [[gnu::always_inline]] static void flip(reg* x, U with) {
    const reg bits = vector::all(with);
    PENEIRA_UNROLL(32)
    for (unsigned i = 0; i < Registers; ++i) x[i] = vector::flipped(x[i], bits);
  }
  /// Two numbers of each column in their order.
  PENEIRA_VECTORS [[gnu::always_inline]] static void order(reg& a, reg& b) {
    const reg low = vector::least(a, b);
    b = vector::greatest(a, b);
    a = low;
  }

  /// Sorts each column, by Batcher's merges of odd and even rows.
  template <unsigned Rows>
  PENEIRA_VECTORS [[gnu::always_inline]] static void sort_columns(reg* x) {
    if constexpr (Rows > 1) {
      sort_columns<Rows / 2>(x);
      sort_columns<Rows / 2>(x + Rows / 2);
      merge_rows<Rows, 1>(x);
    }
  }
  /// Merges the halves of rows that are so far apart.
  template <unsigned Rows, unsigned Apart>
  PENEIRA_VECTORS [[gnu::always_inline]] static void merge_rows(reg* x) {
    if constexpr (2 * Apart < Rows) {
      merge_rows<Rows, 2 * Apart>(x);
      merge_rows<Rows, 2 * Apart>(x + Apart);
      PENEIRA_UNROLL(16)
      for (unsigned i = Apart; i + Apart < Rows; i += 2 * Apart) order(x[i], x[i + Apart]);
    } else {
      order(x[0], x[Apart]);
    }
  }

  /// Merges columns, of which so many beside each other are in order, until all are.
  template <unsigned Rows, unsigned Width>
  PENEIRA_VECTORS [[gnu::always_inline]] static void merge_columns(reg* x) {
    if constexpr (Width < lanes) {
      compare_turned<Rows, 2 * Width - 1>(x);
      merge_lanes<Rows, Width / 2>(x);
      merge_within<Rows>(x);
      merge_columns<Rows, 2 * Width>(x);
    }
  }
  /// Compares the first with the last, the second with the one before the last, and so on.
  template <unsigned Rows, unsigned Other>
  PENEIRA_VECTORS [[gnu::always_inline]] static void compare_turned(reg* x) {
    if constexpr (Rows == 1) {
      *x = vector::template ordered<Other>(*x);
    } else {
      PENEIRA_UNROLL(16)
      for (unsigned i = 0; i < Rows / 2; ++i) {
        reg& a = x[i];
        reg& b = x[Rows - 1 - i];
        const reg turned = vector::template exchanged<Other>(b);
        b = vector::template ordered<Other>(b, vector::template exchanged<Other>(a));
        a = vector::template ordered<Other>(a, turned);
      }
    }
  }
  /// What is left to compare of columns that are so far apart, and of nearer ones.
  template <unsigned Rows, unsigned Distance>
  PENEIRA_VECTORS [[gnu::always_inline]] static void merge_lanes(reg* x) {
    if constexpr (Distance > 0) {
      PENEIRA_UNROLL(32)
      for (unsigned i = 0; i < Rows; ++i) x[i] = vector::template ordered<Distance>(x[i]);
      merge_lanes<Rows, Distance / 2>(x);
    }
  }
  /// The same within columns.
  template <unsigned Rows>
  PENEIRA_VECTORS [[gnu::always_inline]] static void merge_within(reg* x) {
    if constexpr (Rows > 1) {
      PENEIRA_UNROLL(16)
      for (unsigned i = 0; i < Rows / 2; ++i) order(x[i], x[i + Rows / 2]);
      merge_within<Rows / 2>(x);
      merge_within<Rows / 2>(x + Rows / 2);
    }
  }

  /// Turns the table: rows that are half of them apart are shuffled like cards, then nearer ones.
  template <unsigned Rows, unsigned Distance = Rows / 2>
  PENEIRA_VECTORS [[gnu::always_inline]] static void turn(reg* x) {
    if constexpr (Distance > 0) {
      PENEIRA_UNROLL(32)
      for (unsigned i = 0; i < Rows; ++i) {
        if ((i & Distance) == 0) vector::shuffle(x[i], x[i + Distance]);
      }
      turn<Rows, Distance / 2>(x);
    }
  }

  /// By so many registers or as many more as it takes.
  template <unsigned Registers>
  [[gnu::always_inline]] static inline void sort_by(const U* from, std::size_t n, U* to, const key_order<U>& read,
                                                    const key_order<U>& written) {
    if constexpr (Registers < most_registers) {
      if (n > std::size_t{Registers} * lanes) return sort_by<2 * Registers>(from, n, to, read, written);
    }
    sort_some<Registers>(from, n, to, read, written);
  }
  /// Not inlined: in a program that is not optimised, each number of registers would add to the stack of the others.
  template <unsigned Registers>
  PENEIRA_VECTORS [[gnu::noinline]] static void sort_some(const U* from, std::size_t n, U* to, const key_order<U>& read,
                                                          const key_order<U>& written) {
    const auto row_begin = [](unsigned i) { return std::size_t{i} * lanes; };
    const auto in_row = [n, row_begin](unsigned i) {
      return n <= row_begin(i) ? 0U : static_cast<unsigned>(std::min<std::size_t>(n - row_begin(i), lanes));
    };
    const U highest = read.back(std::numeric_limits<U>::max());
    reg x[Registers];
    PENEIRA_UNROLL(32)
    for (unsigned i = 0; i < Registers; ++i) {
      const U* const row = from + row_begin(i);
      x[i] = i < Registers / 2 ? vector::load(row) : vector::load_some(row, in_row(i), highest);
    }
    numbers_of<Registers>(x, read);
    sort_columns<Registers>(x);
    merge_columns<Registers, 1>(x);
    turn<Registers>(x);
    keys_of<Registers>(x, written);
    PENEIRA_UNROLL(32)
    for (unsigned i = 0; i < Registers; ++i) {
      if (i < Registers / 2) {
        vector::store(to + row_begin(i), x[i]);
      } else {
        vector::store_some(to + row_begin(i), in_row(i), x[i]);
      }
    }
  }
};
