// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The reductions behind `peneira reduce`. The library is compiled for each type and operator that it is called with, so
// it is called with few: what differs in nothing that the results show is one call.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tools/peneira/text/int128.hpp"

namespace peneira::tool {

/// What the folds of a file have in common.
struct fold_call {
  const std::vector<std::uint64_t>& offsets;  ///< of the segments
  std::string_view strategy;
  unsigned threads;
};

/// Items of a type.
template <class T>
struct item_row {
  const T* data;
  std::size_t size;
};

/// What sums and products of T are: integers of 64 bits, sums of such of 128, doubles of floats.
template <class T>
using product_of = std::conditional_t<std::is_floating_point_v<T>, double,
                                      std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
template <class T>
using sum_of = std::conditional_t<sizeof(product_of<T>) != sizeof(T) || std::is_floating_point_v<T>, product_of<T>,
                                  std::conditional_t<std::is_signed_v<T>, int128, uint128>>;

template <class T>
std::vector<sum_of<T>> fold_sums(const fold_call& call, item_row<T> items);
template <std::floating_point T>
std::vector<double> fold_products(const fold_call& call, item_row<T> items);
/// Of integers by their bits; products of signed ones have the bits of these.
template <std::unsigned_integral U>
std::vector<std::uint64_t> fold_products(const fold_call& call, item_row<U> items, bool is_signed);

enum class bit_operator { all, any, odd };  ///< and, or, xor
template <std::unsigned_integral U>
std::vector<U> fold_bits(const fold_call& call, item_row<U> items, bit_operator by);

/// The least items, or the greatest.
template <class T>
std::vector<T> fold_extremes(const fold_call& call, item_row<T> items, bool greatest);

}  // namespace peneira::tool
