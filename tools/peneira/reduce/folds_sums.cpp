// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums and products.
#include <cstdint>

#include "tools/peneira/reduce/folds_call.hpp"

namespace peneira::tool {
namespace {

/// Products of narrow integers, modulo 2^64; signed ones are extended by hand.
template <class U>
struct product_of_bits {
  static constexpr bool commutative = true;
  std::uint64_t sign;  ///< the bit of an item that says so, or none

  explicit product_of_bits(bool is_signed) : sign(is_signed ? std::uint64_t{1} << (8 * sizeof(U) - 1) : 0) {}
  [[nodiscard]] std::uint64_t lift(U item, std::uint64_t /*index*/) const { return (item ^ sign) - sign; }
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a * b; }
  template <class>
  static std::uint64_t identity() {
    return 1;
  }
};

}  // namespace

template <class T>
std::vector<sum_of<T>> fold_sums(const fold_call& call, item_row<T> items) {
  return fold_items<sum_of<T>>(call, items, plus{});
}

template <std::floating_point T>
std::vector<double> fold_products(const fold_call& call, item_row<T> items) {
  return fold_items<double>(call, items, multiplies{});
}

template <std::unsigned_integral U>
std::vector<std::uint64_t> fold_products(const fold_call& call, item_row<U> items, [[maybe_unused]] bool is_signed) {
  if constexpr (sizeof(U) == 8) {
    return fold_items<std::uint64_t>(call, items, multiplies{});
  } else {
    return fold_items<std::uint64_t>(call, items, product_of_bits<U>(is_signed));
  }
}

template std::vector<sum_of<std::uint8_t>> fold_sums(const fold_call&, item_row<std::uint8_t>);
template std::vector<sum_of<std::uint16_t>> fold_sums(const fold_call&, item_row<std::uint16_t>);
template std::vector<sum_of<std::uint32_t>> fold_sums(const fold_call&, item_row<std::uint32_t>);
template std::vector<sum_of<std::uint64_t>> fold_sums(const fold_call&, item_row<std::uint64_t>);
template std::vector<sum_of<std::int8_t>> fold_sums(const fold_call&, item_row<std::int8_t>);
template std::vector<sum_of<std::int16_t>> fold_sums(const fold_call&, item_row<std::int16_t>);
template std::vector<sum_of<std::int32_t>> fold_sums(const fold_call&, item_row<std::int32_t>);
template std::vector<sum_of<std::int64_t>> fold_sums(const fold_call&, item_row<std::int64_t>);
template std::vector<sum_of<float>> fold_sums(const fold_call&, item_row<float>);
template std::vector<sum_of<double>> fold_sums(const fold_call&, item_row<double>);

template std::vector<double> fold_products(const fold_call&, item_row<float>);
template std::vector<double> fold_products(const fold_call&, item_row<double>);
template std::vector<std::uint64_t> fold_products(const fold_call&, item_row<std::uint8_t>, bool);
template std::vector<std::uint64_t> fold_products(const fold_call&, item_row<std::uint16_t>, bool);
template std::vector<std::uint64_t> fold_products(const fold_call&, item_row<std::uint32_t>, bool);
template std::vector<std::uint64_t> fold_products(const fold_call&, item_row<std::uint64_t>, bool);

}  // namespace peneira::tool
