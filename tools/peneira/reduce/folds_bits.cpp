// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// and, or, xor: one call of the library for each width.
#include <cstdint>

#include "tools/peneira/reduce/folds_call.hpp"

namespace peneira::tool {
namespace {

/// or; xor, which takes away what both have; and, which is or of flipped bits.
template <class U>
struct bits_of_all {
  static constexpr bool commutative = true;
  U flip;
  U taken;

  explicit bits_of_all(bit_operator by)
      : flip(by == bit_operator::all ? static_cast<U>(~U{0}) : 0),
        taken(by == bit_operator::odd ? static_cast<U>(~U{0}) : 0) {}
  [[nodiscard]] U lift(U item, std::uint64_t /*index*/) const { return item ^ flip; }
  U operator()(U a, U b) const { return static_cast<U>((a | b) & ~(a & b & taken)); }
  template <class>
  static U identity() {
    return 0;
  }
};

}  // namespace

template <std::unsigned_integral U>
std::vector<U> fold_bits(const fold_call& call, item_row<U> items, bit_operator by) {
  const bits_of_all<U> op(by);
  std::vector<U> results = fold_items<U>(call, items, op);
  if (op.flip != 0) {
    for (U& one : results) one ^= op.flip;
  }
  return results;
}

template std::vector<std::uint8_t> fold_bits(const fold_call&, item_row<std::uint8_t>, bit_operator);
template std::vector<std::uint16_t> fold_bits(const fold_call&, item_row<std::uint16_t>, bit_operator);
template std::vector<std::uint32_t> fold_bits(const fold_call&, item_row<std::uint32_t>, bit_operator);
template std::vector<std::uint64_t> fold_bits(const fold_call&, item_row<std::uint64_t>, bit_operator);

}  // namespace peneira::tool
