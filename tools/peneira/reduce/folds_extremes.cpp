// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// The least and the greatest items, for each type: the library compares as many as a register holds, which it knows of
// its own operators alone.
#include <cstdint>

#include "tools/peneira/reduce/folds_call.hpp"

namespace peneira::tool {

template <class T>
std::vector<T> fold_extremes(const fold_call& call, item_row<T> items, bool greatest) {
  return greatest ? fold_items<T>(call, items, max{}) : fold_items<T>(call, items, min{});
}

template std::vector<std::uint8_t> fold_extremes(const fold_call&, item_row<std::uint8_t>, bool);
template std::vector<std::uint16_t> fold_extremes(const fold_call&, item_row<std::uint16_t>, bool);
template std::vector<std::uint32_t> fold_extremes(const fold_call&, item_row<std::uint32_t>, bool);
template std::vector<std::uint64_t> fold_extremes(const fold_call&, item_row<std::uint64_t>, bool);
template std::vector<std::int8_t> fold_extremes(const fold_call&, item_row<std::int8_t>, bool);
template std::vector<std::int16_t> fold_extremes(const fold_call&, item_row<std::int16_t>, bool);
template std::vector<std::int32_t> fold_extremes(const fold_call&, item_row<std::int32_t>, bool);
template std::vector<std::int64_t> fold_extremes(const fold_call&, item_row<std::int64_t>, bool);
template std::vector<float> fold_extremes(const fold_call&, item_row<float>, bool);
template std::vector<double> fold_extremes(const fold_call&, item_row<double>, bool);

}  // namespace peneira::tool
