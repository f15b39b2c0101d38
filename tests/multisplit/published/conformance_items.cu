// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"
#include "tests/multisplit/gpu/support.cuh"

namespace peneira::test {

template <class Key, class Value, class By, class Offset>
using by_published = in_space<combo<Key, Value, By, Offset>, published_space>;

using published_items = ::testing::Types<by_published<bytes16, no_value, by_hash, std::uint32_t>,
                                         by_published<bytes33, no_value, by_function, std::uint64_t>,
                                         by_published<std::uint64_t, std::uint8_t, by_ranges, std::int32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu_published_items, conformance, published_items, combo_names);

}  // namespace peneira::test
