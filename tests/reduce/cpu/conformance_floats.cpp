// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reduce/conformance.hpp"

namespace peneira::test {

using floats_combos =
    ::testing::Types<reduce_on_cpu<float, float, plus, std::uint32_t>, reduce_on_cpu<float, float, min, std::int64_t>,
                     reduce_on_cpu<double, double, max, std::uint64_t>,
                     reduce_on_cpu<double, double, multiplies, std::int32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_floats, reduce_conformance, floats_combos);

}  // namespace peneira::test
