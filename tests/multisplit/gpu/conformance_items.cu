// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"
#include "tests/multisplit/gpu/support.cuh"

namespace peneira::test {

template <class Key, class Value, class By, class Offset>
using on_gpu = in_space<combo<Key, Value, By, Offset>, device_split_space>;

using items_on_gpu = ::testing::Types<on_gpu<bytes64, no_value, by_splitters, std::uint32_t>,
                                      on_gpu<std::uint64_t, std::uint8_t, by_ranges, std::int32_t>,
                                      on_gpu<std::uint8_t, bytes16, by_function, std::uint32_t>,
                                      on_gpu<bytes3, no_value, by_hash, std::uint32_t>,
                                      on_gpu<bytes33, no_value, by_function, std::uint64_t>,
                                      on_gpu<std::uint32_t, std::uint32_t, by_digit, std::uint32_t>,
                                      on_gpu<std::uint8_t, bytes64, by_hash, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu_items, conformance, items_on_gpu, combo_names);

}  // namespace peneira::test
