// SPDX-FileCopyrightText: The peneira authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/multisplit/conformance.hpp"

namespace peneira::test {

using blocks_combos = ::testing::Types<on_cpu<bytes12, no_value, by_splitters, std::uint32_t>,
                                       on_cpu<bytes16, no_value, by_function, std::uint64_t>,
                                       on_cpu<bytes24, no_value, by_hash, std::uint32_t>>;
INSTANTIATE_TYPED_TEST_SUITE_P(cpu_blocks, conformance, blocks_combos, combo_names);

}  // namespace peneira::test
