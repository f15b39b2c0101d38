// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/sort/conformance.hpp"

namespace peneira::test {

using key_combos = ::testing::Types<sort_combo<std::uint8_t, no_value>, sort_combo<std::int16_t, no_value>,
                                    sort_combo<std::uint32_t, no_value>, sort_combo<std::int64_t, no_value>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_keys, sort_conformance, key_combos);

}  // namespace peneira::test
