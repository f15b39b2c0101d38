// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"

namespace peneira::test {

using bytes_combos = ::testing::Types<
    on_cpu<std::uint8_t, no_value, by_digit, std::uint32_t>, on_cpu<std::uint8_t, no_value, by_function, std::uint64_t>,
    on_cpu<std::uint16_t, no_value, by_ranges, std::int32_t>, on_cpu<bytes3, no_value, by_hash, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_bytes, conformance, bytes_combos, combo_names);

}  // namespace peneira::test
