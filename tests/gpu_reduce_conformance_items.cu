// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu_reduce_support.cuh"
#include "tests/reduce_conformance.hpp"

namespace peneira::test {

template <class Item, class Result, class Op, class Offset>
using reduce_on_gpu = reduce_in_space<reduce_combo<Item, Result, Op, Offset>, device_reduce_space>;

/// As wide as a result may be.
struct summary {
  std::uint64_t sum, count, least, most;
  friend bool operator==(const summary&, const summary&) = default;
};

struct summarises {
  static constexpr bool commutative = true;
  PENEIRA_HD summary operator()(const summary& a, const summary& b) const {
    return {a.sum + b.sum, a.count + b.count, a.least < b.least ? a.least : b.least, a.most < b.most ? b.most : a.most};
  }
  template <class T>
  PENEIRA_HD static T identity() {
    return {0, 0, 255, 0};
  }
  template <class T>
  PENEIRA_HD static summary lift(const T& item, std::uint64_t /*index*/) {
    return {item, 1, item, item};
  }
};

using items_on_gpu = ::testing::Types<reduce_on_gpu<std::uint8_t, summary, summarises, std::uint32_t>,
                                      reduce_on_gpu<float, indexed<float>, arg_max, std::uint64_t>,
                                      reduce_on_gpu<bytes16, sum_and_most, adds_both, std::int32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu_items, reduce_conformance, items_on_gpu);

}  // namespace peneira::test
