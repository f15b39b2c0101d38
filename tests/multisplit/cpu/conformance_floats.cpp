// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"

namespace peneira::test {

using floats_combos = ::testing::Types<on_cpu<float, no_value, by_ranges, std::uint32_t>,
                                       on_cpu<float, no_value, by_digit, std::uint64_t>,
                                       on_cpu<double, no_value, by_splitters, std::uint64_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_floats, conformance, floats_combos, combo_names);

}  // namespace peneira::test
