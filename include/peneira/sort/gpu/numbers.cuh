// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Numbers that stand for records and rows in a sort: the ordered number of a record's key, and words of a row's.
//
//   row   [null|a|null|b|c]      the bits of all columns, the first of them highest
//         [ word 1 | word 0 ]    cut into numbers from the lowest bit on
#pragma once

#include "peneira/columns.hpp"
#include "peneira/key_order.hpp"

namespace peneira::detail {

/// The bits that a column has in a row: those of its key, and one where there is a mask.
template <class Column>
inline constexpr unsigned column_bits = 8 * sizeof(typename decltype(Column::keys)::key_type) +
                                        (std::is_same_v<decltype(Column::is_null), const no_value*> ? 0 : 1);

#if defined(__CUDACC__)

/// The key that a function gives for a record, or a pointer to a member.
template <class F, class Record>
__device__ decltype(auto) key_of_record(const F& f, const Record& record) {
  if constexpr (std::is_member_object_pointer_v<F>) {
    return record.*f;
  } else if constexpr (std::is_member_function_pointer_v<F>) {
    return (record.*f)();
  } else {
    return f(record);
  }
}

template <class Record, class F, class U, class Position>
__global__ void write_keys(const Record* records, std::size_t count, F f, key_order<U> by, bit_range<U> part,
                           U* numbers, Position* positions) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    numbers[i] =
        part(by(raw_bits(std::remove_cvref_t<decltype(key_of_record(f, records[i]))>(key_of_record(f, records[i])))));
    positions[i] = static_cast<Position>(i);
  }
}

/// A column as the kernel below reads it.
template <class U, class Mask>
struct column_reader {
  const U* keys;
  const Mask* is_null;
  key_order<U> by;
  bool nulls_are_first;
  unsigned lowest;  ///< where its lowest bit lies in a row

  /// Its part of a word of a row. Keys that are null are all alike.
  __device__ std::uint64_t operator()(std::size_t row, unsigned word) const {
    bool null = false;
    if constexpr (!std::is_same_v<Mask, no_value>) null = is_null != nullptr && is_null[row] != 0;
    std::uint64_t bits = null ? 0 : placed(std::uint64_t{by(keys[row])}, lowest, word);
    if constexpr (!std::is_same_v<Mask, no_value>) {
      if (null != nulls_are_first) bits |= placed(1, lowest + 8 * sizeof(U), word);
    }
    return bits;
  }

 private:
  /// What a word has of a number whose lowest bit lies at `at`.
  __device__ static std::uint64_t placed(std::uint64_t number, unsigned at, unsigned word) {
    const unsigned first = 64 * word;
    const unsigned by = at < first ? first - at : at - first;
    if (by >= 64) return 0;
    return at < first ? number >> by : number << by;
  }
};

/// Writes a word of each row, in the order of `positions`; these are 0, 1, 2, ... for the first word, and are written.
template <class U, class Position, class... Columns>
__global__ void write_words(std::size_t rows, unsigned word, U* numbers, Position* positions, Columns... columns) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < rows; i += stride) {
    const std::size_t row = word == 0 ? i : static_cast<std::size_t>(positions[i]);
    if (word == 0) positions[i] = static_cast<Position>(i);
    numbers[i] = static_cast<U>((columns(row, word) | ...));
  }
}

#endif

}  // namespace peneira::detail
