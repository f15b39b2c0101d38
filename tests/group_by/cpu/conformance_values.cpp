// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
//
// group_by with operators whose order shows, and with results of every size.
#include "tests/group_by/conformance.hpp"

namespace peneira::test {

/// The items of a group by number, sum, least and greatest: 32 bytes, too many to be sorted with a key.
struct summary {
  std::uint64_t count;
  std::uint64_t sum;
  std::uint64_t least;
  std::uint64_t greatest;
};
struct summarize {
  static constexpr bool commutative = true;
  summary operator()(const summary& a, const summary& b) const {
    return {a.count + b.count, a.sum + b.sum, std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
  }
  template <class T>
  static T identity() {
    return {0, 0, ~std::uint64_t{0}, 0};
  }
  static summary lift(std::uint32_t item, std::uint64_t /*index*/) { return {1, item, item, item}; }
};

using value_combos =
    ::testing::Types<group_combo<std::uint32_t, affine, affine, then>, group_combo<float, affine, affine, then>,
                     group_combo<std::uint16_t, float, indexed<float>, arg_min>,
                     group_combo<std::uint32_t, std::uint32_t, indexed<std::uint32_t>, arg_max>,
                     group_combo<std::uint64_t, std::uint32_t, summary, summarize>>;
INSTANTIATE_TYPED_TEST_SUITE_P(values, group_conformance, value_combos);

}  // namespace peneira::test
