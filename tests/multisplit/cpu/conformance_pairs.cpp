// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"

namespace peneira::test {

using pairs_combos = ::testing::Types<on_cpu<std::uint32_t, std::uint32_t, by_digit, std::uint32_t>,
                                      on_cpu<std::uint32_t, std::uint64_t, by_function, std::uint64_t>,
                                      on_cpu<std::uint64_t, std::uint8_t, by_ranges, std::uint32_t>,
                                      on_cpu<std::uint8_t, bytes16, by_splitters, std::uint32_t>,
                                      on_cpu<std::uint8_t, bytes64, by_function, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_pairs, conformance, pairs_combos, combo_names);

}  // namespace peneira::test
