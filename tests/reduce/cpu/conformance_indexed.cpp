// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reduce/conformance.hpp"

namespace peneira::test {

using indexed_combos = ::testing::Types<reduce_on_cpu<float, double, plus, std::uint32_t>,
                                        reduce_on_cpu<float, indexed<float>, arg_max, std::uint32_t>,
                                        reduce_on_cpu<std::uint8_t, indexed<std::uint8_t>, arg_min, std::uint64_t>,
                                        reduce_on_cpu<std::int64_t, indexed<std::int64_t>, arg_min, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_indexed, reduce_conformance, indexed_combos);

}  // namespace peneira::test
