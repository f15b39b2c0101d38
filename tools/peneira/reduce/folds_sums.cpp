// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// Sums and products.
#include <cstdint>

#include "tools/peneira/reduce/folds_call.hpp"

namespace peneira::tool {

template <class T>
std::vector<sum_of<T>> fold_sums(const fold_call& call, item_row<T> items) {
  return fold_items<sum_of<T>>(call, items, plus{});
}

template <class T>
std::vector<product_of<T>> fold_products(const fold_call& call, item_row<T> items) {
  return fold_items<product_of<T>>(call, items, multiplies{});
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

template std::vector<product_of<std::uint8_t>> fold_products(const fold_call&, item_row<std::uint8_t>);
template std::vector<product_of<std::uint16_t>> fold_products(const fold_call&, item_row<std::uint16_t>);
template std::vector<product_of<std::uint32_t>> fold_products(const fold_call&, item_row<std::uint32_t>);
template std::vector<product_of<std::uint64_t>> fold_products(const fold_call&, item_row<std::uint64_t>);
template std::vector<product_of<std::int8_t>> fold_products(const fold_call&, item_row<std::int8_t>);
template std::vector<product_of<std::int16_t>> fold_products(const fold_call&, item_row<std::int16_t>);
template std::vector<product_of<std::int32_t>> fold_products(const fold_call&, item_row<std::int32_t>);
template std::vector<product_of<float>> fold_products(const fold_call&, item_row<float>);
template std::vector<product_of<double>> fold_products(const fold_call&, item_row<double>);

}  // namespace peneira::tool
