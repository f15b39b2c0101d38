// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/sort/conformance.hpp"

namespace peneira::test {

using pair_combos = ::testing::Types<sort_combo<std::int32_t, std::uint8_t>, sort_combo<std::uint64_t, std::uint64_t>,
                                     sort_combo<std::uint8_t, bytes16>, sort_combo<std::uint16_t, bytes3>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_pairs, sort_conformance, pair_combos);

}  // namespace peneira::test
