// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"
#include "tests/multisplit/gpu/support.cuh"

namespace peneira::test {

template <class Key, class Value, class By, class Offset>
using on_gpu = in_space<combo<Key, Value, By, Offset>, device_split_space>;

using keys_on_gpu = ::testing::Types<on_gpu<std::uint8_t, no_value, by_function, std::uint64_t>,
                                     on_gpu<std::uint32_t, no_value, by_digit, std::uint32_t>,
                                     on_gpu<float, no_value, by_ranges, std::uint32_t>,
                                     on_gpu<std::uint16_t, no_value, by_hash, std::uint32_t>,
                                     on_gpu<std::uint32_t, no_value, by_splitters, std::int32_t>,
                                     on_gpu<std::uint64_t, no_value, by_ranges, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(gpu_keys, conformance, keys_on_gpu, combo_names);

}  // namespace peneira::test
