// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/segmented_sort/conformance.hpp"

namespace peneira::test {

using segmented_sort_combos = ::testing::Types<sort_combo<std::uint8_t, no_value>, sort_combo<std::int16_t, no_value>,
                                               sort_combo<std::uint32_t, no_value>, sort_combo<float, no_value>,
                                               sort_combo<double, std::uint32_t>, sort_combo<std::int64_t, bytes16>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_segments, segmented_sort_conformance, segmented_sort_combos);

}  // namespace peneira::test
