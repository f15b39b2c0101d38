// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/sort/conformance.hpp"

namespace peneira::test {

using float_combos = ::testing::Types<sort_combo<float, no_value>, sort_combo<double, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_floats, sort_conformance, float_combos);

}  // namespace peneira::test
