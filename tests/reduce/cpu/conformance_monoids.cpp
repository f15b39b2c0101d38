// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reduce/conformance.hpp"

namespace peneira::test {

using monoids_combos = ::testing::Types<reduce_on_cpu<affine, affine, then, std::uint32_t>,
                                        reduce_on_cpu<matrix, matrix, product, std::uint64_t>,
                                        reduce_on_cpu<bytes3, ends, both_ends, std::uint32_t>,
                                        reduce_on_cpu<bytes16, sum_and_most, adds_both, std::int32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_monoids, reduce_conformance, monoids_combos);

}  // namespace peneira::test
