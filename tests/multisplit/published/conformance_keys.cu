// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"
#include "tests/multisplit/gpu/support.cuh"

namespace peneira::test {

template <class Key, class Value, class By, class Offset>
using by_published = in_space<combo<Key, Value, By, Offset>, published_space>;

using published_keys = ::testing::Types<by_published<std::uint8_t, no_value, by_function, std::uint64_t>,
                                        by_published<std::uint32_t, no_value, by_ranges, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu_published_keys, conformance, published_keys, combo_names);

}  // namespace peneira::test
