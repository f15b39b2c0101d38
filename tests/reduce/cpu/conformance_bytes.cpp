// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reduce/conformance.hpp"

namespace peneira::test {

using bytes_combos = ::testing::Types<reduce_on_cpu<std::uint8_t, std::uint8_t, plus, std::uint32_t>,
                                      reduce_on_cpu<std::uint8_t, std::uint64_t, plus, std::uint32_t>,
                                      reduce_on_cpu<std::int8_t, std::int8_t, bit_and, std::uint64_t>,
                                      reduce_on_cpu<std::uint16_t, std::uint16_t, bit_or, std::uint32_t>,
                                      reduce_on_cpu<std::uint8_t, std::uint32_t, logical_and, std::uint32_t>,
                                      reduce_on_cpu<std::int16_t, std::uint16_t, logical_or, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_bytes, reduce_conformance, bytes_combos);

}  // namespace peneira::test
